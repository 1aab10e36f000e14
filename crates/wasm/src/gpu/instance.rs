//! One thread's state that stays on the device between calls.
//!
//! Nothing runs by itself: setting a module up is a call of its `inits` function. The grid is of one
//! thread, and there are no resources.

use crate::bytecode::{Bytecode, Trap, TrapCode};
use crate::machine::{Files, LaunchError, Resources, Value, trap_at};

use super::interpreter::{Interpreter, trap_of};
use super::layout::{HEADER, Layout};
use super::params::Params;
use super::requests::Service;
use super::wave::{Parts, Wave, memory_words};
use super::world;

/// Slots of an instance's stack.
const STACK: u32 = 1 << 16;
/// Pages that a memory may have.
const MAX_PAGES: u32 = 1 << 16;

/// Memories, tables and globals that calls act on.
#[derive(Debug)]
pub struct Instance<'a> {
    interpreter: &'a Interpreter,
    program: Bytecode,
    layout: Layout,
    wave: Wave<'a>,
    files: Files,
}

/// Why a call gave no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeError {
    /// The thread trapped.
    #[error("{0}")]
    Trap(Trap),
    /// The device failed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl<'a> Instance<'a> {
    /// Zeroed memories, empty tables and zeroed globals of a program.
    pub fn new(interpreter: &'a Interpreter, program: &Bytecode) -> Result<Self, LaunchError> {
        let layout = Layout::new(program, MAX_PAGES);
        let sizes = layout.first_sizes(program);
        let wave = make(interpreter, program, &layout)?;
        interpreter
            .gpu
            .write(&wave.threads, u64::from(HEADER), &sizes);
        Ok(Self {
            interpreter,
            program: program.clone(),
            layout,
            wave,
            files: Files::new(&[]),
        })
    }

    /// Goes on with a program that begins as the one before and has more at the end of everything:
    /// what is there stays as it is.
    pub async fn extend(&mut self, program: &Bytecode) -> Result<(), LaunchError> {
        let gpu = &self.interpreter.gpu;
        let old = self.wave.params;
        let words = u64::from(old.stack);
        let memory = self.wave.memory.size() / 4;
        let parts = [
            (&self.wave.threads, 0, words),
            (&self.wave.memory, 0, memory),
        ];
        let read = gpu.read(gpu.encoder(), &parts).await?;
        let (thread, memory) = read.split_at(words as usize);

        let layout = Layout::new(program, MAX_PAGES);
        let mut wave = make(self.interpreter, program, &layout)?;
        let fresh = layout.first_sizes(program);
        let words = self.moved(thread, &layout, program, &fresh);
        gpu.write(&wave.threads, 0, &words);
        // Memories lie interleaved, so with more of them every word has another place.
        if self.program.memories.is_empty() {
            self.layout = layout;
            self.program.clone_from(program);
            self.wave = wave;
            return Ok(());
        }
        if old.capacity > wave.params.capacity {
            wave.reserve(old.capacity)?;
        }
        let [before, now] = [old.memories, wave.params.memories].map(|count| count as usize);
        let mut content = vec![0; memory.len() / before * now];
        for (to, from) in content.chunks_mut(now).zip(memory.chunks(before)) {
            let shared = from.len().min(to.len());
            to[..shared].copy_from_slice(&from[..shared]);
        }
        content.truncate((wave.memory.size() / 4) as usize);
        gpu.write(&wave.memory, 0, &content);
        self.layout = layout;
        self.program.clone_from(program);
        self.wave = wave;
        Ok(())
    }

    /// A thread's words at the places of another layout.
    fn moved(
        &self,
        thread: &[u32],
        layout: &Layout,
        program: &Bytecode,
        fresh: &[u32],
    ) -> Vec<u32> {
        let [old, new] = [&self.layout.params, &layout.params];
        let mut words = vec![0; new.stack as usize];
        words[HEADER as usize..][..fresh.len()].copy_from_slice(fresh);
        let mut copy = |from: u32, to: u32, length: u32| {
            let source = &thread[from as usize..][..length as usize];
            words[to as usize..][..length as usize].copy_from_slice(source);
        };
        if !self.program.memories.is_empty() {
            copy(old.sizes, new.sizes, old.memories);
        }
        let [old_tables, new_tables] = [old, new].map(|params| params.sizes + params.memories);
        copy(old_tables, new_tables, self.program.tables.len() as u32);
        copy(old.globals, new.globals, self.program.globals);
        let mut from = old.tables;
        let mut to = new.tables;
        for (&had, &has) in self.layout.table_room.iter().zip(&layout.table_room) {
            copy(from, to, had.min(has));
            from += had;
            to += has;
        }
        // Segments are numbered anew: data first.
        let mut flag = |before: usize, now: usize| {
            let word = thread[old.dropped as usize + before / 32];
            words[new.dropped as usize + now / 32] |= (word >> (before % 32) & 1) << (now % 32);
        };
        for number in 0..self.program.data.len() {
            flag(number, number);
        }
        for number in 0..self.program.elements.len() {
            flag(
                self.program.data.len() + number,
                program.data.len() + number,
            );
        }
        words
    }

    /// Runs a function by number. Arguments that are missing are 0.
    pub async fn invoke(
        &mut self,
        function: u32,
        args: &[Value],
    ) -> Result<Vec<Value>, InvokeError> {
        let called = self.program.functions.get(function as usize).copied();
        let types = called.and_then(|called| self.program.types.get(called.type_index as usize));
        let (Some(called), Some(types)) = (called, types) else {
            let trap = trap_at(&self.program, 0, TrapCode::UndefinedElement, None);
            return Err(InvokeError::Trap(trap));
        };
        let gpu = &self.interpreter.gpu;
        let mut header = [0; HEADER as usize];
        header[0] = called.entry;
        header[1] = 2;
        gpu.write(&self.wave.threads, 0, &header);
        let slots: u32 = types.params.iter().map(|ty| ty.slots()).sum();
        let mut stack = vec![0, 2];
        stack.extend(args.iter().flat_map(|value| value.slots()));
        stack.resize(slots as usize + 2, 0);
        gpu.write(
            &self.wave.threads,
            u64::from(self.wave.params.stack),
            &stack,
        );
        let mut printed = Vec::new();
        let mut service = Service {
            files: &self.files,
            printed: &mut printed,
        };
        self.wave.run(&mut service).await?;
        let slots: u32 = types.results.iter().map(|ty| ty.slots()).sum();
        let rows: Vec<_> = Wave::header_rows()
            .chain(self.wave.result_rows(slots))
            .collect();
        let rows = self.wave.rows(&rows).await?;
        if let Some(trap) = trap_of(&self.program, &self.wave, &rows, 0).await? {
            return Err(InvokeError::Trap(trap));
        }
        let slots: Vec<_> = rows[HEADER as usize..].iter().map(|row| row[0]).collect();
        Ok(Value::from_slots(&types.results, &slots))
    }

    /// A slot of the globals, if there is such.
    pub async fn global(&self, slot: u32) -> Result<Option<u32>, LaunchError> {
        if slot >= self.program.globals {
            return Ok(None);
        }
        let rows = self.wave.rows(&[self.wave.params.globals + slot]).await?;
        Ok(rows.first().and_then(|row| row.first()).copied())
    }
}

