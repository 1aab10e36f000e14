//! The GPU interpreter as an executor of the suite.

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::gpu::{Instance, Interpreter, InvokeError};
use anywarp_wasm::runtime::Value;

use super::executor::{LIMITS, Machine, Stop};

/// An instance on a device. The interpreter lives as long as the tests.
pub(crate) struct GpuMachine {
    interpreter: &'static Interpreter,
    instance: Option<Instance<'static>>,
}

impl GpuMachine {
    pub(crate) fn new(interpreter: &'static Interpreter) -> Self {
        Self {
            interpreter,
            instance: None,
        }
    }
}

impl Machine for GpuMachine {
    fn extend(&mut self, program: &Bytecode) -> Result<(), String> {
        let done = match &mut self.instance {
            Some(instance) => instance.extend(program),
            None => {
                let instance = Instance::with_limits(self.interpreter, program, LIMITS);
                instance.map(|instance| self.instance = Some(instance))
            }
        };
        done.map_err(|error| error.to_string())
    }

    fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, Stop> {
        let instance = self.instance.as_mut().expect("a program");
        match pollster::block_on(instance.invoke(function, args)) {
            Ok(values) => Ok(values),
            Err(InvokeError::Trap(trap)) => Err(Stop::Trap(trap)),
            Err(error) => Err(Stop::Unable(error.to_string())),
        }
    }

    fn global(&mut self, slot: u32) -> u32 {
        let instance = self.instance.as_ref().expect("a program");
        let global = pollster::block_on(instance.global(slot));
        global.expect("a device").expect("a global")
    }
}
