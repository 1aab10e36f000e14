//! `anywarp bench`: the benchmark set on everything that this machine has, in one run.
//!
//! In order: rows are chosen ([`chosen`]), contenders opened ([`contender`]), each row measured on all of them in turns
//! and verified ([`measure`], [`compile`]), and figures shown ([`table`]) and written ([`report`]). A wrong result ends
//! the command: a fast wrong answer is worth nothing.

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
    let scope = match args.quick {
        true => Scope::Quick,
        false => Scope::Whole,
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
    let text = serde_json::to_string_pretty(report).map_err(|it| failed(it.into()))?;
    std::fs::write(path, text + "\n").map_err(failed)
}
