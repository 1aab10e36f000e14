//! The second and the third way: the kernels' module on an engine, which is the virtual machine or the interpreter of
//! a wgpu device.

use std::error::Error;

use anywarp::wasm::Module;

use crate::Words;
use crate::case::Case;
use crate::data::{resources, result};

/// Stack slots per thread: the kernels' calls are inlined.
const STACK_SLOTS: u32 = 1024;

/// Runs a case on the engine of the kernels' module.
///
/// # Errors
///
/// If the launch is refused or a thread traps.
pub fn on_engine(case: &Case, module: &Module) -> Result<Words, Box<dyn Error>> {
    let (workgroups, size) = case.grid();
    let kernel = module
        .kernel(case.kernel)?
        .args(case.arguments())?
        .workgroups([workgroups, 1, 1])
        .workgroup_size([size, 1, 1])
        .stack_slots(STACK_SLOTS);
    let mut data = resources(case);
    kernel.run(&mut data)?.ok()?;
    Ok(result(case, &data))
}

/// Opens the best installed device, or the CPU adapter if there is none.
///
/// # Errors
///
/// If it cannot be opened.
pub fn device() -> Result<(String, wgpu::Device, wgpu::Queue), Box<dyn Error>> {
    let adapter =
        anywarp::adapters::best().unwrap_or_else(|| anywarp::adapter::adapter(Default::default()));
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    }))?;
    Ok((adapter.get_info().name, device, queue))
}
