//! `anywarp run`: runs one compute entry point over a grid, on any device.
//!
//! Order of work: read the program and choose its entry point, check the command against the interface and the
//! device's limits ([`plan`]), compile and fill resources ([`upload`]), run it ([`schedule`]), and read buffers back into printed
//! values and files ([`results`]). Errors in the command are reported before anything runs.

mod contents;
pub(crate) mod entry;
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
mod upload;

use std::time::Instant;

use crate::cli::RunArgs;
use anywarp::Device;

use crate::device;
use crate::error::Error;
use crate::input::{self, Input};
pub(crate) use contents::contents_bytes;
use entry::Chosen;
pub(crate) use outputs::check_paths;
use plan::Plan;
pub(crate) use progress::Progress;
use request::ResolvedRequest;
pub(crate) use request::check_stdout;
pub(crate) use results::{OutputReport, output_line, show_line, write_output};
pub(crate) use timing::{RunTimes, TimeReport, Times};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Error> {
    // That a file is not a program is the more basic error.
    let input = input::load(&args.file)?;
    if let Some(option) = args.kernel.given() {
        let reason = "only for kernels in WebAssembly, not for shaders".to_owned();
        return Err(Error::Argument { option, reason });
    }
    let Chosen {
        name: entry,
        constants,
        program,
        interface,
    } = entry::choose(&input, args.entry.as_deref(), &args.constant)?;
    let adapter = device::select(&args.device, &args.cpu)?;
    check_features(&input, &adapter)?;
    let request = ResolvedRequest::new(args, &interface)?;
    let workgroups = args.workgroups.unwrap_or_default().0;
    let reached = reach::lengths(&program, &entry, workgroups);
    let plan = Plan::new(&request, interface, &reached, &adapter)?;
    check_paths(args.out.iter().filter_map(|out| out.destination.path()))?;

    let device = Device::open(&adapter)?.for_program(&input.name);
    let compiling = Instant::now();
    let mut resident = upload::create(&device, &input.program, &constants, &plan)?;
    let compile = compiling.elapsed();
    log::info!("compiled {} in {compile:.3?}", input.name);
    let runs = schedule::run(&mut resident, &plan)?;
    let reading = Instant::now();
    let read = outputs::read_back(&resident, &plan, &request)?;
    let read_back = reading.elapsed();

    let times = Times {
        compile,
        runs,
        read_back,
    };
    results::deliver(&request, &input.name, device.name(), &plan, &read, &times)
}

/// Checks that an adapter supports what a program needs; the error names the first missing feature.
fn check_features(input: &Input, adapter: &wgpu::Adapter) -> Result<(), Error> {
    anywarp::needs::check(&input.program, adapter.features()).map_err(|missing| {
        Error::MissingFeature {
            file: input.name.clone(),
            need: missing.need,
            feature: missing.feature,
            device: adapter.get_info().name,
        }
    })
}
