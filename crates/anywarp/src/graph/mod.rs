//! `anywarp graph`: work graphs from TOML files, planned, run, stepped through and drawn.

mod args;
mod open;
mod plan;
mod report;
mod run;
mod step;

use crate::console;
use crate::error::Error;
use args::DotArgs;
pub(crate) use args::{GraphArgs, GraphCommand};
use open::OpenGraph;

/// Runs the command.
pub(crate) fn graph(args: &GraphArgs) -> Result<(), Error> {
    match &args.command {
        GraphCommand::Plan(args) => plan::plan(args),
        GraphCommand::Run(args) => run::run(args),
        GraphCommand::Step(args) => step::step(args),
        GraphCommand::Dot(args) => dot(args),
    }
}

fn dot(args: &DotArgs) -> Result<(), Error> {
    let file = open::read(&args.common.file)?;
    if !args.run {
        return console::result(file.graph().to_dot(None).trim_end());
    }
    let open = OpenGraph::new(&file, &args.common)?;
    let report = open.run()?;
    let dot = file.graph().to_dot(Some((open.runner.plan(), &report)));
    console::result(dot.trim_end())
}
