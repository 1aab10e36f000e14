//! `anywarp graph step`: runs a graph level by level and prints the records of each level.

use std::fmt::Write;

use anywarp_graph::device::{StageStep, Step, Steps};
use pollster::block_on;

use super::args::StepArgs;
use super::open::{self, OpenGraph, Waits};
use crate::console;
use crate::error::Error;

pub(super) fn step(args: &StepArgs) -> Result<(), Error> {
    let file = open::read(&args.common.input)?;
    if let Some(wanted) = &args.node {
        let mut nodes = file.graph().nodes().iter();
        if !nodes.any(|node| node.id.to_string() == *wanted) {
            return Err(Error::Argument {
                option: "--node",
                reason: format!(
                    "{} has no node `{wanted}`",
                    args.common.input.file.display()
                ),
            });
        }
    }
    let open = OpenGraph::new(&file, &args.common, Waits::ForAll)?;
    let groups = open.bind_groups();
    let input = open.input();
    let mut steps = open.after(block_on(open.runner.step(&input, &groups)))?;
    while let Some(step) = open.after(block_on(steps.advance()))? {
        let text = describe(args, &open, &steps, &step)?;
        console::result(text.trim_end())?;
    }
    let sweeps = steps.report().map_or(0, |report| report.sweeps);
    console::result(&format!(
        "nothing is left after sweep {}",
        sweeps.saturating_sub(1)
    ))
}

fn describe(
    args: &StepArgs,
    open: &OpenGraph<'_>,
    steps: &Steps<'_>,
    step: &Step,
) -> Result<String, Error> {
    Ok(match step {
        Step::SweepBegan { sweep } => format!("sweep {sweep}: inputs are fed"),
        Step::SweepResumed { sweep, level } => {
            format!("sweep {sweep} goes on at level {level}: nothing is left below it")
        }
        Step::LevelRan {
            sweep,
            level,
            stages,
        } => {
            let mut text = format!("sweep {sweep}, level {level}");
            for stage in stages {
                let name = stage.node.to_string();
                if args.node.as_ref().is_none_or(|wanted| *wanted == name) {
                    text.push_str(&describe_stage(args, open, steps, stage)?);
                }
            }
            text
        }
        Step::SweepEnded {
            sweep,
            has_work_left,
        } => {
            if *has_work_left {
                format!("sweep {sweep} ends, and work is held back: another one follows")
            } else {
                format!("sweep {sweep} ends")
            }
        }
        other => format!("{other:?}"),
    })
}

fn describe_stage(
    args: &StepArgs,
    open: &OpenGraph<'_>,
    steps: &Steps<'_>,
    stage: &StageStep,
) -> Result<String, Error> {
    let name = match stage.step {
        0 => stage.node.to_string(),
        step => format!("{} +{step}", stage.node),
    };
    let mut text = format!(
        "\n  {name}: {} records, {} launched, {} held back",
        stage.records, stage.launched, stage.held
    );
    let shown = block_on(steps.records(&stage.node, stage.step, 0..args.records));
    let records = open.after(shown)?;
    if records.is_empty() {
        return Ok(text);
    }
    for (index, record) in records.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n    {index}: {record}");
    }
    let count = open.after(steps.count(&stage.node, stage.step))?;
    if count > args.records {
        let _ = write!(text, "\n    and {} more", count - args.records);
    }
    Ok(text)
}