fn make<'a>(
    interpreter: &'a Interpreter,
    program: &Bytecode,
    layout: &Layout,
) -> Result<Wave<'a>, LaunchError> {
    let gpu = &interpreter.gpu;
    let initial = program.memories.iter().map(|limits| limits.initial);
    let mut params = Params {
        count: 1,
        threads: 1,
        group_threads: 1,
        groups_x: 1,
        groups_y: 1,
        groups_z: 1,
        size_x: 1,
        size_y: 1,
        size_z: 1,
        slice: interpreter.options.slice,
        ring: 1,
        stack_slots: STACK,
        capacity: initial.max().unwrap_or(0),
        may_grow: 1,
        ..layout.params
    };
    let words = world::words(&Resources::default(), layout, &mut params)?;
    let whole = words.len() as u64 + u64::from(params.group_words);
    let world = gpu.storage("what threads act on", whole)?;
    gpu.write(&world, 0, &words);
    let code = gpu.storage("the program", layout.words.len() as u64)?;
    gpu.write(&code, 0, &layout.words);
    let parts = Parts {
        program: code,
        world,
        thread_words: u64::from(layout.thread_words) + u64::from(STACK),
        memory_threads: 1,
    };
    debug_assert!(
        memory_words(&params, 1, 1) > 0,
        "a thread has at least one memory's room"
    );
    Wave::new(gpu, interpreter.private(), params, parts, None)
}
