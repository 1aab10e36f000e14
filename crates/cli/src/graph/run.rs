//! `anywarp graph run`: runs a graph until no records are left.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::args::RunGraphArgs;
use super::open::{self, OpenGraph};
use super::outputs;
use super::picture::{draw, picture};
use super::report::{self, StageReport};
use crate::console;
use crate::error::Error;
use crate::run::{OutputReport, check_paths, check_stdout, output_line, show_line};

#[derive(Serialize)]
struct RunReport<'a> {
    file: String,
    graph: &'a str,
    device: &'a str,
    sweeps: u32,
    milliseconds: f64,
    bytes: u64,
    stages: Vec<StageReport>,
    /// The same objects as in the JSON of `anywarp run`.
    outputs: Vec<OutputReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

pub(super) fn run(args: &RunGraphArgs) -> Result<(), Error> {
    let file = open::read(&args.common.input)?;
    let picture = picture(&file, &args.common.input.file, args.image.as_deref())?;
    let outs = outputs::plan(&file, &args.out)?;
    check_stdout(outs.iter().map(|planned| &planned.out), args.json)?;
    let paths = [&args.image, &args.trace].into_iter().flatten();
    let out_paths = args.out.iter().filter_map(|out| out.destination.path());
    check_paths(paths.map(|path| path.as_path()).chain(out_paths))?;

    let open = OpenGraph::new(&file, &args.common, args.waits())?;
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
    let outputs = outs.iter().map(|out| out.write(&open));
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;

    let name = file.graph().name();
    let device = open.device.name();
    let stages = report::stages(file.graph(), open.runner.plan(), &report);
    let path_text = |path: &Path| path.display().to_string();
    let milliseconds = time.as_secs_f64() * 1e3;
    if args.json {
        return console::json(&RunReport {
            file: path_text(&args.common.input.file),
            graph: name,
            device,
            sweeps: report.sweeps,
            milliseconds,
            bytes: open.runner.plan().bytes(),
            stages,
            outputs,
            image: args.image.as_deref().map(path_text),
            trace: args.trace.as_deref().map(path_text),
        });
    }
    let is_raw = outputs.iter().any(OutputReport::is_on_stdout);
    show_line(&report::table(&stages), is_raw)?;
    let sweeps = report.sweeps;
    let plural = if sweeps == 1 { "" } else { "s" };
    show_line(&format!("{name}: {sweeps} sweep{plural}"), is_raw)?;
    if let Some(trace) = trace {
        show_line(&format!("\n{}", trace.to_string().trim_end()), is_raw)?;
    }
    for output in outputs.iter().filter(|output| !output.is_on_stdout()) {
        show_line(&output_line(output), is_raw)?;
    }
    for path in [&args.image, &args.trace].into_iter().flatten() {
        show_line(&path_text(path), is_raw)?;
    }
    console::note(&format!("ran {name} on {device} in {milliseconds:.1} ms"));
    Ok(())
}

pub(super) fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}
