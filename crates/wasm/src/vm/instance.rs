//! One thread's state that stays between calls: what an embedder of WebAssembly has.
//!
//! Nothing runs by itself: setting a module up is a call of its `inits` function. Kernels that ask
//! for the grid or for resources see a grid of one thread and nothing else.

use std::sync::Arc;

use crate::bytecode::{Bytecode, Limits, Trap, TrapCode};
use crate::machine::{Grid, LaunchError, Place, Resources, Value, check_sizes};

use super::memory::{Memory, Private};
use super::program::Program;
use super::thread::{Parts, Stop, Store, Table, Thread, Wait, stack};
use super::world::{GroupMemory, World};

/// Slots of an instance's stack.
const STACK: u32 = 1 << 18;

/// Pages that a memory may have.
const MAX_PAGES: u32 = 1 << 16;

/// Slots of globals that instructions can name.
const MAX_GLOBALS: u32 = 1 << 16;

/// Memories, tables and globals that calls act on.
pub struct Instance {
    thread: Thread<Private>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").finish_non_exhaustive()
    }
}

impl Instance {
    /// Zeroed memories, empty tables and zeroed globals of a program.
    pub fn new(program: &Bytecode) -> Result<Self, LaunchError> {
        let grid = Grid {
            workgroups: [1; 3],
            size: [1; 3],
            threads: 1,
        };
        let mut thread = Thread::new(Parts {
            memory: Private::new(0, 0)?,
            memories: Vec::new(),
            store: Store::default(),
            program: Arc::new(Program::new(&Bytecode::default())?),
            world: Arc::new(World::new(grid, &mut Resources::default())),
            group: Arc::new(GroupMemory::new(program.statics)),
            place: Place::default(),
            stack: stack(STACK)?,
            fuel: None,
        });
        let memories = &program.memories;
        check_sizes(memories, MAX_PAGES)?;
        if let Some((first, rest)) = memories.split_first() {
            thread.memory = private(first, MAX_PAGES)?;
            let rest = rest.iter().map(|limits| private(limits, MAX_PAGES));
            thread.state.memories = rest.collect::<Result<_, _>>()?;
        }
        let mut instance = Self { thread };
        instance.thread.state.store.extend(program)?;
        instance.thread.state.program = Arc::new(Program::new(program)?);
        Ok(instance)
    }

    /// Goes on with a program that begins as the one before and has more at the end of everything:
    /// what is there stays as it is.
    pub fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        check_sizes(&program.memories, MAX_PAGES)?;
        let before = Arc::clone(&self.thread.state.program);
        let had = before.source.memories.len();
        let new = Arc::new(Program::new(program)?);
        for (number, limits) in program.memories.iter().enumerate().skip(had) {
            let memory = private(limits, MAX_PAGES)?;
            match number {
                0 => self.thread.memory = memory,
                _ => self.thread.state.memories.push(memory),
            }
        }
        self.thread.state.store.extend(program)?;
        self.thread.state.program = new;
        Ok(())
    }

    /// Runs a function by number. Arguments that are missing are 0.
    pub fn invoke(&mut self, function: u32, args: &[Value]) -> Result<Vec<Value>, Trap> {
        let program = Arc::clone(&self.thread.state.program);
        let types = program.functions.get(function as usize);
        let types = types.and_then(|entry| program.source.types.get(entry.type_index as usize));
        let Some(types) = types else {
            return Err(self.thread.trap(TrapCode::UndefinedElement));
        };
        let slots: u32 = types.params.iter().map(|ty| ty.slots()).sum();
        let given = args.iter().flat_map(|value| value.slots());
        let zeros = std::iter::repeat(0);
        let given = given.chain(zeros).take(slots as usize);
        self.thread.enter(function, given);
        loop {
            match self.thread.resume(&program) {
                Stop::Done => break,
                Stop::Trapped(trap) => return Err(trap),
                Stop::Slice | Stop::Waits(Wait::Barrier) => {}
                Stop::Waits(Wait::Work) => self.thread.answer(u32::MAX),
                Stop::Waits(Wait::File) => self.thread.serve_file(),
            }
        }
        Ok(Value::from_slots(&types.results, self.thread.results()))
    }

    /// A slot of the globals, if there is such.
    pub fn global(&self, slot: u32) -> Option<u32> {
        self.thread.state.store.globals.get(slot as usize).copied()
    }

    /// Bytes of memory 0, if they are there.
    pub fn read(&self, at: u32, length: u32) -> Option<Vec<u8>> {
        self.thread.memory.read(at as usize, length as usize)
    }

    /// Writes bytes of memory 0; whether they are there.
    pub fn write(&mut self, at: u32, bytes: &[u8]) -> bool {
        self.thread.memory.write(at as usize, bytes).is_some()
    }
}

/// A memory of its own with these limits.
pub(super) fn private(limits: &Limits, allowed: u32) -> Result<Private, LaunchError> {
    let maximum = limits.maximum.unwrap_or(u32::MAX).min(allowed);
    Private::new(limits.initial, maximum)
}

impl Store {
    /// Adds what a program has beyond what is there.
    pub(super) fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        let (slots, most) = (program.globals, MAX_GLOBALS);
        if slots > most {
            return Err(LaunchError::Globals { slots, most });
        }
        let new_tables = program.tables.iter().enumerate().skip(self.tables.len());
        for (number, limits) in new_tables {
            self.tables.push(Table::new(number, limits)?);
        }
        self.globals.resize(slots as usize, 0);
        self.dropped_data.resize(program.data.len(), false);
        self.dropped_elements.resize(program.elements.len(), false);
        Ok(())
    }
}
