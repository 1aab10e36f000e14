//! An instance: one thread with persistent state, as in other WebAssembly embedders.
//!
//! Initialization is explicit: call the module's `inits` function. Host functions see a grid of one
//! thread, and no resources.

use std::sync::Arc;

use crate::bytecode::{Bytecode, Limits, TrapCode};
use crate::runtime::{
    Files, Footprint, Grid, InstanceLimits, InvokeError, LaunchError, MAX_PAGES, MemoryMode, PAGE,
    Resources, ThreadIds, Value, check_sizes, check_store,
};

use super::budget::MemoryBudget;
use super::clock;
use super::group::still_running;
use super::memory::{Memory, PrivateMemory};
use super::program::Program;
use super::resources::{GroupMemory, SharedResources};
use super::thread::{StopReason, Store, Table, Thread, ThreadParts, Wait, stack};

/// Slots of an instance's stack.
const STACK: u32 = 1 << 18;

/// An instance of a program: its memories, tables and globals persist between calls.
pub struct Instance {
    thread: Thread<PrivateMemory>,
    limits: InstanceLimits,
    /// What memories and tables may take together, including growth.
    budget: MemoryBudget,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").finish_non_exhaustive()
    }
}

impl Instance {
    /// Creates an instance with zeroed memories and globals and null tables.
    pub fn new(program: &Bytecode) -> Result<Self, LaunchError> {
        Self::with_limits(program, InstanceLimits::default())
    }

    /// As [`Self::new`], with other limits.
    pub fn with_limits(program: &Bytecode, limits: InstanceLimits) -> Result<Self, LaunchError> {
        check_program(program, &limits)?;
        let footprint = Footprint::new(program, MemoryMode::Private);
        let mut budget = MemoryBudget::new(footprint.remaining_bytes(limits.max_total_pages));
        take(&mut budget, &footprint, &limits)?;
        let mut thread = Thread::new(ThreadParts {
            memory: PrivateMemory::new(0, 0, budget.share())?,
            memories: Vec::new(),
            store: Store {
                growth: budget.share(),
                ..Store::default()
            },
            program: Arc::new(Program::new(&Arc::default())?),
            resources: Arc::new(SharedResources::new(
                GRID,
                Files::default(),
                &mut Resources::default(),
            )),
            group: Arc::new(GroupMemory::new(program.statics, budget.share())),
            ids: ThreadIds::default(),
            stack: stack(STACK)?,
            fuel: None,
        });
        let memories = &program.memories;
        if let Some((first, rest)) = memories.split_first() {
            thread.memory = private(first, limits.max_pages, &budget)?;
            let rest = rest
                .iter()
                .map(|memory| private(memory, limits.max_pages, &budget));
            thread.state.memories = rest.collect::<Result<_, _>>()?;
        }
        thread.state.store.extend(program)?;
        thread.state.program = Arc::new(Program::new(&Arc::new(program.clone()))?);
        Ok(Self {
            thread,
            limits,
            budget,
        })
    }

    /// Replaces the program by one that extends it (see [`Translator`](crate::Translator)). The existing
    /// state is kept.
    pub fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        check_program(program, &self.limits)?;
        let before = Arc::clone(&self.thread.state.program);
        let had = before.source.memories.len();
        let new = Arc::new(Program::new(&Arc::new(program.clone()))?);
        let added = Footprint::added(program, &before.source);
        take(&mut self.budget, &added, &self.limits)?;
        for (number, limits) in program.memories.iter().enumerate().skip(had) {
            let memory = private(limits, self.limits.max_pages, &self.budget)?;
            match number {
                0 => self.thread.memory = memory,
                _ => self.thread.state.memories.push(memory),
            }
        }
        self.thread.state.store.extend(program)?;
        self.thread.state.program = new;
        Ok(())
    }

    /// Calls a function by index. Missing arguments are 0. A call that exceeds the watchdog's time
    /// is aborted.
    pub fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, InvokeError> {
        let program = Arc::clone(&self.thread.state.program);
        let types = program
            .functions
            .get(function as usize)
            .and_then(|entry| program.source.types.get(entry.type_index as usize));
        let Some(types) = types else {
            let trap = self.thread.trap(TrapCode::UndefinedElement);
            return Err(InvokeError::Trap(trap));
        };
        let slots: u32 = types.params.iter().map(|ty| ty.slots()).sum();
        let given = args.iter().flat_map(|value| value.slots());
        let zeros = std::iter::repeat(0);
        let given = given.chain(zeros).take(slots as usize);
        self.thread.enter(function, given);
        let since = self.limits.watchdog.map(|limit| (limit, clock::now()));
        loop {
            match self.thread.resume(&program) {
                StopReason::Done => break,
                StopReason::Trapped(trap) => return Err(InvokeError::Trap(trap)),
                StopReason::Slice => {
                    if let Some((limit, since)) = since
                        && clock::now().saturating_sub(since) > limit
                    {
                        return Err(still_running(&mut self.thread, limit).into());
                    }
                }
                StopReason::Waits(Wait::Barrier) => {}
                StopReason::Waits(Wait::Work) => self.thread.complete(u32::MAX),
                StopReason::Waits(Wait::File) => self.thread.serve_file(),
            }
        }
        Ok(Value::from_slots(&types.results, self.thread.results()))
    }

    /// Reads a slot of the globals.
    pub fn global(&self, slot: u32) -> Option<u32> {
        self.thread.state.store.globals.get(slot as usize).copied()
    }

    /// Reads bytes of memory 0, if they are in bounds.
    pub fn read(&self, at: u32, length: u32) -> Option<Vec<u8>> {
        self.thread.memory.read(at as usize, length as usize).ok()
    }

    /// Writes bytes of memory 0; returns whether they are in bounds.
    pub fn write(&mut self, at: u32, bytes: &[u8]) -> bool {
        self.thread.memory.write(at as usize, bytes).is_ok()
    }
}

/// A grid of one thread.
const GRID: Grid = Grid {
    workgroups: [1; 3],
    size: [1; 3],
    threads: 1,
};

fn check_program(program: &Bytecode, limits: &InstanceLimits) -> Result<(), LaunchError> {
    check_sizes(&program.memories, limits.max_pages.min(MAX_PAGES))?;
    check_store(program)
}

/// Takes the initial size of a program from the budget.
fn take(
    budget: &mut MemoryBudget,
    footprint: &Footprint,
    limits: &InstanceLimits,
) -> Result<(), LaunchError> {
    footprint.check(&GRID, limits.max_total_pages)?;
    let bytes = footprint.group(&GRID);
    budget.take(bytes).map_err(|_| LaunchError::TotalMemory {
        threads: 1,
        each: bytes,
        pages: bytes.div_ceil(PAGE),
        allowed: limits.max_total_pages,
    })
}

/// A private memory with these limits.
pub(super) fn private(
    limits: &Limits,
    allowed: u32,
    budget: &MemoryBudget,
) -> Result<PrivateMemory, LaunchError> {
    let maximum = limits
        .maximum
        .unwrap_or(u32::MAX)
        .min(allowed)
        .min(MAX_PAGES);
    PrivateMemory::new(limits.initial, maximum, budget.share())
}

impl Store {
    /// Adds what an extended program has beyond the existing state; the sizes have been checked.
    pub(super) fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        for limits in program.tables.iter().skip(self.tables.len()) {
            self.tables.push(Table::new(limits)?);
        }
        self.globals.resize(program.globals as usize, 0);
        self.dropped_data.resize(program.data.len(), false);
        self.dropped_elements.resize(program.elements.len(), false);
        Ok(())
    }
}
