//! The two machines that run a program, chosen by `--device` and `--engine`.

use std::time::Duration;

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::gpu::{self, Interpreter};
use anywarp_wasm::machine::{DEFAULT_WATCHDOG, Launch, Outcome, Resources};
use anywarp_wasm::vm;

use crate::cli::{CpuArgs, RunArgs, TimeLimit};
use crate::device::{self, Session};
use crate::engine::EngineChoice;
use crate::error::Error;

/// What runs a program.
pub(super) enum Machine {
    /// The CPU, directly, with limits on time.
    Virtual(vm::Options),
    /// The interpreter on a wgpu device, ours included.
    Interpreter {
        session: Box<Session>,
        interpreter: Box<Interpreter>,
    },
}

impl Machine {
    /// The machine that the command means.
    pub(super) fn choose(args: &RunArgs, file: &str) -> Result<Self, Error> {
        let engine = args.cpu.engine;
        match (args.device.as_str(), engine) {
            (_, Some(EngineChoice::Code | EngineChoice::Avx512 | EngineChoice::Avx2)) => {
                Err(Error::Argument {
                    option: "--engine",
                    reason: "kernels in WebAssembly take vm or interpret".to_owned(),
                })
            }
            ("cpu", None | Some(EngineChoice::Vm)) => Ok(Self::Virtual(vm::Options {
                watchdog: watchdog(&args.cpu),
                limit: args.cpu.limit.and_then(TimeLimit::time),
            })),
            (_, Some(EngineChoice::Vm)) => Err(Error::Argument {
                option: "--engine vm",
                reason: "the virtual machine is --device cpu".to_owned(),
            }),
            (device, _) => {
                // Which of the two interprets is said; who runs the one in WGSL is up to the device. Its floats are exact
                // whether or not products and sums are fused; strict ones take less to believe.
                let cpu = CpuArgs {
                    engine: None,
                    // No dispatch is long: the limits are for the launch.
                    watchdog: args.cpu.watchdog.filter(|_| device != "cpu"),
                    limit: args.cpu.limit.filter(|_| device != "cpu"),
                    strict_float: device == "cpu",
                    ..args.cpu
                };
                let adapter = device::select(device, &cpu)?;
                let session = Session::open(&adapter, file)?;
                let (device, queue) = (session.device.clone(), session.queue.clone());
                let options = gpu::Options {
                    watchdog: watchdog(&args.cpu),
                    limit: args.cpu.limit.and_then(TimeLimit::time),
                    ..gpu::Options::default()
                };
                let interpreter = Interpreter::with_options(device, queue, options);
                let interpreter = pollster::block_on(interpreter)?;
                Ok(Self::Interpreter {
                    session: Box::new(session),
                    interpreter: Box::new(interpreter),
                })
            }
        }
    }

    /// What it is called in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Virtual(_) => "virtual machine",
            Self::Interpreter { session, .. } => &session.name,
        }
    }

    /// Runs a kernel to its end.
    pub(super) fn run(
        &mut self,
        program: &Bytecode,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<Outcome, Error> {
        match self {
            Self::Virtual(options) => Ok(vm::run_with(program, launch, *options, resources)?),
            Self::Interpreter {
                session,
                interpreter,
            } => {
                interpreter.load(program);
                let outcome = pollster::block_on(interpreter.run(launch, resources));
                // A lost device explains whatever the interpreter says.
                session.check()?;
                Ok(outcome?)
            }
        }
    }
}

/// How long no thread may end.
fn watchdog(cpu: &CpuArgs) -> Option<Duration> {
    cpu.watchdog.map_or(Some(DEFAULT_WATCHDOG), TimeLimit::time)
}
