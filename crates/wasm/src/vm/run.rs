//! Launches: run a kernel over a grid.
//!
//! In: a program, a [`Launch`] and [`Resources`]. Out: a [`LaunchOutcome`], and the changed
//! resources, also if the launch is aborted because it takes too long or runs out of memory.
//! Workgroups run in parallel on rayon's thread pool; the threads of a workgroup are scheduled
//! cooperatively on one OS thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::bytecode::Bytecode;
use crate::runtime::{
    DEFAULT_WATCHDOG, Files, Grid, Launch, LaunchError, LaunchOutcome, MemoryMode, Resources,
    ThreadEnd, ThreadIds, Value, check, function_type,
};

use super::alloc::with_capacity;
use super::budget::MemoryBudget;
use super::clock;
use super::group::{Group, Progress, Worker};
use super::memory::{Memory, PrivateMemory, SharedMemory};
use super::plan::{MemoryPlan, Reuse};
use super::program::Program;
use super::provider::{MemoryInit, MemoryProvider, PrivateMemories, SharedMemories, Stacks};
use super::resources::{GroupMemory, SharedResources};
use super::schedule::{Schedule, Task};
use super::thread::{Thread, ThreadParts, stack};

/// Options of the virtual machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VmOptions {
    /// The watchdog: a launch is aborted if a thread has run for this long while no thread of the
    /// launch has ended; 10 seconds by default, `None` disables it. It is checked when a thread has
    /// executed about a million back edges and calls. CPU time, on systems that have it (all but
    /// Windows), so other load on a busy system does not count.
    pub watchdog: Option<Duration>,
    /// The maximum CPU time of a launch on any single core; unlimited by default.
    pub limit: Option<Duration>,
}

impl Default for VmOptions {
    fn default() -> Self {
        Self {
            watchdog: Some(DEFAULT_WATCHDOG),
            limit: None,
        }
    }
}

impl VmOptions {
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

/// Runs a kernel over a grid, with default options.
pub fn run(
    program: &Bytecode,
    launch: &Launch,
    resources: &mut Resources,
) -> Result<LaunchOutcome, LaunchError> {
    run_with(program, launch, VmOptions::default(), resources)
}

/// Runs a kernel over a grid.
pub fn run_with(
    program: &Bytecode,
    launch: &Launch,
    options: VmOptions,
    resources: &mut Resources,
) -> Result<LaunchOutcome, LaunchError> {
    Executable::new(Arc::new(program.clone())).run(launch, options, resources)
}

/// A program that is decoded once, for any number of launches.
pub struct Executable {
    source: Arc<Bytecode>,
    private: Decoded<PrivateMemory>,
    shared: Decoded<SharedMemory>,
}

/// The decoded program for one kind of memory, or why it is invalid.
type Decoded<M> = OnceLock<Result<Arc<Program<M>>, LaunchError>>;

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable").finish_non_exhaustive()
    }
}

impl Executable {
    /// An executable of a program. It is decoded when a launch needs it.
    pub fn new(source: Arc<Bytecode>) -> Self {
        Self {
            source,
            private: OnceLock::new(),
            shared: OnceLock::new(),
        }
    }

    /// Decodes the program for threads with private memories.
    pub fn decode(&self) {
        let _decoded = self.decoded(&self.private);
    }

    fn decoded<M: Memory>(&self, cell: &Decoded<M>) -> Result<Arc<Program<M>>, LaunchError> {
        let decode = || Program::new(&self.source).map(Arc::new);
        cell.get_or_init(decode).clone()
    }

    /// Runs a kernel over a grid.
    pub fn run(
        &self,
        launch: &Launch,
        options: VmOptions,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        let source = &*self.source;
        let files = Files::open(&resources.folders)?;
        let grid = Grid::new(launch)?;
        let export = check(source, launch, &grid, resources)?;
        match launch.memory {
            MemoryMode::Private => {
                let program = self.decoded(&self.private)?;
                let kernel = Kernel::new(program, launch, options, grid, export.launch)?;
                kernel.run(files, resources, |init| {
                    PrivateMemories::new(source, launch, init.growth)
                })
            }
            MemoryMode::Shared { stack } => {
                let pointer = source
                    .stack_pointer
                    .filter(|&slot| slot < source.globals)
                    .ok_or(LaunchError::NoStackPointer)?;
                let program = self.decoded(&self.shared)?;
                let kernel = Kernel::new(program, launch, options, grid, export.function)?;
                let stacks = Stacks::new(pointer, stack, grid.threads)?;
                kernel.run(files, resources, |init| SharedMemories::new(init, stacks))
            }
        }
    }
}

/// A checked and decoded kernel.
struct Kernel<'a, M: Memory> {
    program: Arc<Program<M>>,
    launch: &'a Launch,
    options: VmOptions,
    grid: Grid,
    function: u32,
}

impl<'a, M: Memory> Kernel<'a, M> {
    fn new(
        program: Arc<Program<M>>,
        launch: &'a Launch,
        options: VmOptions,
        grid: Grid,
        function: u32,
    ) -> Result<Self, LaunchError> {
        function_type(&program.source, function)?;
        Ok(Self {
            program,
            launch,
            options,
            grid,
            function,
        })
    }

