//! Kernels: an exported function, its arguments, its grid and its limits.

use super::Module;
use crate::bytecode::{FunctionType, Type};
use crate::runtime::{
    Launch, LaunchError, LaunchOutcome, MemoryMode, Resources, Value, check_arguments,
};

/// A launch of an exported function: a builder that can run any number of times.
///
/// ```
/// use anywarp_wasm::{Engine, Module, Resources};
///
/// let module = Module::new(&Engine::vm(), &wat::parse_str(
///     r#"(module (import "gpu" "atomic_add" (func $add (param i32 i32) (result i32)))
///         (func (export "count") (param i32)
///             (drop (call $add (i32.const 0) (local.get 0)))))"#,
/// )?)?;
/// let mut data = Resources::new().state(&[100]);
/// let kernel = module.kernel("count")?.args([2])?.workgroups([4, 1, 1]);
/// kernel.workgroup_size([64, 1, 1]).run(&mut data)?.ok()?;
/// assert_eq!(data.state, [612]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    export: usize,
    launch: Launch,
}

impl Kernel {
    pub(super) fn new(module: Module, export: usize) -> Self {
        let launch = Launch {
            kernel: module.export(export).name.clone(),
            ..Launch::default()
        };
        Self {
            module,
            export,
            launch,
        }
    }

    pub(super) fn with_launch(self, launch: Launch) -> Self {
        Self { launch, ..self }
    }

    fn ty(&self) -> &FunctionType {
        let program = self.module.program();
        let function = &program.functions[self.module.export(self.export).function as usize];
        &program.types[function.type_index as usize]
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.launch.kernel
    }

    /// The types of its parameters.
    pub fn params(&self) -> &[Type] {
        &self.ty().params
    }

    /// The types of its results.
    pub fn results(&self) -> &[Type] {
        &self.ty().results
    }

    /// The buffers that it uses, as group and binding; `None` if it chooses them at run time.
    pub fn bindings(&self) -> Option<impl Iterator<Item = (u16, u16)>> {
        let bindings = self.module.bindings(self.export);
        (!bindings.is_open).then(|| bindings.named.iter().copied())
    }

    /// Sets the arguments, which are the same for every thread.
    ///
    /// # Errors
    ///
    /// If their number or a type is not that of the parameters.
    pub fn args<V: Into<Value>>(
        mut self,
        args: impl IntoIterator<Item = V>,
    ) -> Result<Self, LaunchError> {
        self.launch.args = args.into_iter().map(Into::into).collect();
        check_arguments(self.name(), self.ty(), &self.launch.args)?;
        Ok(self)
    }

    /// Sets the number of workgroups in each dimension; 1 by default.
    #[must_use]
    pub fn workgroups(mut self, workgroups: [u32; 3]) -> Self {
        self.launch.workgroups = workgroups;
        self
    }

    /// Sets the workgroup size in each dimension; 1 by default, and 65,536 threads at most.
    #[must_use]
    pub fn workgroup_size(mut self, size: [u32; 3]) -> Self {
        self.launch.workgroup_size = size;
        self
    }

    /// Runs only the threads with a lower linear index than this.
    #[must_use]
    pub fn threads(mut self, threads: u32) -> Self {
        self.launch.threads = Some(threads);
        self
    }

    /// Sets whether threads share their linear memory; each has its own by default.
    #[must_use]
    pub fn memory(mut self, memory: MemoryMode) -> Self {
        self.launch.memory = memory;
        self
    }

    /// Sets the maximum pages of 64 KiB of a memory; 4,096 by default.
    #[must_use]
    pub fn max_pages(mut self, pages: u32) -> Self {
        self.launch.max_pages = pages;
        self
    }

    /// Sets the maximum pages of all threads that run at the same time; 65,536 by default.
    #[must_use]
    pub fn max_total_pages(mut self, pages: u32) -> Self {
        self.launch.max_total_pages = pages;
        self
    }

    /// Sets the slots of 32 bits of each thread's call stack; 4,096 by default.
    #[must_use]
    pub fn stack_slots(mut self, slots: u32) -> Self {
        self.launch.stack_slots = slots;
        self
    }

    /// Sets how much work a thread may do before it traps; unlimited by default.
    #[must_use]
    pub fn fuel(mut self, fuel: u64) -> Self {
        self.launch.fuel = Some(fuel);
        self
    }

    /// Compiles the kernel for its workgroup size, if the engine compiles kernels and has not done so.
    /// `None` if it does not; an error is the reason why another tier runs the kernel.
    #[cfg(feature = "compiled")]
    pub async fn prepare(&self) -> Option<Result<(), crate::NotCompiled>> {
        let Launch {
            kernel,
            workgroup_size,
            ..
        } = &self.launch;
        self.module.prepare(kernel, *workgroup_size).await
    }

    /// Runs the kernel, and blocks until it has ended. Traps of threads are in the outcome:
    /// [`LaunchOutcome::ok`] turns them into an error.
    ///
    /// In a browser a GPU engine cannot block: use [`Self::run_async`].
    ///
    /// # Errors
    ///
    /// If the launch is rejected, or aborted by a limit or the device. After an abort the resources
    /// have what was written until then on the virtual machine, and are unchanged on a device.
    pub fn run(&self, data: &mut Resources) -> Result<LaunchOutcome, LaunchError> {
        #[cfg(target_arch = "wasm32")]
        if self.module.must_wait() {
            return Err(LaunchError::Blocking);
        }
        pollster::block_on(self.run_async(data))
    }

    /// As [`Self::run`], for asynchronous callers. The virtual machine runs within the first poll.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub async fn run_async(&self, data: &mut Resources) -> Result<LaunchOutcome, LaunchError> {
        self.check_bindings(data)?;
        self.module.launch(&self.launch, data).await
    }

    /// An error if a buffer is missing that the kernel uses.
    fn check_bindings(&self, data: &Resources) -> Result<(), LaunchError> {
        let used = &self.module.bindings(self.export).named;
        let is_missing = |place: &&(u16, u16)| !data.buffers.contains_key(place);
        match used.iter().find(is_missing) {
            Some(&(group, binding)) => Err(LaunchError::MissingBinding {
                kernel: self.name().to_owned(),
                group,
                binding,
                bound: data.buffers.keys().copied().collect(),
            }),
            None => Ok(()),
        }
    }
}
