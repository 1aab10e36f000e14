//! The interface of an executor that the suite needs, and the virtual machine as one.

use anywarp_wasm::bytecode::{Bytecode, Trap};
use anywarp_wasm::runtime::{DEFAULT_WATCHDOG, InstanceLimits, InvokeError, Value};
use anywarp_wasm::vm::Instance;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The program trapped.
    Trap(Trap),
    /// The executor does not support this; the assertion is skipped with this reason.
    Unable(String),
}

/// The suite has memories of the maximum size, and many modules in one program.
pub(crate) const LIMITS: InstanceLimits = InstanceLimits {
    max_pages: 1 << 16,
    max_total_pages: u32::MAX,
    watchdog: Some(DEFAULT_WATCHDOG),
};

/// An executor with one thread and persistent state.
pub(crate) trait Machine {
    /// Extends the program; see [`Translator`](anywarp_wasm::Translator).
    fn extend(&mut self, program: &Bytecode) -> Result<(), String>;
    /// Calls a function by index.
    fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, Stop>;
    /// Reads a slot of the globals.
    fn global(&mut self, slot: u32) -> u32;
}

/// The virtual machine.
#[derive(Default)]
pub(crate) struct VirtualMachine {
    instance: Option<Instance>,
}

impl Machine for VirtualMachine {
    fn extend(&mut self, program: &Bytecode) -> Result<(), String> {
        let done = match &mut self.instance {
            Some(instance) => instance.extend(program),
            None => {
                let instance = Instance::with_limits(program, LIMITS);
                instance.map(|instance| self.instance = Some(instance))
            }
        };
        done.map_err(|error| error.to_string())
    }

    fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, Stop> {
        let instance = self.instance.as_mut().expect("a program");
        instance
            .invoke(function, args)
            .map_err(|error| match error {
                InvokeError::Trap(trap) => Stop::Trap(trap),
                error => Stop::Unable(error.to_string()),
            })
    }

    fn global(&mut self, slot: u32) -> u32 {
        let instance = self.instance.as_ref();
        instance
            .and_then(|instance| instance.global(slot))
            .expect("a global")
    }
}
