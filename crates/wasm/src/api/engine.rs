//! Engines: what executes the kernels of a module.

#[cfg(feature = "gpu")]
use std::sync::Arc;

#[cfg(feature = "gpu")]
use crate::gpu::{Interpreter, InterpreterOptions};
#[cfg(feature = "gpu")]
use crate::runtime::LaunchError;
#[cfg(feature = "vm")]
use crate::vm::VmOptions;

/// What executes kernels. Cheap to clone; modules of one engine share its pipelines.
///
/// Both engines interpret bytecode and give the same results.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(super) executor: Executor,
}

/// The executors behind an engine.
#[derive(Clone, Debug)]
pub(super) enum Executor {
    #[cfg(feature = "vm")]
    Vm(VmOptions),
    #[cfg(feature = "gpu")]
    GpuInterpreter(Arc<Interpreter>),
}

impl Engine {
    /// The virtual machine on the CPU, with default options.
    #[cfg(feature = "vm")]
    pub fn vm() -> Self {
        Self::vm_with(VmOptions::default())
    }

    /// The virtual machine on the CPU.
    #[cfg(feature = "vm")]
    pub fn vm_with(options: VmOptions) -> Self {
        Self {
            executor: Executor::Vm(options),
        }
    }

    /// The interpreter in WGSL on a wgpu device, with default options. It compiles its pipelines
    /// here; they run every module.
    ///
    /// # Errors
    ///
    /// If the device refuses the interpreter's shader.
    #[cfg(feature = "gpu")]
    pub async fn gpu_interpreter(
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self, LaunchError> {
        Self::gpu_interpreter_with(device, queue, InterpreterOptions::default()).await
    }

    /// The interpreter in WGSL on a wgpu device.
    ///
    /// # Errors
    ///
    /// If the device refuses the interpreter's shader, or an option is 0 that must not be.
    #[cfg(feature = "gpu")]
    pub async fn gpu_interpreter_with(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: InterpreterOptions,
    ) -> Result<Self, LaunchError> {
        let interpreter = Interpreter::with_options(device, queue, options).await?;
        Ok(Self {
            executor: Executor::GpuInterpreter(Arc::new(interpreter)),
        })
    }
}
