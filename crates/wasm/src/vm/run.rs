//! Launches: run a kernel over a grid.
//!
//! In: a program, a [`Launch`] and [`Resources`]. Out: a [`LaunchOutcome`], and the changed
//! resources, also if the launch is aborted because it takes too long or runs out of memory.
//! Workgroups run in parallel on rayon's thread pool; the threads of a workgroup are scheduled
//! cooperatively on one OS thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bytecode::{Bytecode, Host, Instruction, Op};
use crate::runtime::{
    DEFAULT_WATCHDOG, Files, Footprint, Grid, Launch, LaunchError, LaunchOutcome, MAX_PAGES,
    MemoryMode, Resources, ThreadEnd, ThreadIds, WasmValue, check, function_type,
};

use super::alloc::with_capacity;
use super::budget::MemoryBudget;
use super::clock;
use super::group::{Group, Progress, Worker, still_running};
use super::instance::private;
use super::memory::{Memory, PAGE, Private, Shared};
use super::program::Program;
use super::resources::{GroupMemory, SharedResources};
use super::schedule::{Schedule, Task, WorkgroupLimits};
use super::thread::{Stop, Store, Thread, ThreadParts, Wait, stack};

/// Bytes that suspended workgroups may occupy before no more are started.
const MAX_SUSPENDED_BYTES: u64 = 1 << 30;

/// Options of the virtual machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    let files = Files::open(&resources.folders)?;
    let grid = Grid::new(launch)?;
    let export = check(program, launch, &grid, resources)?;
    match launch.memory {
        MemoryMode::Private => {
            let kernel = Kernel::new(program, launch, options, grid, export.launch)?;
            kernel.run(files, resources, |init| {
                PrivateMemories::new(program, launch, init.growth)
            })
        }
        MemoryMode::Shared { stack } => {
            let pointer = program.stack_pointer.filter(|&slot| slot < program.globals);
            let pointer = pointer.ok_or(LaunchError::NoStackPointer)?;
            let kernel = Kernel::new(program, launch, options, grid, export.function)?;
            let stacks = Stacks::new(pointer, stack, grid.threads)?;
            kernel.run(files, resources, |init| SharedMemories::new(init, stacks))
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
        program: &Bytecode,
        launch: &'a Launch,
        options: VmOptions,
        grid: Grid,
        function: u32,
    ) -> Result<Self, LaunchError> {
        function_type(program, function)?;
        let program = Arc::new(Program::new(program)?);
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
        } = self.memory_plan();
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

impl<M: Memory> Kernel<'_, M> {
    /// Divides the launch's memory limit: how many workgroups may be resident, and the budget for
    /// growing. The initial memory of a resident workgroup is never available to the growth of
    /// another.
    fn memory_plan(&self) -> MemoryPlan {
        let footprint = Footprint::new(&self.program.source, self.launch.memory);
        let group = footprint.group(&self.grid);
        let stacks = 4 * u64::from(self.launch.stack_slots) + 4096;
        let with_stacks = group + stacks * u64::from(self.grid.group_threads());
        let cores = rayon::current_num_threads() as u64;
        let remaining = footprint.remaining_bytes(self.launch.max_total_pages);
        let fitting = remaining / group.max(1);
        let groups = u64::from(self.grid.groups());
        let wanted = (MAX_SUSPENDED_BYTES / with_stacks).max(cores).min(groups);
        // Each core may keep the threads of a workgroup for reuse by the next one, if there is a
        // next one.
        let (reuse, kept) = if wanted == groups && groups <= fitting {
            (Reuse::Group, 0)
        } else if fitting >= 2 * cores {
            (Reuse::Group, cores)
        } else {
            (Reuse::Nothing, 0)
        };
        // At least one fits, which was checked.
        let active = wanted.min(fitting - kept).max(1);
        // Workgroups that wait for work items keep their memory, in addition to those that run.
        let resident = match waits_for_work(&self.program.source) {
            true => groups.min(fitting - kept).max(1),
            false => active,
        };
        let growth = remaining.saturating_sub((resident + kept) * group);
        let count = |groups: u64| usize::try_from(groups).unwrap_or(usize::MAX);
        MemoryPlan {
            limits: WorkgroupLimits {
                active: count(active),
                resident: count(resident),
                out_of_memory: footprint.too_large(self.grid.threads, self.launch.max_total_pages),
            },
            growth: MemoryBudget::new(growth),
            reuse,
        }
    }
}

