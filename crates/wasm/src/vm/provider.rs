//! Provides threads with memories, tables and globals: private ones, or shared memories with a stack
//! for each thread.

use std::sync::Arc;
use std::time::Duration;

use crate::bytecode::{Bytecode, Limits};
use crate::runtime::{Launch, LaunchError, MAX_PAGES, ThreadIds};

use super::budget::MemoryBudget;
use super::clock;
use super::group::still_running;
use super::instance::private;
use super::memory::{Memory, PAGE, PrivateMemory, SharedMemory};
use super::program::Program;
use super::resources::{GroupMemory, SharedResources};
use super::run::VmOptions;
use super::thread::{StopReason, Store, Thread, ThreadParts, Wait, stack};

/// The inputs for the initialization of memories.
pub(super) struct MemoryInit<'a, M: Memory> {
    pub(super) program: &'a Arc<Program<M>>,
    pub(super) launch: &'a Launch,
    pub(super) options: VmOptions,
    pub(super) threads: u32,
    pub(super) resources: &'a Arc<SharedResources>,
    pub(super) growth: &'a MemoryBudget,
}

/// Provides the memories, tables and globals of threads.
pub(super) trait MemoryProvider<M: Memory>: Send + Sync {
    /// Creates those of a new thread.
    fn make(&self, ids: &ThreadIds) -> Result<(M, Vec<M>, Store), LaunchError>;
    /// Resets those of an ended thread for another one.
    fn renew(&self, ids: &ThreadIds, thread: &mut Thread<M>) -> Result<(), LaunchError>;
}

/// Each thread has an instance of its own.
pub(super) struct PrivateMemories {
    program: Bytecode,
    max_pages: u32,
    store: Store,
}

impl PrivateMemories {
    pub(super) fn new(
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

impl MemoryProvider<PrivateMemory> for PrivateMemories {
    fn make(
        &self,
        _: &ThreadIds,
    ) -> Result<(PrivateMemory, Vec<PrivateMemory>, Store), LaunchError> {
        let memories = self.program.memories.iter();
        let mut memories =
            memories.map(|limits| private(limits, self.max_pages, &self.store.growth));
        let first = memories
            .next()
            .unwrap_or_else(|| PrivateMemory::new(0, 0, MemoryBudget::default()))?;
        let others = memories.collect::<Result<_, _>>()?;
        Ok((first, others, self.store.copy()?))
    }

    fn renew(&self, _: &ThreadIds, thread: &mut Thread<PrivateMemory>) -> Result<(), LaunchError> {
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
pub(super) struct Stacks {
    /// The global slot of the stack pointer.
    pointer: u32,
    /// Bytes of each, a multiple of the stack alignment.
    size: u32,
    threads: u32,
    /// Address of the first one.
    first: u32,
}

impl Stacks {
    pub(super) fn new(pointer: u32, size: u32, threads: u32) -> Result<Self, LaunchError> {
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
pub(super) struct SharedMemories {
    memories: Vec<SharedMemory>,
    store: Store,
    stacks: Stacks,
}

impl SharedMemories {
    /// Initializes the program once, and allocates the stacks after its memory.
    pub(super) fn new(
        init: MemoryInit<'_, SharedMemory>,
        mut stacks: Stacks,
    ) -> Result<Self, LaunchError> {
        let source = &init.program.source;
        let allowed = init.launch.max_pages.min(MAX_PAGES);
        let stack_pages = u32::try_from(stacks.pages()).unwrap_or(u32::MAX);
        let memory = |(number, limits): (usize, &Limits)| {
            let extra = if number == 0 { stack_pages } else { 0 };
            let maximum = limits.maximum.unwrap_or(u32::MAX).saturating_add(extra);
            SharedMemory::new(limits.initial, maximum.min(allowed))
        };
        let mut memories = source
            .memories
            .iter()
            .enumerate()
            .map(memory)
            .collect::<Result<Vec<SharedMemory>, _>>()?;
        if memories.is_empty() {
            memories.push(SharedMemory::new(0, stack_pages.min(allowed))?);
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

impl MemoryInit<'_, SharedMemory> {
    /// Runs the program's `inits` functions; returns the tables and globals that they leave.
    fn initialize(&self, memories: &[SharedMemory]) -> Result<Store, LaunchError> {
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
                    StopReason::Done => break,
                    StopReason::Trapped(trap) => return Err(LaunchError::Init(trap)),
                    StopReason::Slice => self.check_time(begun, &mut thread)?,
                    StopReason::Waits(Wait::Barrier) => {}
                    StopReason::Waits(Wait::Work) => thread.complete(u32::MAX),
                    StopReason::Waits(Wait::File) => thread.serve_file(),
                }
            }
        }
        Ok(thread.state.store)
    }

    /// An error if the initialization takes too long. No thread of the launch can end meanwhile.
    fn check_time(
        &self,
        begun: Duration,
        thread: &mut Thread<SharedMemory>,
    ) -> Result<(), LaunchError> {
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

impl MemoryProvider<SharedMemory> for SharedMemories {
    fn make(
        &self,
        ids: &ThreadIds,
    ) -> Result<(SharedMemory, Vec<SharedMemory>, Store), LaunchError> {
        let mut store = self.store.copy()?;
        store.globals[self.stacks.pointer as usize] = self.stacks.top(ids.number);
        Ok((self.memories[0].clone(), self.memories[1..].to_vec(), store))
    }

    fn renew(&self, ids: &ThreadIds, thread: &mut Thread<SharedMemory>) -> Result<(), LaunchError> {
        thread.state.store.renew(&self.store);
        thread.state.store.globals[self.stacks.pointer as usize] = self.stacks.top(ids.number);
        Ok(())
    }
}
