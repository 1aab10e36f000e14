//! A launch: a kernel over a whole grid.
//!
//! In: a program, a [`Launch`] and [`Resources`]. Out: an [`Outcome`], with the resources changed;
//! also where the launch is given up, as it takes too long or memory has run out.
//! Workgroups run in parallel on rayon's pool; the threads of one take turns on one OS thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bytecode::{Bytecode, Host, Instruction, Op};
use crate::machine::{
    DEFAULT_WATCHDOG, End, Files, Footprint, Grid, Launch, LaunchError, MOST_PAGES, MemoryMode,
    Outcome, Place, Resources, Value, check, function_type,
};

use super::allowance::Allowance;
use super::clock;
use super::group::{Core, Group, Progress, still_running};
use super::instance::private;
use super::memory::{Memory, PAGE, Private, Shared};
use super::program::Program;
use super::room::list;
use super::schedule::{Room, Schedule, Task};
use super::thread::{Parts, Stop, Store, Thread, Wait, stack};
use super::world::{GroupMemory, World};

/// Bytes that workgroups which have run for long may keep before others begin.
const UNDER_WAY: u64 = 1 << 30;

/// What only this machine knows of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A launch is endless, and ends with an error, if a thread has run for this long while no thread of the launch has
    /// ended; 10 seconds by default, and `None` waits for ever. It is checked when a thread has made about a million
    /// jumps back and calls. Processor time, on systems that have it (all but Windows): what others do on a busy machine
    /// does not count.
    pub watchdog: Option<Duration>,
    /// How long a launch may take as a whole, in the processor time of one core; without it, as long as
    /// it likes.
    pub limit: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            watchdog: Some(DEFAULT_WATCHDOG),
            limit: None,
        }
    }
}

/// Runs a kernel over a grid.
pub fn run(
    program: &Bytecode,
    launch: &Launch,
    resources: &mut Resources,
) -> Result<Outcome, LaunchError> {
    run_with(program, launch, Options::default(), resources)
}

/// Runs a kernel over a grid, with options.
pub fn run_with(
    program: &Bytecode,
    launch: &Launch,
    options: Options,
    resources: &mut Resources,
) -> Result<Outcome, LaunchError> {
    let files = Files::open(&resources.folders)?;
    let grid = Grid::new(launch)?;
    let export = check(program, launch, &grid, resources)?;
    match launch.memory {
        MemoryMode::Private => {
            let kernel = Kernel::new(program, launch, options, grid, export.launch)?;
            kernel.run(files, resources, |beginning| {
                PrivateMemories::new(program, launch, beginning.growth)
            })
        }
        MemoryMode::Shared { stack } => {
            let pointer = program.stack_pointer.filter(|&slot| slot < program.globals);
            let pointer = pointer.ok_or(LaunchError::NoStackPointer)?;
            let kernel = Kernel::new(program, launch, options, grid, export.function)?;
            let stacks = Stacks::new(pointer, stack, grid.threads)?;
            kernel.run(files, resources, |beginning| {
                SharedMemories::new(beginning, stacks)
            })
        }
    }
}

/// A kernel that is ready to run.
struct Kernel<'a, M: Memory> {
    program: Arc<Program<M>>,
    launch: &'a Launch,
    options: Options,
    grid: Grid,
    function: u32,
}

