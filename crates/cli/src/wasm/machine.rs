//! The two runtimes for kernels, chosen by `--device` and `--engine`: the virtual machine and the interpreter in
//! WGSL.

use std::time::Duration;

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::gpu::{self, Interpreter};
use anywarp_wasm::runtime::{DEFAULT_WATCHDOG, Launch, LaunchOutcome, Resources};
use anywarp_wasm::vm;

use crate::cli::{CpuArgs, RunArgs, TimeLimit};
use anywarp::Device;

use crate::device;
use crate::engine::EngineChoice;
use crate::error::Error;

/// A runtime for kernels.
pub(super) enum Machine {
    /// The virtual machine on the CPU, with time limits.
    Virtual(vm::VmOptions),
    /// The interpreter in WGSL on a wgpu device, which may be the CPU device.
    Interpreter {
        device: Box<Device>,
        interpreter: Box<Interpreter>,
    },
}

impl Machine {
    /// Selects the runtime for the command.
    pub(super) fn choose(args: &RunArgs, file: &str) -> Result<Self, Error> {
        let engine = args.cpu.engine;
        match (args.device.as_str(), engine) {
            (_, Some(EngineChoice::Code | EngineChoice::Avx512 | EngineChoice::Avx2)) => {
                Err(Error::Argument {
                    option: "--engine",
                    reason: "kernels in WebAssembly take vm or interpret".to_owned(),
                })
            }
            ("cpu", None | Some(EngineChoice::Vm)) => {
                let options = vm::VmOptions::default().watchdog(watchdog(&args.cpu));
                let limit = args.cpu.limit.and_then(TimeLimit::time);
                Ok(Self::Virtual(options.limit(limit)))
            }
            (_, Some(EngineChoice::Vm)) => Err(Error::Argument {
                option: "--engine vm",
                reason: "the virtual machine is --device cpu".to_owned(),
            }),
            (device, _) => {
                // `--engine` has selected the runtime already; the device selects its own engine for the WGSL. The
                // interpreter's floats are exact whether or not products and sums are fused; strict floats make that
                // easier to trust.
                let cpu = CpuArgs {
                    engine: None,
                    // No single dispatch is long: the limits apply to the launch.
                    watchdog: args.cpu.watchdog.filter(|_| device != "cpu"),
                    limit: args.cpu.limit.filter(|_| device != "cpu"),
                    strict_float: device == "cpu",
                    ..args.cpu
                };
                let adapter = device::select(device, &cpu)?;
                let opened = Device::open(&adapter)?.for_program(file);
                let (device, queue) = (opened.wgpu().clone(), opened.queue().clone());
                let options = gpu::InterpreterOptions::default()
                    .watchdog(watchdog(&args.cpu))
                    .limit(args.cpu.limit.and_then(TimeLimit::time));
                let interpreter = Interpreter::with_options(device, queue, options);
                let interpreter = pollster::block_on(interpreter)?;
                Ok(Self::Interpreter {
                    device: Box::new(opened),
                    interpreter: Box::new(interpreter),
                })
            }
        }
    }

    /// The name in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Virtual(_) => "virtual machine",
            Self::Interpreter { device, .. } => device.name(),
        }
    }

    /// Runs a kernel to completion.
    pub(super) fn run(
        &mut self,
        program: &Bytecode,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, Error> {
        match self {
            Self::Virtual(options) => Ok(vm::run_with(program, launch, *options, resources)?),
            Self::Interpreter {
                device,
                interpreter,
            } => {
                interpreter.load(program);
                let outcome = pollster::block_on(interpreter.run(launch, resources));
                // A lost device explains any error of the interpreter.
                device.check()?;
                Ok(outcome?)
            }
        }
    }
}

/// The time within which some thread must finish.
fn watchdog(cpu: &CpuArgs) -> Option<Duration> {
    cpu.watchdog.map_or(Some(DEFAULT_WATCHDOG), TimeLimit::time)
}
