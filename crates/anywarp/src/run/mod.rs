//! `anywarp run`: one compute entry point over a grid, on any device.
//!
//! In order: the program is read and its entry point found, the command is checked against what
//! the entry point and the device say ([`plan`]), the device compiles and runs it ([`pipeline`],
//! [`schedule`]), and buffers are read back into prints and files ([`results`]). Whatever can be
//! refused is refused before anything runs.

mod contents;
mod entry;
mod outputs;
mod pipeline;
mod plan;
mod progress;
mod results;
mod schedule;
mod sizes;
mod timing;

use std::time::Instant;

use crate::cli::RunArgs;
use crate::device::{self, Session};
use crate::error::Error;
use crate::input;
use plan::Plan;

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Error> {
    let input = input::load(&args.file)?;
    let entry = entry::choose(&input, args.entry.as_deref())?;
    let constants = entry::constants(&input, &args.constant)?;
    let interface = entry::interface(&input, &entry, &constants)?;
    let adapter = device::select(&args.device, args.watchdog)?;
    let plan = Plan::new(args, interface, &adapter)?;
    outputs::check_writable(&args.out)?;

    let session = Session::open(&adapter, &input.name)?;
    let compiling = Instant::now();
    let machine = pipeline::build(&session, &input.program, &constants, &plan)?;
    let compile = compiling.elapsed();
    let runs = schedule::run(&session, &machine, &plan)?;
    let reading = Instant::now();
    let buffers = outputs::read_back(&session, &machine, &plan, &args.out)?;
    let read_back = reading.elapsed();

    let times = timing::Times {
        compile,
        runs,
        read_back,
    };
    results::deliver(args, &input.name, &session.name, &plan, &buffers, &times)
}
