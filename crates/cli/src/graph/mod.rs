//! `anywarp graph`: plans, runs, steps through and draws work graphs from TOML files.

mod args;
mod open;
mod outputs;
mod picture;
mod plan;
mod report;
mod run;
mod step;

use anywarp_graph::{Plan, Report};

use crate::console;
use crate::error::Error;
use args::{DotArgs, DrawingFormat};
pub(crate) use args::{GraphArgs, GraphCommand};
use open::{OpenGraph, Waits};

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
    let file = open::read(&args.common.input)?;
    let draw = |run: Option<(&Plan, &Report)>| match args.format {
        DrawingFormat::Dot => file.graph().to_dot(run),
        DrawingFormat::Svg => file.graph().to_svg(run),
    };
    if !args.run {
        if let Some(option) = args.common.given() {
            return Err(Error::Argument {
                option,
                reason: "only for graphs that run: give --run, too".to_owned(),
            });
        }
        return console::result(draw(None).trim_end());
    }
    let open = OpenGraph::new(&file, &args.common, Waits::ForAll)?;
    let report = open.run()?;
    console::result(draw(Some((open.runner.plan(), &report))).trim_end())
}
