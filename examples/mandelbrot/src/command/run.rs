//! Executes the command: opens the device, runs the job, writes frames at checkpoints and the picture, and prints a
//! summary.

use std::io::{self, Write, stdout};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mandelbrot::{Image, Job, JobDescriptor, JobError, Limit, Progress, View};

use super::bar::Bar;
use super::cli::Cli;
use super::device::{self, Device};
use super::error::Error;
use super::picture;

/// The first default checkpoint; each following one is twice the previous one.
const FIRST_FRAME: u32 = 16;

pub(crate) fn run(cli: &Cli) -> Result<(), Error> {
    let descriptor = descriptor(cli)?;
    let out = cli.out.clone();
    let out = out.unwrap_or_else(|| PathBuf::from(format!("mandelbrot-{}.png", cli.board)));
    picture::check_folder(&out)?;
    if let Some(folder) = &cli.frames {
        picture::make_folder(folder)?;
    }
    let device = device::open(&cli.device)?;
    let begin = Instant::now();
    let job = Job::new(&device.device, &device.queue, descriptor);
    let mut job = pollster::block_on(job).map_err(|error| name_loss(&device, error))?;
    let bar = Bar::new(job.progress().pixels);
    while let Some(progress) = job.wait() {
        let progress = progress.map_err(|error| name_loss(&device, error))?;
        bar.show(&progress);
        if let Some(checkpoint) = progress.checkpoint {
            mark(cli, checkpoint, &progress, job.image())?;
        }
    }
    bar.end();
    picture::write(&out, job.image(), &cli.palette)?;
    let [width, height] = cli.size.0;
    let Progress {
        method,
        iterations,
        live,
        batches,
        retries,
        ..
    } = job.progress();
    // The last batch may have iterated beyond the last escape.
    let iterations = match live {
        0 => job.image().latest(),
        _ => iterations,
    };
    say(&format!(
        "{} ({width}x{height}): {method}, {iterations} iterations, {batches} batches, {retries} retries, {:.1} s, checksum {:08x}",
        out.display(),
        begin.elapsed().as_secs_f64(),
        job.image().checksum(),
    ))
}

fn descriptor(cli: &Cli) -> Result<JobDescriptor, Error> {
    let [re, im, width] = cli.board.home();
    let text = |given: &Option<String>, own: &str| given.clone().unwrap_or_else(|| own.to_owned());
    let view = View::parse(
        &text(&cli.re, re),
        &text(&cli.im, im),
        &text(&cli.width, width),
    )?;
    let mut checkpoints = cli.checkpoints.clone();
    if checkpoints.is_empty() && cli.frames.is_some() {
        let doubled = |at: &u32| at.checked_mul(2);
        checkpoints = std::iter::successors(Some(FIRST_FRAME), doubled).collect();
    }
    Ok(JobDescriptor {
        limit: cli.limit.map_or(Limit::Auto, Limit::Iterations),
        slots: cli.slots,
        batch_time: Duration::from_millis(cli.batch_time),
        checkpoints,
        ..JobDescriptor::new(view, cli.size.0, cli.board)
    })
}

/// Writes the frame of a checkpoint, and prints its line if the user requested this checkpoint.
fn mark(cli: &Cli, checkpoint: u32, progress: &Progress, image: &Image) -> Result<(), Error> {
    if let Some(folder) = &cli.frames {
        let path = folder.join(format!("{checkpoint:08}.png"));
        picture::write(&path, image, &cli.palette)?;
    }
    if cli.checkpoints.is_empty() {
        return Ok(());
    }
    say(&format!(
        "{checkpoint} iterations: {} of {} pixels, checksum {:08x}",
        progress.known,
        progress.pixels,
        image.checksum(),
    ))
}

/// Adds the cause of a device loss, which only the CPU adapter reports.
fn name_loss(device: &Device, error: JobError) -> Error {
    match anywarp_adapter::lost_message(&device.device) {
        Some(reason) => Error::Lost {
            device: device.name.clone(),
            reason,
        },
        None => error.into(),
    }
}

/// Prints a line to standard output. A closed pipe is not an error.
fn say(line: &str) -> Result<(), Error> {
    match writeln!(stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Stdout(error)),
        _ => Ok(()),
    }
}
