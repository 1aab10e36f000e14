//! The executor of the compiled tier: kernels as compute pipelines of a wgpu device.
//!
//! In: a module's bytes, a [`Launch`] and [`Resources`]. Out: a [`LaunchOutcome`], and the changed
//! resources. A kernel is compiled when it is first launched with a workgroup size, and kept.
//!
//! What always holds: a launch that this tier does not take is rejected ([`NotCompiled`]) before
//! anything has run, so that the caller can choose another tier with the same resources.

mod bind;
mod kernel;
mod outcome;
mod reason;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::compile::CompileOptions;
use crate::runtime::{
    Gpu, Grid, Launch, LaunchError, LaunchOutcome, MemoryMode, Resources, check_arguments,
    function_type,
};
use bind::Buffers;
use kernel::KernelPipeline;
pub(crate) use outcome::Source;
pub use reason::NotCompiled;

/// Options of the compiled tier.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompiledOptions {
    /// Options of the compiler.
    pub compile: CompileOptions,
}

impl CompiledOptions {
    /// Sets the options of the compiler.
    #[must_use]
    pub fn compile(self, compile: CompileOptions) -> Self {
        Self { compile, ..self }
    }
}

/// Runs compiled kernels on a device.
#[derive(Debug)]
pub(crate) struct CompiledExecutor {
    gpu: Gpu,
    options: CompiledOptions,
}

/// A module whose kernels are compiled when they are needed.
#[derive(Debug)]
pub(crate) struct CompiledModule {
    bytes: Arc<[u8]>,
    kernels: Mutex<HashMap<(String, [u32; 3]), CachedKernel>>,
}

/// A kernel's pipeline, or why it has none.
type CachedKernel = Arc<Result<KernelPipeline, NotCompiled>>;

/// Why a launch did not run to its end.
pub(crate) enum RunError {
    /// The tier does not take it; nothing has run.
    NotCompiled(NotCompiled),
    /// It was rejected or aborted.
    Launch(LaunchError),
}

impl From<NotCompiled> for RunError {
    fn from(reason: NotCompiled) -> Self {
        Self::NotCompiled(reason)
    }
}

impl From<LaunchError> for RunError {
    fn from(error: LaunchError) -> Self {
        Self::Launch(error)
    }
}

impl CompiledModule {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.into(),
            kernels: Mutex::default(),
        }
    }
}

impl CompiledExecutor {
    pub(crate) fn new(device: wgpu::Device, queue: wgpu::Queue, options: CompiledOptions) -> Self {
        let gpu = Gpu {
            device,
            queue,
            max_buffer_bytes: u64::MAX,
            staging: Arc::default(),
        };
        Self { gpu, options }
    }

    /// Compiles a kernel for a workgroup size, if that has not been done.
    pub(crate) async fn prepare(
        &self,
        module: &CompiledModule,
        name: &str,
        workgroup_size: [u32; 3],
    ) -> CachedKernel {
        let key = (name.to_owned(), workgroup_size);
        let kept = || {
            module
                .kernels
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(kernel) = kept().get(&key) {
            return Arc::clone(kernel);
        }
        let new = KernelPipeline::new(&self.gpu, &module.bytes, &key, &self.options.compile).await;
        let new = Arc::new(new);
        kept().insert(key, Arc::clone(&new));
        new
    }

    /// Runs a kernel over a grid.
    pub(crate) async fn run(
        &self,
        module: &CompiledModule,
        source: &Source<'_>,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, RunError> {
        let grid = Grid::new(launch)?;
        let program = source.program;
        let export = program
            .exports
            .iter()
            .rfind(|export| export.name == launch.kernel)
            .ok_or_else(|| LaunchError::UnknownKernel {
                name: launch.kernel.clone(),
                kernels: program
                    .exports
                    .iter()
                    .map(|export| export.name.clone())
                    .collect(),
            })?;
        let ty = function_type(program, export.function)?;
        check_arguments(&launch.kernel, ty, &launch.args)?;
        check_launch(launch)?;
        let cached = self
            .prepare(module, &launch.kernel, launch.workgroup_size)
            .await;
        let pipeline = cached.as_ref().as_ref().map_err(NotCompiled::clone)?;
        let buffers = Buffers::new(&self.gpu, pipeline, launch, &grid, resources)?;
        let status = buffers.run(&self.gpu, pipeline, &grid, resources).await?;
        Ok(outcome::outcome(
            &pipeline.kernel,
            &ty.results,
            &grid,
            &status,
            source,
        ))
    }
}

/// Refuses what only other tiers have.
fn check_launch(launch: &Launch) -> Result<(), NotCompiled> {
    if launch.memory != MemoryMode::Private {
        return Err(NotCompiled::SharedMemory);
    }
    if launch.fuel.is_some() {
        return Err(NotCompiled::Fuel);
    }
    Ok(())
}