/// Whether a program contains `queue_pop`.
fn waits_for_work(program: &Bytecode) -> bool {
    let mut at = 0;
    while let Ok(instruction) = Instruction::read(&program.code, at) {
        let pop = Host::QueuePop as u16;
        if instruction.op == Op::Host && instruction.number() == pop {
            return true;
        }
        at += instruction.words();
    }
    false
}

/// How the memory limit of a launch is divided.
struct MemoryPlan {
    limits: WorkgroupLimits,
    /// The budget for the growth of all threads.
    growth: MemoryBudget,
    reuse: Reuse,
}

/// What a core keeps of a workgroup that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// Its threads.
    Group,
    /// Nothing, since memory is scarce.
    Nothing,
}

/// The inputs for the initialization of memories.
struct MemoryInit<'a, M: Memory> {
    program: &'a Arc<Program<M>>,
    launch: &'a Launch,
    options: VmOptions,
    threads: u32,
    resources: &'a Arc<SharedResources>,
    growth: &'a MemoryBudget,
}

/// Provides the memories, tables and globals of threads.
trait MemoryProvider<M: Memory>: Send + Sync {
    /// Creates those of a new thread.
    fn make(&self, ids: &ThreadIds) -> Result<(M, Vec<M>, Store), LaunchError>;
    /// Resets those of an ended thread for another one.
    fn renew(&self, ids: &ThreadIds, thread: &mut Thread<M>) -> Result<(), LaunchError>;
}

/// Each thread has an instance of its own.
struct PrivateMemories {
    program: Bytecode,
    max_pages: u32,
    store: Store,
}

impl PrivateMemories {
    fn new(
        program: &Bytecode,
        launch: &Launch,
        growth: &MemoryBudget,
    ) -> Result<Self, LaunchError> {
        let mut store = Store {
            growth: growth.share(),
            ..Store::default()
        };
        store.extend(program)?;
        // Only the sizes are used here.
        let program = Bytecode {
            memories: program.memories.clone(),
            ..Bytecode::default()
        };
        Ok(Self {
            program,
            max_pages: launch.max_pages,
            store,
        })
    }
}

impl MemoryProvider<Private> for PrivateMemories {
    fn make(&self, _: &ThreadIds) -> Result<(Private, Vec<Private>, Store), LaunchError> {
        let memories = self.program.memories.iter();
        let mut memories =
            memories.map(|limits| private(limits, self.max_pages, &self.store.growth));
        let first = memories.next();
        let first = first.unwrap_or_else(|| Private::new(0, 0, MemoryBudget::default()))?;
        let others = memories.collect::<Result<_, _>>()?;
        Ok((first, others, self.store.copy()?))
    }

    fn renew(&self, _: &ThreadIds, thread: &mut Thread<Private>) -> Result<(), LaunchError> {
        let first = std::iter::once(&mut thread.memory);
        let memories = first.chain(&mut thread.state.memories);
        for (memory, limits) in memories.zip(&self.program.memories) {
            memory.renew(limits.initial)?;
        }
        thread.state.store.renew(&self.store);
        Ok(())
    }
}

/// The stacks of the threads in shared memory.
struct Stacks {
    /// The global slot of the stack pointer.
    pointer: u32,
    /// Bytes of each, a multiple of the stack alignment.
    size: u32,
    threads: u32,
    /// Address of the first one.
    first: u32,
}

impl Stacks {
    fn new(pointer: u32, size: u32, threads: u32) -> Result<Self, LaunchError> {
        let size = size.checked_next_multiple_of(16).unwrap_or(!15);
        match size {
            0 => Err(LaunchError::NoStack),
            _ => Ok(Self {
                pointer,
                size,
                threads,
                first: 0,
            }),
        }
    }

    /// Pages of all stacks.
    fn pages(&self) -> u64 {
        (u64::from(self.size) * u64::from(self.threads)).div_ceil(PAGE as u64)
    }

    /// The initial stack pointer of a thread; stacks grow down.
    fn top(&self, thread: u32) -> u32 {
        let above = (thread + 1).wrapping_mul(self.size);
        self.first.wrapping_add(above)
    }
}

/// All threads share the memories; tables and globals are private.
struct SharedMemories {
    memories: Vec<Shared>,
    store: Store,
    stacks: Stacks,
}

