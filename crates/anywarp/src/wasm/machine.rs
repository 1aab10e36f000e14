//! The two machines that run a program, chosen by `--device` and `--engine`.

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::gpu::Interpreter;
use anywarp_wasm::machine::{Launch, Outcome, Resources};
use anywarp_wasm::vm;

use crate::cli::{KernelEngine, RunArgs};
use crate::device::{self, Session};
use crate::error::Error;

/// What runs a program.
pub(super) enum Machine {
    /// The CPU, directly.
    Virtual,
    /// The interpreter on a wgpu device, ours included.
    Interpreter {
        session: Box<Session>,
        interpreter: Box<Interpreter>,
    },
}

impl Machine {
    /// The machine that the command means.
    pub(super) fn choose(args: &RunArgs, file: &str) -> Result<Self, Error> {
        let engine = args.kernel.engine;
        match (args.device.as_str(), engine) {
            ("cpu", None | Some(KernelEngine::Vm)) if args.watchdog.is_some() => {
                Err(Error::Argument {
                    option: "--watchdog",
                    reason: "the virtual machine counts instructions: give --fuel".to_owned(),
                })
            }
            ("cpu", None | Some(KernelEngine::Vm)) => Ok(Self::Virtual),
            (_, Some(KernelEngine::Vm)) => Err(Error::Argument {
                option: "--engine vm",
                reason: "the virtual machine is --device cpu".to_owned(),
            }),
            (device, _) => {
                let adapter = device::select(device, args.watchdog)?;
                let session = Session::open(&adapter, file)?;
                let (device, queue) = (session.device.clone(), session.queue.clone());
                let interpreter = pollster::block_on(Interpreter::new(device, queue))?;
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
            Self::Virtual => "virtual machine",
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
            Self::Virtual => Ok(vm::run(program, launch, resources)?),
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