impl<'a, M: Memory> Kernel<'a, M> {
    fn new(
        program: &Bytecode,
        launch: &'a Launch,
        options: Options,
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

    /// Runs all workgroups, with memories that are set up first.
    fn run<S: Memories<M> + 'static>(
        self,
        files: Files,
        resources: &mut Resources,
        memories: impl FnOnce(Beginning<'_, M>) -> Result<S, LaunchError>,
    ) -> Result<Outcome, LaunchError> {
        let world = Arc::new(World::new(self.grid, files, resources));
        let UnderWay {
            room,
            growth,
            reuse,
        } = self.under_way();
        let beginning = Beginning {
            program: &self.program,
            launch: self.launch,
            options: self.options,
            threads: self.grid.threads,
            world: &world,
            growth: &growth,
        };
        let ends = memories(beginning).and_then(|memories| {
            let setup = Setup {
                program: Arc::clone(&self.program),
                world: Arc::clone(&world),
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
                schedule: Schedule::new(self.grid.groups(), room),
            };
            setup.run()
        });
        let world = Arc::into_inner(world).expect("every thread has ended and is gone");
        let printed = world.give_back(resources);
        Ok(Outcome {
            threads: ends?,
            printed,
            instructions: None,
        })
    }
}

impl<M: Memory> Kernel<'_, M> {
    /// Workgroups that may be under way at once, and what their threads may grow by: nothing that a workgroup under way
    /// has at first can be taken by another one that grows.
    fn under_way(&self) -> UnderWay {
        let footprint = Footprint::new(&self.program.source, self.launch.memory);
        let group = footprint.group(&self.grid);
        let stacks = 4 * u64::from(self.launch.stack_slots) + 4096;
        let with_stacks = group + stacks * u64::from(self.grid.group_threads());
        let cores = rayon::current_num_threads() as u64;
        let room = footprint.room(self.launch.max_total_pages);
        let fitting = room / group.max(1);
        let groups = u64::from(self.grid.groups());
        let wanted = (UNDER_WAY / with_stacks).max(cores).min(groups);
        // Each core may keep the threads of a workgroup for the next one, if there is a next one.
        let (reuse, kept) = if wanted == groups && groups <= fitting {
            (Reuse::Group, 0)
        } else if fitting >= 2 * cores {
            (Reuse::Group, cores)
        } else {
            (Reuse::Nothing, 0)
        };
        // At least one fits, which was checked.
        let most = wanted.min(fitting - kept).max(1);
        // Those that wait for work keep their memory beside those under way.
        let alive = match waits_for_work(&self.program.source) {
            true => groups.min(fitting - kept).max(1),
            false => most,
        };
        let growth = room.saturating_sub((alive + kept) * group);
        let count = |groups: u64| usize::try_from(groups).unwrap_or(usize::MAX);
        UnderWay {
            room: Room {
                under_way: count(most),
                alive: count(alive),
                too_few: footprint.too_large(self.grid.threads, self.launch.max_total_pages),
            },
            growth: Allowance::new(growth),
            reuse,
        }
    }
}

/// Whether an instruction of a program waits for work items.
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

/// How the memory of a launch is divided.
struct UnderWay {
    room: Room,
    /// What all their threads may grow by.
    growth: Allowance,
    reuse: Reuse,
}

/// What a core keeps of a workgroup that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// As many threads as a workgroup has.
    Group,
    /// Nothing, since memory is scarce.
    Nothing,
}

/// What memories are set up with.
struct Beginning<'a, M: Memory> {
    program: &'a Arc<Program<M>>,
    launch: &'a Launch,
    options: Options,
    threads: u32,
    world: &'a Arc<World>,
    growth: &'a Allowance,
}

/// Where threads have their memories from.
trait Memories<M: Memory>: Send + Sync {
    /// Those of a new thread.
    fn make(&self, place: &Place) -> Result<(M, Vec<M>, Store), LaunchError>;
    /// Makes those of a thread that ended fit for another.
    fn renew(&self, place: &Place, thread: &mut Thread<M>) -> Result<(), LaunchError>;
}

/// Each thread is an instance of its own.
struct PrivateMemories {
    program: Bytecode,
    max_pages: u32,
    store: Store,
}

