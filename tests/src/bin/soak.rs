//! Runs the fuzz bodies with their resource limits; `cargo xtask soak` builds and starts it.
//!
//! `soak --minutes N [--seed S] [--only TARGET]... [--threads N] [--folder DIR]` runs all targets in rotation and
//! prints a table; exit code 1 if there are findings. `soak run TARGET FILE` runs one input, `soak show TARGET SEED
//! NUMBER` writes one input of a campaign to standard output, `soak describe TARGET FILE` prints an input as text,
//! and `soak corpus DIR` writes seed corpora. `soak worker` is the process in which bodies run.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command prints"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use anywarp_tests::fuzz::memory::CountingAllocator;
use anywarp_tests::fuzz::{
    Limits, SoakOptions, Supervisor, TARGETS, Target, Verdict, input, soak, worker, write_corpus,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const USAGE: &str =
    "usage: soak --minutes N [--seed S] [--only TARGET]... [--threads N] [--folder DIR]
       soak run|describe TARGET FILE, soak show TARGET SEED NUMBER, soak corpus DIR";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["worker"] => worker::serve().map(|()| ExitCode::SUCCESS),
        ["run", target, file] => run(target, Path::new(file)),
        ["describe", target, file] => describe(target, Path::new(file)),
        ["show", target, seed, number] => show(target, seed, number),
        ["corpus", folder] => write_corpus(Path::new(folder)).map(|()| ExitCode::SUCCESS),
        _ => options(&words).and_then(|options| campaign(&options)),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn named(name: &str) -> Result<&'static Target> {
    let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>();
    Target::named(name).with_context(|| format!("no target `{name}`: {}", names().join(", ")))
}

fn options(words: &[&str]) -> Result<SoakOptions> {
    let mut options = SoakOptions {
        time: Duration::ZERO,
        inputs: None,
        seed: SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        targets: Vec::new(),
        threads: std::thread::available_parallelism()?.get(),
        worker: std::env::current_exe()?,
        folder: PathBuf::from("target/soak"),
    };
    for pair in words.chunks(2) {
        let &[option, value] = pair else { bail!(USAGE) };
        match option {
            "--minutes" => {
                options.time = Duration::try_from_secs_f64(value.parse::<f64>()? * 60.0)?;
            }
            "--seed" => options.seed = value.parse()?,
            "--only" => options.targets.push(named(value)?),
            "--threads" => options.threads = value.parse()?,
            "--folder" => options.folder = value.into(),
            _ => bail!(USAGE),
        }
    }
    if options.time.is_zero() || options.threads == 0 {
        bail!(USAGE);
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

fn campaign(options: &SoakOptions) -> Result<ExitCode> {
    println!("seed {}", options.seed);
    let summary = soak(options)?;
    print!("{summary}");
    let findings = summary.findings();
    println!("{findings} findings, kept in {}", options.folder.display());
    Ok(match findings {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn run(name: &str, file: &Path) -> Result<ExitCode> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let mut supervisor = Supervisor::new(std::env::current_exe()?, Limits::SHARE);
    let report = supervisor.run(named(name)?, &bytes)?;
    let (seconds, megabytes) = (report.seconds, report.bytes >> 20);
    Ok(match report.verdict {
        Verdict::Wrong(finding) => {
            println!("{finding}");
            ExitCode::FAILURE
        }
        verdict => {
            println!(
                "{verdict:?}; the longest stage took {seconds:.2} s, the largest {megabytes} MB"
            );
            ExitCode::SUCCESS
        }
    })
}

fn describe(name: &str, file: &Path) -> Result<ExitCode> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    println!("{}", named(name)?.describe(&bytes));
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str, seed: &str, number: &str) -> Result<ExitCode> {
    let bytes = input(named(name)?, seed.parse()?, number.parse()?);
    std::io::stdout().write_all(&bytes)?;
    Ok(ExitCode::SUCCESS)
}
