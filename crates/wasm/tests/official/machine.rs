//! What the suite needs of a machine, and the virtual machine as one.

use anywarp_wasm::bytecode::{Bytecode, Trap};
use anywarp_wasm::machine::{DEFAULT_WATCHDOG, InstanceLimits, InvokeError, Value};
use anywarp_wasm::vm::Instance;

/// Why a call gave no results.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The program trapped.
    Trap(Trap),
    /// The machine cannot run this; the assertion is skipped with this reason.
    Unable(String),
}

/// The suite has memories as large as any may be, and many modules in one program.
pub(crate) const LIMITS: InstanceLimits = InstanceLimits {
    max_pages: 1 << 16,
    max_total_pages: u32::MAX,
    watchdog: Some(DEFAULT_WATCHDOG),
};

/// A machine with one thread whose state stays between calls.
pub(crate) trait Machine {
    /// Takes a program that begins as the one before.
    fn extend(&mut self, program: &Bytecode) -> Result<(), String>;
    /// Runs a function by number.
    fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, Stop>;
    /// A slot of the globals.
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
