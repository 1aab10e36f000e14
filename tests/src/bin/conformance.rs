//! Runs the conformance folder on every executor and prints one table: feature by executor.
//!
//! Out: the table on standard output, failures on standard error; exit code 1 if there are any. Without lavapipe, its
//! column is missing.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command prints"
)]

use std::path::Path;
use std::process::ExitCode;

use anywarp_tests::{
    CaseError, Executor, Interpreter, Tally, adapter, code, lavapipe, load_folder, run_all,
};

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

fn run() -> Result<ExitCode, CaseError> {
    let cases = load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance"))?;
    let mut executors: Vec<Box<dyn Executor>> = vec![Box::new(Interpreter), Box::new(adapter())];
    executors.extend(
        code()
            .into_iter()
            .map(|executor| Box::new(executor) as Box<dyn Executor>),
    );
    if let Some(lavapipe) = lavapipe() {
        executors.push(Box::new(lavapipe));
    }
    let checked: Vec<_> = executors
        .iter()
        .map(|executor| run_all(&cases, executor.as_ref()))
        .collect();
    for run in &checked {
        eprint!("{}", run.report);
    }
    let tallies: Vec<Tally> = checked.iter().map(|run| run.tally.clone()).collect();
    print!("{}", Tally::table(&tallies));
    let is_good = checked.iter().all(|run| run.is_good());
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
