//! `anywarp run`: runs one compute entry point over a grid, on any device.
//!
//! Order of work: read the program and choose its entry point, check the command against the interface and the
//! device's limits ([`plan`]), compile ([`gpu_objects`]) and run it ([`schedule`]), and read buffers back into printed
//! values and files ([`results`]). Errors in the command are reported before anything runs.

mod contents;
pub(crate) mod entry;
mod gpu_objects;
mod outputs;
mod plan;
mod progress;
mod reach;
mod request;
mod results;
mod samplers;
mod schedule;
mod sizes;
mod texture_out;
mod textures;
mod timing;
mod transfer;

use std::time::Instant;

use crate::cli::RunArgs;
use crate::device::{self, Session};
use crate::error::Error;
use crate::input;
use crate::needs;
pub(crate) use contents::contents_bytes;
pub(crate) use outputs::{check_paths, read_buffer};
use plan::Plan;
pub(crate) use progress::Progress;
use request::ResolvedRequest;
pub(crate) use request::check_stdout;
pub(crate) use results::{OutputReport, output_line, show_line, write_output};
pub(crate) use timing::{RunTimes, TimeReport, Times};
pub(crate) use transfer::read_texture;

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Error> {
    // That a file is not a program is the more basic error.
    let input = input::load(&args.file)?;
    if let Some(option) = args.kernel.given() {
        let reason = "only for kernels in WebAssembly, not for shaders".to_owned();
        return Err(Error::Argument { option, reason });
    }
    let entry = entry::choose(&input, args.entry.as_deref())?;
    let constants = entry::constants(&input, &args.constant)?;
    let (program, interface) = entry::interface(&input, &entry, &constants)?;
    let adapter = device::select(&args.device, &args.cpu)?;
    needs::check(&input, &adapter)?;
    let request = ResolvedRequest::new(args, &interface)?;
    let workgroups = args.workgroups.unwrap_or_default().0;
    let reached = reach::lengths(&program, &entry, workgroups);
    let plan = Plan::new(&request, interface, &reached, &adapter)?;
    check_paths(args.out.iter().filter_map(|out| out.destination.path()))?;

    let session = Session::open(&adapter, &input.name)?;
    let compiling = Instant::now();
    let objects = gpu_objects::create(&session, &input.program, &constants, &plan)?;
    let compile = compiling.elapsed();
    log::info!("compiled {} in {compile:.3?}", input.name);
    let runs = schedule::run(&session, &objects, &plan)?;
    let reading = Instant::now();
    let read = outputs::read_back(&session, &objects, &plan, &request)?;
    let read_back = reading.elapsed();

    let times = Times {
        compile,
        runs,
        read_back,
    };
    results::deliver(&request, &input.name, &session.name, &plan, &read, &times)
}
