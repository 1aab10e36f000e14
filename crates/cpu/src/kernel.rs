//! The choice of engine: the one place that knows which executors exist.
//!
//! Today every kernel is interpreted. A kernel in machine code becomes a second variant here, and
//! nothing outside this module changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anywarp_interpret::{
    self as interpret, Arguments, Fault, KernelError, Limits, Resource, SubgroupSize,
};
use anywarp_program::Program;

/// A compute entry point in executable form. Immutable and shared by any number of runners.
#[derive(Debug)]
pub struct Kernel {
    engine: Engine,
    /// Nanoseconds that a workgroup took when somebody last looked; zero before that.
    pace: AtomicU64,
}

#[derive(Debug)]
enum Engine {
    Interpreter(interpret::Kernel),
}

impl Kernel {
    /// Prepares a compute entry point of a program without overrides
    /// (see [`Program::specialize`]).
    pub fn new(program: &Program, entry_point: &str) -> Result<Self, KernelError> {
        let kernel = interpret::Kernel::new(program, entry_point)?;
        Ok(Self {
            engine: Engine::Interpreter(kernel),
            pace: AtomicU64::new(0),
        })
    }

    /// The same kernel with subgroups of another size.
    pub fn with_subgroup_size(self, size: SubgroupSize) -> Self {
        let engine = match self.engine {
            Engine::Interpreter(kernel) => Engine::Interpreter(kernel.with_subgroup_size(size)),
        };
        Self { engine, ..self }
    }

    /// The entry point's name.
    pub fn name(&self) -> &str {
        match &self.engine {
            Engine::Interpreter(kernel) => kernel.name(),
        }
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        match &self.engine {
            Engine::Interpreter(kernel) => kernel.workgroup_size(),
        }
    }

    /// The buffers that the entry point uses, in the order in which
    /// [`Arguments::buffers`] must give them.
    pub fn resources(&self) -> &[Resource] {
        match &self.engine {
            Engine::Interpreter(kernel) => kernel.resources(),
        }
    }

    /// The time that one workgroup is expected to take, where earlier dispatches tell.
    pub(crate) fn pace(&self) -> Option<Duration> {
        let nanoseconds = self.pace.load(Ordering::Relaxed);
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Remembers how long some workgroups took. The last to say so is believed.
    pub(crate) fn set_pace(&self, elapsed: Duration, workgroups: u64) {
        let nanoseconds = elapsed.as_nanos() / u128::from(workgroups.max(1));
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX).max(1);
        self.pace.store(nanoseconds, Ordering::Relaxed);
    }
}

/// A kernel with what one thread needs to run it: registers and workgroup memory.
#[derive(Debug)]
pub struct Runner<'k> {
    kernel: &'k Kernel,
    state: State<'k>,
}

#[derive(Debug)]
enum State<'k> {
    Interpreter(interpret::Worker<'k>),
}

impl<'k> Runner<'k> {
    /// Makes room for one workgroup.
    pub fn new(kernel: &'k Kernel) -> Self {
        let state = match &kernel.engine {
            Engine::Interpreter(kernel) => State::Interpreter(interpret::Worker::new(kernel)),
        };
        Self { kernel, state }
    }

    /// The kernel that it runs.
    pub fn kernel(&self) -> &'k Kernel {
        self.kernel
    }

    /// Runs one workgroup to its end.
    pub(crate) fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroup_id: [u32; 3],
        limits: &Limits<'_>,
    ) -> Result<(), Fault> {
        match &mut self.state {
            State::Interpreter(worker) => worker.run(arguments, workgroup_id, limits),
        }
    }
}
