//! Engines: what executes the kernels of a module.

#[cfg(feature = "gpu")]
use std::sync::Arc;

#[cfg(feature = "gpu")]
use crate::gpu::{Interpreter, InterpreterOptions};
#[cfg(feature = "compiled")]
use crate::pipeline::{CompiledExecutor, CompiledOptions};
#[cfg(feature = "gpu")]
use crate::runtime::LaunchError;
#[cfg(feature = "vm")]
use crate::vm::VmOptions;

/// What executes kernels. Cheap to clone; modules of one engine share its pipelines.
///
/// Engines give the same results, except where floats are not exact on a device.
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
    #[cfg(feature = "compiled")]
    Compiled {
        executor: Arc<CompiledExecutor>,
        /// Runs what the compiled tier does not take.
        fallback: Option<Box<Self>>,
    },
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

    /// Kernels compiled to compute pipelines of a wgpu device. A kernel is compiled when it is first
    /// launched. What this tier does not take is an error
    /// ([`LaunchError::NotCompiled`]), unless
    /// [`Self::with_fallback`] names another engine.
    ///
    /// Results are exact on devices whose floats are, such as Anywarp's CPU device with strict
    /// floats. Kernels with 64-bit numbers need the features `SHADER_INT64` and `SHADER_F64`.
    #[cfg(feature = "compiled")]
    pub fn compiled(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self::compiled_with(device, queue, CompiledOptions::default())
    }

    /// Kernels compiled to compute pipelines of a wgpu device, as [`Self::compiled`].
    #[cfg(feature = "compiled")]
    pub fn compiled_with(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: CompiledOptions,
    ) -> Self {
        let executor = Arc::new(CompiledExecutor::new(device, queue, options));
        Self {
            executor: Executor::Compiled {
                executor,
                fallback: None,
            },
        }
    }

    /// Sets the engine that runs the launches which the compiled tier does not take. Other engines
    /// take every launch, so nothing changes for them.
    #[cfg(feature = "compiled")]
    #[must_use]
    pub fn with_fallback(self, engine: Self) -> Self {
        match self.executor {
            Executor::Compiled { executor, .. } => Self {
                executor: Executor::Compiled {
                    executor,
                    fallback: Some(Box::new(engine.executor)),
                },
            },
            executor => Self { executor },
        }
    }
}