impl PrivateMemories {
    fn new(program: &Bytecode, launch: &Launch, growth: &Allowance) -> Result<Self, LaunchError> {
        let mut store = Store {
            growth: growth.share(),
            ..Store::default()
        };
        store.extend(program)?;
        // Only the sizes count here.
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

impl Memories<Private> for PrivateMemories {
    fn make(&self, _: &Place) -> Result<(Private, Vec<Private>, Store), LaunchError> {
        let memories = self.program.memories.iter();
        let mut memories =
            memories.map(|limits| private(limits, self.max_pages, &self.store.growth));
        let first = memories.next();
        let first = first.unwrap_or_else(|| Private::new(0, 0, Allowance::default()))?;
        let others = memories.collect::<Result<_, _>>()?;
        Ok((first, others, self.store.copy()?))
    }

    fn renew(&self, _: &Place, thread: &mut Thread<Private>) -> Result<(), LaunchError> {
        let first = std::iter::once(&mut thread.memory);
        let memories = first.chain(&mut thread.state.memories);
        for (memory, limits) in memories.zip(&self.program.memories) {
            memory.renew(limits.initial)?;
        }
        thread.state.store.renew(&self.store);
        Ok(())
    }
}

/// Where the stacks of threads lie in shared memory.
struct Stacks {
    /// The global that holds the stack pointer.
    pointer: u32,
    /// Bytes of each, which keep the stack pointer aligned.
    size: u32,
    threads: u32,
    /// The first one's address.
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

    /// Pages of all of them.
    fn pages(&self) -> u64 {
        (u64::from(self.size) * u64::from(self.threads)).div_ceil(PAGE as u64)
    }

    /// Where the stack pointer of a thread begins; stacks grow down.
    fn top(&self, thread: u32) -> u32 {
        let above = (thread + 1).wrapping_mul(self.size);
        self.first.wrapping_add(above)
    }
}

/// One memory for all threads; the rest is each one's own.
struct SharedMemories {
    memories: Vec<Shared>,
    store: Store,
    stacks: Stacks,
}

impl SharedMemories {
    /// Sets the program up once, and puts the stacks behind what memory it then has.
    fn new(beginning: Beginning<'_, Shared>, mut stacks: Stacks) -> Result<Self, LaunchError> {
        let source = &beginning.program.source;
        let allowed = beginning.launch.max_pages.min(MOST_PAGES);
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
        let store = beginning.set_up(&memories)?;
        let used = memories[0].pages();
        let grown = memories[0].grow(stack_pages);
        let end = u64::from(used) + stacks.pages();
        // The stack pointer of the last thread is a 32-bit address too.
        if grown.is_none() || end >= u64::from(MOST_PAGES) {
            return Err(LaunchError::Stacks {
                threads: stacks.threads,
                stack: stacks.size,
                used,
                pages: end,
                allowed: allowed.min(MOST_PAGES - 1),
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

impl Beginning<'_, Shared> {
    /// Runs the program's `inits` functions; what they leave apart from the memories.
    fn set_up(&self, memories: &[Shared]) -> Result<Store, LaunchError> {
        let mut store = Store {
            growth: self.growth.share(),
            ..Store::default()
        };
        store.extend(&self.program.source)?;
        let mut thread = Thread::new(Parts {
            memory: memories[0].clone(),
            memories: memories[1..].to_vec(),
            store,
            program: Arc::clone(self.program),
            world: Arc::clone(self.world),
            group: Arc::new(GroupMemory::new(
                self.program.source.statics,
                self.growth.share(),
            )),
            place: Place::default(),
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
                    Stop::Waits(Wait::Work) => thread.answer(u32::MAX),
                    Stop::Waits(Wait::File) => thread.serve_file(),
                }
            }
        }
        Ok(thread.state.store)
    }

    /// An error if setting up has taken too long. None of the launch's threads can end meanwhile.
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

impl Memories<Shared> for SharedMemories {
    fn make(&self, place: &Place) -> Result<(Shared, Vec<Shared>, Store), LaunchError> {
        let mut store = self.store.copy()?;
        store.globals[self.stacks.pointer as usize] = self.stacks.top(place.number);
        Ok((self.memories[0].clone(), self.memories[1..].to_vec(), store))
    }

    fn renew(&self, place: &Place, thread: &mut Thread<Shared>) -> Result<(), LaunchError> {
        thread.state.store.renew(&self.store);
        thread.state.store.globals[self.stacks.pointer as usize] = self.stacks.top(place.number);
        Ok(())
    }
}

/// All that workgroups need to run.
pub(super) struct Setup<M: Memory> {
    pub(super) program: Arc<Program<M>>,
    pub(super) world: Arc<World>,
    pub(super) grid: Grid,
    function: u32,
    args: Vec<u32>,
    stack_slots: u32,
    fuel: Option<u64>,
    pub(super) options: Options,
    /// Threads that have ended.
    pub(super) ended: AtomicU64,
    pub(super) growth: Allowance,
    pub(super) reuse: Reuse,
    memories: Box<dyn Memories<M>>,
    schedule: Schedule<M>,
}

impl<M: Memory> Setup<M> {
    /// Runs all workgroups; each thread's end, by number.
    fn run(self) -> Result<Vec<End>, LaunchError> {
        let ends = list(self.grid.threads as usize, "the threads' results")?;
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

    /// What each core does: one workgroup after the other.
    fn work(&self, ends: &Mutex<Vec<(u32, End)>>) {
        let mut core = Core {
            pool: Vec::new(),
            begun: clock::now(),
        };
        let queue = &self.world.queue;
        while let Some(task) = self.schedule.next(queue) {
            let mut group = match task {
                Task::Begin(number) => Group::new(number, self),
                Task::Continue(group) => group,
            };
            let mut progress = group.run(self, &mut core);
            if self.reuse == Reuse::Nothing {
                core.pool.clear();
            }
            if let Err(error) = self.check_limit(&core) {
                self.fail(error);
                progress = Progress::GivenUp;
            }
            match progress {
                Progress::Finished => {
                    let mut all = ends.lock().unwrap_or_else(PoisonError::into_inner);
                    all.append(&mut group.ends);
                    drop(all);
                    self.schedule.finished();
                }
                Progress::NeedsWork => self.schedule.needs_work(group),
                Progress::Pauses => self.schedule.pauses(group),
                Progress::GivenUp => self.schedule.finished(),
            }
        }
    }

    /// An error if this core has worked at the launch for too long.
    pub(super) fn check_limit(&self, core: &Core<M>) -> Result<(), LaunchError> {
        match self.options.limit {
            Some(limit) if clock::now().saturating_sub(core.begun) > limit => {
                Err(LaunchError::TooMuchWork {
                    ended: self.ended.load(Ordering::Relaxed),
                    threads: self.grid.threads,
                    limit,
                })
            }
            _ => Ok(()),
        }
    }

    /// A thread that is about to begin.
    pub(super) fn thread(
        &self,
        place: Place,
        group: &Arc<GroupMemory>,
        core: &mut Core<M>,
    ) -> Result<Box<Thread<M>>, LaunchError> {
        let mut thread = match core.pool.pop() {
            Some(mut thread) => {
                self.memories.renew(&place, &mut thread)?;
                thread.renew(place, group, self.fuel);
                thread
            }
            None => {
                let (memory, memories, store) = self.memories.make(&place)?;
                Box::new(Thread::new(Parts {
                    memory,
                    memories,
                    store,
                    program: Arc::clone(&self.program),
                    world: Arc::clone(&self.world),
                    group: Arc::clone(group),
                    place,
                    stack: stack(self.stack_slots)?,
                    fuel: self.fuel,
                }))
            }
        };
        thread.enter(self.function, self.args.iter().copied());
        Ok(thread)
    }

    /// The results in a thread's first slots.
    pub(super) fn results(&self, slots: &[u32]) -> Vec<Value> {
        let source = &self.program.source;
        let ty = function_type(source, self.function);
        ty.map_or_else(|_| Vec::new(), |ty| Value::from_slots(&ty.results, slots))
    }

    /// Wakes cores that wait, if there is work for them. Whether the launch is given up.
    pub(super) fn look(&self) -> bool {
        self.schedule.look(&self.world.queue);
        self.schedule.has_failed()
    }

    /// Gives the launch up.
    pub(super) fn fail(&self, error: LaunchError) {
        self.schedule.fail(error);
    }

    pub(super) fn queue_is_closed(&self) -> bool {
        self.schedule.queue_is_closed()
    }
}
