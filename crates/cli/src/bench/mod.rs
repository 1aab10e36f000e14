//! `anywarp bench`: runs the benchmark set on every engine and driver of this machine.
//!
//! Order of work: select rows ([`chosen`]), open contenders ([`contender`]), measure each row on all of them in
//! rotation and verify the results ([`measure`], [`compile`]), show the figures ([`table`]) and write them as JSON
//! ([`report`]). A wrong result ends the command: the time of a wrong result is worthless.

mod args;
mod bare;
mod chosen;
mod compile;
mod contender;
mod ladder;
mod measure;
mod on_device;
mod reference;
mod report;
mod set;
mod table;
mod task;

use std::path::Path;

pub(crate) use args::BenchArgs;

use crate::console;
use crate::error::Error;
use crate::run::{Progress, check_paths};
use chosen::Chosen;
use contender::Contender;
use measure::Scope;
use report::Report;

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), Error> {
    let scope = if args.quick {
        Scope::Quick
    } else {
        Scope::Whole
    };
    let chosen = Chosen::new(args, scope)?;
    check_paths(args.json.iter().map(AsRef::as_ref))?;
    let contenders = chosen::contenders(
        Contender::all(crate::cli::floats(args.strict_float))?,
        &args.device,
    )?;
    let mut report = Report::new(&contenders, args.runs, scope);
    let progress = Progress::of(chosen.count(), "rows");
    for benchmark in &chosen.benchmarks {
        let row = progress.during(|| measure::measure(benchmark, &contenders, args.runs, scope));
        report.rows.push(row?);
        progress.advance(1);
    }
    if !chosen.rungs.is_empty() {
        compile::warm_up(&contenders)?;
    }
    for rung in &chosen.rungs {
        let row = progress.during(|| compile::measure(*rung, &contenders, args.runs));
        report.compile.push(row?);
        progress.advance(1);
    }
    drop(progress);
    if let Some(path) = &args.json {
        write(path, &report)?;
    }
    console::result(&table::text(&report))
}

fn write(path: &Path, report: &Report) -> Result<(), Error> {
    let failed = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    let text = serde_json::to_string_pretty(report).map_err(|error| failed(error.into()))?;
    std::fs::write(path, text + "\n").map_err(failed)
}