impl SharedMemories {
    /// Initializes the program once, and allocates the stacks after its memory.
    fn new(init: MemoryInit<'_, Shared>, mut stacks: Stacks) -> Result<Self, LaunchError> {
        let source = &init.program.source;
        let allowed = init.launch.max_pages.min(MAX_PAGES);
        let stack_pages = u32::try_from(stacks.pages()).unwrap_or(u32::MAX);
        let memory = |(number, limits): (usize, &crate::bytecode::Limits)| {
            let extra = if number == 0 { stack_pages } else { 0 };
            let maximum = limits.maximum.unwrap_or(u32::MAX).saturating_add(extra);
            Shared::new(limits.initial, maximum.min(allowed))
        };
        let memories = source.memories.iter().enumerate().map(memory);
        let mut memories = memories.collect::<Result<Vec<Shared>, _>>()?;
        if memories.is_empty() {
            memories.push(Shared::new(0, stack_pages.min(allowed))?);
        }
        let store = init.initialize(&memories)?;
        let used = memories[0].pages();
        let grown = memories[0].grow(stack_pages);
        let end = u64::from(used) + stacks.pages();
        // The stack pointer of the last thread must be a 32-bit address too.
        if grown.is_none() || end >= u64::from(MAX_PAGES) {
            return Err(LaunchError::Stacks {
                threads: stacks.threads,
                stack: stacks.size,
                used,
                pages: end,
                allowed: allowed.min(MAX_PAGES - 1),
            });
        }
        stacks.first = used * PAGE as u32;
        Ok(Self {
            memories,
            store,
            stacks,
        })
    }
}

impl MemoryInit<'_, Shared> {
    /// Runs the program's `inits` functions; returns the tables and globals that they leave.
    fn initialize(&self, memories: &[Shared]) -> Result<Store, LaunchError> {
        let mut store = Store {
            growth: self.growth.share(),
            ..Store::default()
        };
        store.extend(&self.program.source)?;
        let mut thread = Thread::new(ThreadParts {
            memory: memories[0].clone(),
            memories: memories[1..].to_vec(),
            store,
            program: Arc::clone(self.program),
            resources: Arc::clone(self.resources),
            group: Arc::new(GroupMemory::new(
                self.program.source.statics,
                self.growth.share(),
            )),
            ids: ThreadIds::default(),
            stack: stack(self.launch.stack_slots)?,
            fuel: self.launch.fuel,
        });
        let begun = clock::now();
        for &init in &self.program.source.inits {
            thread.enter(init, std::iter::empty());
            loop {
                match thread.resume(self.program) {
                    Stop::Done => break,
                    Stop::Trapped(trap) => return Err(LaunchError::Init(trap)),
                    Stop::Slice => self.check_time(begun, &mut thread)?,
                    Stop::Waits(Wait::Barrier) => {}
                    Stop::Waits(Wait::Work) => thread.complete(u32::MAX),
                    Stop::Waits(Wait::File) => thread.serve_file(),
                }
            }
        }
        Ok(thread.state.store)
    }

    /// An error if the initialization takes too long. No thread of the launch can end meanwhile.
    fn check_time(&self, begun: Duration, thread: &mut Thread<Shared>) -> Result<(), LaunchError> {
        let took = clock::now().saturating_sub(begun);
        if let Some(limit) = self.options.limit.filter(|limit| took > *limit) {
            return Err(LaunchError::TooMuchWork {
                ended: 0,
                threads: self.threads,
                limit,
            });
        }
        match self.options.watchdog {
            Some(limit) if took > limit => Err(still_running(thread, limit)),
            _ => Ok(()),
        }
    }
}

impl MemoryProvider<Shared> for SharedMemories {
    fn make(&self, ids: &ThreadIds) -> Result<(Shared, Vec<Shared>, Store), LaunchError> {
        let mut store = self.store.copy()?;
        store.globals[self.stacks.pointer as usize] = self.stacks.top(ids.number);
        Ok((self.memories[0].clone(), self.memories[1..].to_vec(), store))
    }

    fn renew(&self, ids: &ThreadIds, thread: &mut Thread<Shared>) -> Result<(), LaunchError> {
        thread.state.store.renew(&self.store);
        thread.state.store.globals[self.stacks.pointer as usize] = self.stacks.top(ids.number);
        Ok(())
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
    pub(super) fn results(&self, slots: &[u32]) -> Vec<WasmValue> {
        let source = &self.program.source;
        let ty = function_type(source, self.function);
        ty.map_or_else(
            |_| Vec::new(),
            |ty| WasmValue::from_slots(&ty.results, slots),
        )
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
