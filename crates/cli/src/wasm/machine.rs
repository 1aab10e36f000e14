//! The runtimes for kernels, chosen by `--tier`, `--device` and `--engine`: the virtual machine, the interpreter in
//! WGSL, and the compiled tier with one of them as its fallback.

use std::time::Duration;

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::gpu::{self, Interpreter};
use anywarp_wasm::runtime::{DEFAULT_WATCHDOG, Launch, LaunchError, LaunchOutcome, Resources};
use anywarp_wasm::vm;
use anywarp_wasm::{Engine, Module};

use super::Loaded;
use crate::cli::{CpuArgs, Float, RunArgs, Tier, TimeLimit};
use crate::console;
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
    /// The compiled tier on a wgpu device, which may be the CPU device.
    Compiled {
        device: Box<Device>,
        module: Module,
        /// Runs what the compiled tier does not take.
        fallback: Option<Box<Self>>,
    },
}

impl Machine {
    /// Selects the runtime for the command.
    pub(super) fn choose(args: &RunArgs, loaded: &Loaded) -> Result<Self, Error> {
        let has_module = loaded.bytes.starts_with(b"\0asm");
        match args.kernel.tier {
            None | Some(Tier::Bytecode) => Self::bytecode(args, args.cpu.engine, &loaded.name),
            Some(Tier::Compiled) if !has_module => Err(Error::Argument {
                option: "--tier compiled",
                reason: "the file is bytecode; give the .wasm file".to_owned(),
            }),
            Some(Tier::Compiled) => Self::compiled(args, loaded, None),
            Some(Tier::Auto) if !has_module => Self::bytecode(args, args.cpu.engine, &loaded.name),
            Some(Tier::Auto) => {
                // `--engine` selects how the device runs compiled kernels.
                let fallback = Self::bytecode(args, None, &loaded.name)?;
                Self::compiled(args, loaded, Some(Box::new(fallback)))
            }
        }
    }

    /// The compiled tier on the device of the command.
    fn compiled(
        args: &RunArgs,
        loaded: &Loaded,
        fallback: Option<Box<Self>>,
    ) -> Result<Self, Error> {
        let is_cpu = args.device == "cpu";
        let wrong = |option, reason: &str| Error::Argument {
            option,
            reason: reason.to_owned(),
        };
        if args.cpu.engine == Some(EngineChoice::Vm) {
            let reason = "the virtual machine runs bytecode: leave out --tier";
            return Err(wrong("--engine vm", reason));
        }
        if args.kernel.float == Some(Float::Exact) && !is_cpu {
            let reason = "drivers may fuse products and sums in compiled kernels; exact floats are \
                          those of --device cpu and of --tier bytecode";
            return Err(wrong("--float exact", reason));
        }
        let cpu = CpuArgs {
            strict_float: args.kernel.float != Some(Float::Fast),
            ..args.cpu
        };
        let adapter = device::select(&args.device, &cpu)?;
        let device = Device::open(&adapter)?.for_program(&loaded.name);
        let engine = Engine::compiled(device.wgpu().clone(), device.queue().clone());
        let module =
            Module::with_options(&engine, &loaded.bytes, &loaded.options).map_err(|error| {
                Error::Module {
                    file: loaded.name.clone(),
                    reason: error.to_string(),
                }
            })?;
        Ok(Self::Compiled {
            device: Box::new(device),
            module,
            fallback,
        })
    }

    /// The virtual machine, or the interpreter in WGSL.
    fn bytecode(args: &RunArgs, engine: Option<EngineChoice>, file: &str) -> Result<Self, Error> {
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
            Self::Interpreter { device, .. } | Self::Compiled { device, .. } => device.name(),
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
            Self::Compiled {
                device,
                module,
                fallback,
            } => {
                let kernel = module.kernel_of(launch)?;
                let outcome = pollster::block_on(kernel.run_async(resources));
                device.check()?;
                match (outcome, fallback) {
                    (Err(LaunchError::NotCompiled(reason)), Some(machine)) => {
                        if console::is_verbose() {
                            console::note(&format!(
                                "note: bytecode on {}: {reason}",
                                machine.name()
                            ));
                        }
                        machine.run(program, launch, resources)
                    }
                    (outcome, _) => Ok(outcome?),
                }
            }
        }
    }
}

/// The time within which some thread must finish.
fn watchdog(cpu: &CpuArgs) -> Option<Duration> {
    cpu.watchdog.map_or(Some(DEFAULT_WATCHDOG), TimeLimit::time)
}
