//! `anywarp graph run`.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anywarp_graph::{FileImage, GraphFile, Pixels};
use serde::Serialize;

use super::args::RunGraphArgs;
use super::open::{self, OpenGraph};
use super::report::{self, StageReport};
use crate::console;
use crate::error::Error;
use crate::image;
use crate::run::{check_paths, read_buffer};
use crate::specs::{ElementType, Pixels as PngPixels, PngPicture};

#[derive(Serialize)]
struct RunReport<'a> {
    file: String,
    graph: &'a str,
    device: &'a str,
    sweeps: u32,
    milliseconds: f64,
    bytes: u64,
    stages: Vec<StageReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

pub(super) fn run(args: &RunGraphArgs) -> Result<(), Error> {
    let file = open::read(&args.common.file)?;
    let picture = picture(&file, args)?;
    let paths = [&args.image, &args.trace].into_iter().flatten();
    check_paths(paths.map(|path| path.as_path()))?;

    let open = OpenGraph::new(&file, &args.common)?;
    let started = Instant::now();
    let (report, trace) = match &args.trace {
        None => (open.run()?, None),
        Some(path) => {
            let (report, trace) = open.trace()?;
            fs::write(path, trace.to_perfetto()).map_err(|source| cannot_write(path, source))?;
            (report, Some(trace))
        }
    };
    let time = started.elapsed();
    if let Some((picture, image)) = &picture {
        draw(&open, picture, image)?;
    }

    let name = file.graph().name();
    let device = &open.session.name;
    let stages = report::stages(file.graph(), open.runner.plan(), &report);
    let path_text = |path: &Path| path.display().to_string();
    let milliseconds = time.as_secs_f64() * 1e3;
    if args.json {
        return console::json(&RunReport {
            file: path_text(&args.common.file),
            graph: name,
            device,
            sweeps: report.sweeps,
            milliseconds,
            bytes: open.runner.plan().bytes(),
            stages,
            image: args.image.as_deref().map(path_text),
            trace: args.trace.as_deref().map(path_text),
        });
    }
    console::result(&report::table(&stages))?;
    let sweeps = report.sweeps;
    let plural = if sweeps == 1 { "" } else { "s" };
    console::result(&format!("{name}: {sweeps} sweep{plural}"))?;
    if let Some(trace) = trace {
        console::result(&format!("\n{}", trace.to_string().trim_end()))?;
    }
    for path in [&args.image, &args.trace].into_iter().flatten() {
        console::result(&path_text(path))?;
    }
    console::message(&format!("ran {name} on {device} in {milliseconds:.1} ms"));
    Ok(())
}

/// The picture to write and the buffer it is.
fn picture<'a>(
    file: &'a GraphFile,
    args: &RunGraphArgs,
) -> Result<Option<(PngPicture, &'a FileImage)>, Error> {
    let Some(path) = &args.image else {
        return Ok(None);
    };
    let image = file.image().ok_or_else(|| Error::Argument {
        option: "--image",
        reason: format!("{} has no [image]", args.common.file.display()),
    })?;
    let picture = PngPicture {
        path: path.clone(),
        width: image.width,
        height: image.height,
        pixels: match image.pixels {
            Pixels::Rgba8 => PngPixels::Rgba8,
            Pixels::F32x4 => PngPixels::F32x4,
            Pixels::HeatU32 | Pixels::HeatI32 | Pixels::HeatF32 => PngPixels::Heat,
        },
    };
    Ok(Some((picture, image)))
}

fn draw(open: &OpenGraph<'_>, picture: &PngPicture, image: &FileImage) -> Result<(), Error> {
    let buffer = &open.resources.buffers[image.buffer];
    let bytes = read_buffer(&open.session, buffer, image.bytes())?;
    let element = match image.pixels {
        Pixels::HeatF32 => ElementType::F32,
        Pixels::HeatI32 => ElementType::I32,
        Pixels::HeatU32 | Pixels::Rgba8 | Pixels::F32x4 => ElementType::U32,
    };
    image::write_png(picture, &bytes, element)
        .map_err(|source| cannot_write(&picture.path, source))?;
    Ok(())
}

fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}
