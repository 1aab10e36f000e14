//! The interpreter on a device: its pipelines and the loaded program.
//!
//! In: a device, then a program, then launches. Out: their results. Pipelines are compiled once; a
//! launch itself is in `launch`.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::bytecode::Bytecode;
use crate::runtime::{
    DEFAULT_WATCHDOG, Files, Grid, Launch, LaunchError, LaunchOutcome, MemoryMode, Resources, check,
};

use super::launch::LaunchState;
use super::layout::Layout;
use super::pipelines::Pipelines;
use super::shader::MemoryKind;
use crate::runtime::Gpu;

/// Maximum threads of a workgroup: one invocation of the `schedule` pass handles all of them.
const MAX_GROUP_THREADS: u32 = 1 << 14;

/// Options of the GPU interpreter.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InterpreterOptions {
    /// Instructions of a thread in one dispatch, iterations of loops inside instructions included.
    /// Some drivers silently end loops after 65,535 iterations, so it should stay below that.
    pub slice: u32,
    /// Capacity of the host call ring: with more pending host calls, threads retry later.
    pub ring: u32,
    /// Limit on the size of a buffer in bytes, to lower the device's own limit. Launches that need
    /// more run in waves.
    pub max_buffer_bytes: u64,
    /// The watchdog: a launch is aborted if no thread has ended for this long; 10 seconds by
    /// default, `None` disables it. Wall-clock time; with more than 1,024 threads proportionally
    /// longer: they run concurrently, so each of them ends later.
    pub watchdog: Option<Duration>,
    /// The maximum time of a launch; unlimited by default.
    pub limit: Option<Duration>,
}

impl Default for InterpreterOptions {
    fn default() -> Self {
        Self {
            slice: 1 << 14,
            ring: 256,
            max_buffer_bytes: u64::MAX,
            watchdog: Some(DEFAULT_WATCHDOG),
            limit: None,
        }
    }
}

impl InterpreterOptions {
    /// Sets the instructions of a thread in one dispatch.
    #[must_use]
    pub fn slice(self, slice: u32) -> Self {
        Self { slice, ..self }
    }

    /// Sets the capacity of the host call ring.
    #[must_use]
    pub fn ring(self, ring: u32) -> Self {
        Self { ring, ..self }
    }

    /// Sets a limit on the size of a buffer in bytes.
    #[must_use]
    pub fn max_buffer_bytes(self, max_buffer_bytes: u64) -> Self {
        Self {
            max_buffer_bytes,
            ..self
        }
    }

    /// Sets the watchdog; `None` disables it.
    #[must_use]
    pub fn watchdog(self, watchdog: impl Into<Option<Duration>>) -> Self {
        Self {
            watchdog: watchdog.into(),
            ..self
        }
    }

    /// Sets the maximum time of a launch; `None` is unlimited.
    #[must_use]
    pub fn limit(self, limit: impl Into<Option<Duration>>) -> Self {
        Self {
            limit: limit.into(),
            ..self
        }
    }
}

/// The bytecode interpreter on a wgpu device.
#[derive(Debug)]
pub struct Interpreter {
    pub(super) gpu: Gpu,
    pub(super) options: InterpreterOptions,
    private: Pipelines,
    shared: OnceLock<Pipelines>,
    pub(super) loaded: LoadedProgram,
}

/// A program on the device.
#[derive(Debug)]
pub struct LoadedProgram {
    pub(super) program: Arc<Bytecode>,
    pub(super) layout: Layout,
    /// The program buffer, or an error if the device has not enough memory.
    pub(super) buffer: Result<wgpu::Buffer, LaunchError>,
}

impl Interpreter {
    /// Creates an interpreter with default options. Compiles the pipelines.
    pub async fn new(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, LaunchError> {
        Self::with_options(device, queue, InterpreterOptions::default()).await
    }

    /// Creates an interpreter. Compiles the pipelines.
    pub async fn with_options(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: InterpreterOptions,
    ) -> Result<Self, LaunchError> {
        for (name, value) in [("slice", options.slice), ("ring", options.ring)] {
            if value == 0 {
                let what = format!("the interpreter's option `{name}` is 0: nothing would run");
                return Err(LaunchError::Device { what });
            }
        }
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let private = Pipelines::new(&device, MemoryKind::Private);
        if let Some(error) = scope.pop().await {
            let what = format!("the interpreter is rejected: {error}");
            return Err(LaunchError::Device { what });
        }
        let gpu = Gpu {
            device,
            queue,
            max_buffer_bytes: options.max_buffer_bytes,
            staging: Arc::default(),
        };
        let loaded = LoadedProgram {
            program: Arc::default(),
            layout: Layout::default(),
            buffer: gpu.storage("the program", 0),
        };
        Ok(Self {
            gpu,
            options,
            private,
            shared: OnceLock::new(),
            loaded,
        })
    }

    /// Loads the program that launches run from now on. Its words are uploaded at once; if the
    /// device has not enough memory for them, launches return the error.
    pub fn load(&mut self, program: &Bytecode) {
        let buffer = self.loaded.buffer.as_ref().ok().cloned();
        self.loaded = self.upload(Arc::new(program.clone()), buffer);
    }

    /// Uploads a program, which any number of launches run. If the device has not enough memory
    /// for it, launches return the error.
    pub fn prepare(&self, program: Arc<Bytecode>) -> LoadedProgram {
        self.upload(program, None)
    }

    /// Uploads a program, to the given buffer if that is large enough.
    fn upload(&self, program: Arc<Bytecode>, buffer: Option<wgpu::Buffer>) -> LoadedProgram {
        let (layout, buffer) = match Layout::new(&program) {
            Ok(layout) => {
                let words = layout.words.len() as u64;
                let buffer = buffer.filter(|buffer| buffer.size() / 4 >= words);
                let new = || self.gpu.storage("the program", words);
                (layout, buffer.map_or_else(new, Ok))
            }
            Err(error) => (Layout::default(), Err(error)),
        };
        if let Ok(buffer) = &buffer {
            self.gpu.write(buffer, 0, &layout.words);
        }
        LoadedProgram {
            program,
            layout,
            buffer,
        }
    }

    pub(super) fn private(&self) -> &Pipelines {
        &self.private
    }

    pub(super) fn shared_pipelines(&self) -> &Pipelines {
        self.shared
            .get_or_init(|| Pipelines::new(&self.gpu.device, MemoryKind::Shared))
    }

    /// Runs a kernel of the loaded program over a grid.
    pub async fn run(
        &self,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        self.run_program(&self.loaded, launch, resources).await
    }

    /// Runs a kernel of a program over a grid.
    pub async fn run_program(
        &self,
        program: &LoadedProgram,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        let files = Files::open(&resources.folders)?;
        let grid = Grid::new(launch)?;
        if grid.group_threads() > MAX_GROUP_THREADS {
            let what = format!("workgroups have at most {MAX_GROUP_THREADS} threads on GPUs");
            return Err(LaunchError::Device { what });
        }
        let kernel = check(&program.program, launch, &grid, resources)?;
        let mut running = LaunchState::new(self, program, launch, grid, files, kernel)?;
        match launch.memory {
            MemoryMode::Private => running.private(kernel.launch, resources).await?,
            MemoryMode::Shared { stack } => {
                running.shared(kernel.function, stack, resources).await?;
            }
        }
        Ok(running.finish())
    }
}