    /// Runs all workgroups; `memories` initializes the memories first.
    fn run<S: MemoryProvider<M> + 'static>(
        self,
        files: Files,
        resources: &mut Resources,
        memories: impl FnOnce(MemoryInit<'_, M>) -> Result<S, LaunchError>,
    ) -> Result<LaunchOutcome, LaunchError> {
        let shared = Arc::new(SharedResources::new(self.grid, files, resources));
        let MemoryPlan {
            limits,
            growth,
            reuse,
        } = MemoryPlan::new(&self.program.source, self.launch, &self.grid);
        let init = MemoryInit {
            program: &self.program,
            launch: self.launch,
            options: self.options,
            threads: self.grid.threads,
            resources: &shared,
            growth: &growth,
        };
        let ends = memories(init).and_then(|memories| {
            let state = LaunchState {
                program: Arc::clone(&self.program),
                resources: Arc::clone(&shared),
                grid: self.grid,
                function: self.function,
                args: self
                    .launch
                    .args
                    .iter()
                    .flat_map(|value| value.slots())
                    .collect(),
                stack_slots: self.launch.stack_slots,
                fuel: self.launch.fuel,
                options: self.options,
                ended: AtomicU64::new(0),
                growth: growth.share(),
                reuse,
                memories: Box::new(memories),
                schedule: Schedule::new(self.grid.groups(), limits),
            };
            state.run()
        });
        let shared = Arc::into_inner(shared).expect("every thread has ended and is gone");
        let printed = shared.give_back(resources);
        Ok(LaunchOutcome {
            threads: ends?,
            printed,
            instructions: None,
        })
    }
}

/// The state of a launch that all cores share.
pub(super) struct LaunchState<M: Memory> {
    pub(super) program: Arc<Program<M>>,
    pub(super) resources: Arc<SharedResources>,
    pub(super) grid: Grid,
    function: u32,
    args: Vec<u32>,
    stack_slots: u32,
    fuel: Option<u64>,
    pub(super) options: VmOptions,
    /// Number of threads that have ended.
    pub(super) ended: AtomicU64,
    pub(super) growth: MemoryBudget,
    pub(super) reuse: Reuse,
    memories: Box<dyn MemoryProvider<M>>,
    schedule: Schedule<M>,
}

impl<M: Memory> LaunchState<M> {
    /// Runs all workgroups; returns how each thread ended, by linear index.
    fn run(self) -> Result<Vec<ThreadEnd>, LaunchError> {
        let ends = with_capacity(self.grid.threads as usize, "the threads' results")?;
        let ends = Mutex::new(ends);
        let cores = rayon::current_num_threads();
        let workers = cores.min(self.grid.groups() as usize);
        rayon::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|_| self.work(&ends));
            }
        });
        if let Some(error) = self.schedule.failure() {
            return Err(error);
        }
        let mut ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
        ends.sort_unstable_by_key(|(number, _)| *number);
        Ok(ends.into_iter().map(|(_, end)| end).collect())
    }

    /// The loop of each core: takes and runs one workgroup after the other.
    fn work(&self, ends: &Mutex<Vec<(u32, ThreadEnd)>>) {
        let mut worker = Worker {
            pool: Vec::new(),
            begun: clock::now(),
        };
        let queue = &self.resources.queue;
        while let Some(task) = self.schedule.next(queue) {
            let mut group = match task {
                Task::Begin(number) => Group::new(number, self),
                Task::Continue(group) => group,
            };
            let mut progress = group.run(self, &mut worker);
            if self.reuse == Reuse::Nothing {
                worker.pool.clear();
            }
            if let Err(error) = self.check_limit(&worker) {
                self.fail(error);
                progress = Progress::Aborted;
            }
            match progress {
                Progress::Finished => {
                    let mut all = ends.lock().unwrap_or_else(PoisonError::into_inner);
                    all.append(&mut group.ends);
                    drop(all);
                    self.schedule.finished();
                }
                Progress::NeedsWork => self.schedule.needs_work(group),
                Progress::Paused => self.schedule.paused(group),
                Progress::Aborted => self.schedule.finished(),
            }
        }
    }

    /// An error if this core has exceeded the launch's time limit.
    pub(super) fn check_limit(&self, worker: &Worker<M>) -> Result<(), LaunchError> {
        match self.options.limit {
            Some(limit) if clock::now().saturating_sub(worker.begun) > limit => {
                Err(LaunchError::TooMuchWork {
                    ended: self.ended.load(Ordering::Relaxed),
                    threads: self.grid.threads,
                    limit,
                })
            }
            _ => Ok(()),
        }
    }

    /// Creates or reuses a thread.
    pub(super) fn thread(
        &self,
        ids: ThreadIds,
        group: &Arc<GroupMemory>,
        worker: &mut Worker<M>,
    ) -> Result<Box<Thread<M>>, LaunchError> {
        let mut thread = match worker.pool.pop() {
            Some(mut thread) => {
                self.memories.renew(&ids, &mut thread)?;
                thread.renew(ids, group, self.fuel);
                thread
            }
            None => {
                let (memory, memories, store) = self.memories.make(&ids)?;
                Box::new(Thread::new(ThreadParts {
                    memory,
                    memories,
                    store,
                    program: Arc::clone(&self.program),
                    resources: Arc::clone(&self.resources),
                    group: Arc::clone(group),
                    ids,
                    stack: stack(self.stack_slots)?,
                    fuel: self.fuel,
                }))
            }
        };
        thread.enter(self.function, self.args.iter().copied());
        Ok(thread)
    }

    /// Decodes the results from a thread's first slots.
    pub(super) fn results(&self, slots: &[u32]) -> Vec<Value> {
        let source = &self.program.source;
        let ty = function_type(source, self.function);
        ty.map_or_else(|_| Vec::new(), |ty| Value::from_slots(&ty.results, slots))
    }

    /// Wakes idle cores if there is work for them. Returns whether the launch was aborted.
    pub(super) fn wake_idle(&self) -> bool {
        self.schedule.wake_idle(&self.resources.queue);
        self.schedule.has_failed()
    }

    /// Aborts the launch.
    pub(super) fn fail(&self, error: LaunchError) {
        self.schedule.fail(error);
    }

    pub(super) fn queue_is_closed(&self) -> bool {
        self.schedule.queue_is_closed()
    }
}
