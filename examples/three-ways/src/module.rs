//! The second and the third way: the kernels' module as bytecode, on the virtual machine and on the interpreter of a
//! wgpu device.

use std::error::Error;

use anywarp::wasm::bytecode::{Bytecode, Type};
use anywarp::wasm::gpu::Interpreter;
use anywarp::wasm::runtime::{
    Launch, LaunchOutcome, MemoryMode, Picture, Resources, ThreadEnd, WasmValue,
};
use anywarp::wasm::vm;

use crate::Words;
use crate::case::{CLOCK, Case, Data};

/// Stack slots per thread: the kernels' calls are inlined.
const STACK_SLOTS: u32 = 1024;

/// Runs a case on the virtual machine.
///
/// # Errors
///
/// If the launch is refused or a thread traps.
pub fn virtual_machine(case: &Case, program: &Bytecode) -> Result<Words, Box<dyn Error>> {
    let mut resources = resources(case);
    let outcome = vm::run(program, &launch(case, program), &mut resources)?;
    words(case, &outcome, &resources)
}

/// Runs a case on the interpreter of a device, which has loaded `program`.
///
/// # Errors
///
/// If the launch is refused or a thread traps.
pub fn interpreted(
    case: &Case,
    program: &Bytecode,
    interpreter: &Interpreter,
) -> Result<Words, Box<dyn Error>> {
    let mut resources = resources(case);
    let launch = launch(case, program);
    let outcome = pollster::block_on(interpreter.run(&launch, &mut resources))?;
    words(case, &outcome, &resources)
}

fn launch(case: &Case, program: &Bytecode) -> Launch {
    let (workgroups, size) = case.grid();
    let args = case.arguments().into_iter().map(|argument| WasmValue {
        ty: Type::I32,
        bits: argument.into(),
    });
    let pages = program.memories.iter().map(|memory| memory.initial);
    Launch {
        kernel: case.kernel.to_owned(),
        args: args.collect(),
        workgroups: [workgroups, 1, 1],
        workgroup_size: [size, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: pages.max().unwrap_or(0),
        stack_slots: STACK_SLOTS,
        ..Launch::default()
    }
}

fn resources(case: &Case) -> Resources {
    let buffers = case.buffers().into_iter();
    Resources {
        clock: CLOCK,
        picture: match case.data {
            Data::Picture { width, height } => Some(Picture {
                width,
                height,
                pixels: vec![[0.0; 4]; width as usize * height as usize],
            }),
            Data::Messages(_) | Data::Tiles(_) => None,
        },
        buffers: buffers
            .map(|(group, binding, words)| ((group, binding), words))
            .collect(),
        ..Resources::default()
    }
}

/// The result of the kernel; an error if a thread trapped.
fn words(
    case: &Case,
    outcome: &LaunchOutcome,
    resources: &Resources,
) -> Result<Words, Box<dyn Error>> {
    for (thread, end) in outcome.threads.iter().enumerate() {
        if let ThreadEnd::Trapped(trap) = end {
            return Err(format!("thread {thread}: {trap}").into());
        }
    }
    let picture = resources.picture.iter();
    let pixels = picture.flat_map(|picture| picture.pixels.as_flattened());
    Ok(match case.result() {
        Some(place) => resources.buffers.get(&place).cloned().unwrap_or_default(),
        None => pixels.map(|part| part.to_bits()).collect(),
    })
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
