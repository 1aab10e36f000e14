//! One thread of a kernel: its state, and the loop that runs it until it ends or waits.
//!
//! Handlers call each other without coming back, except for what changes the frame: then the loop
//! here takes the new window from the stack. A thread is data: it can wait and be taken up again by
//! any OS thread.

use std::sync::Arc;

use crate::bytecode::{Limits, MAX_TABLES, Trap, TrapCode};
use crate::machine::{LaunchError, Place, Request, trap_at};

use super::allowance::Allowance;
use super::memory::Memory;
use super::program::{Entry, Ins, Program};
use super::room::{copy, list, zeros};
use super::window::{Held, WINDOW};
use super::world::{GroupMemory, World};

/// Why handlers came back. Nothing but a number: with more in it, the compiler would take it apart and
/// put it together again behind the calls of handlers, which then could not become jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Go on at `pc`.
    Next,
    /// Enter `callee` with its frame at `base`; `pc` is where it returns to.
    Call,
    /// Leave the frame.
    Return,
    /// Read a slot that no operand can name.
    FarGet,
    /// Write one.
    FarSet,
    /// Out of the slice's fuel; go on at `pc`.
    Slice,
    /// The thread is done.
    Done,
    /// It traps at `pc`, with the code in [`Run::trap`].
    Trap,
    /// It waits for what [`Run::wait`] says; go on at `pc`.
    Wait,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The other threads of its workgroup.
    Barrier,
    /// What it `asked` for, with the result in slot `answer`.
    File,
    /// A work item, in slot `answer`.
    Work,
}

/// A request and where in memory 0 its answer goes.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) request: Request,
    pub(super) buffer: u32,
}

/// Why a thread's loop came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Done,
    Trapped(Trap),
    Waits(Wait),
    /// It can go on at once.
    Slice,
}

/// A table of references.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) elements: Vec<u32>,
    pub(super) maximum: u32,
}

/// What messages call it.
const TABLE: &str = "a table";

impl Table {
    /// A table as it is at first.
    pub(super) fn new(limits: &Limits) -> Result<Self, LaunchError> {
        Ok(Self {
            elements: zeros(limits.initial as usize, TABLE)?,
            maximum: limits.maximum.unwrap_or(MAX_TABLES).min(MAX_TABLES),
        })
    }
}

/// What an instance holds apart from memories.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) tables: Vec<Table>,
    pub(super) globals: Vec<u32>,
    pub(super) dropped_data: Vec<bool>,
    pub(super) dropped_elements: Vec<bool>,
    /// What the tables may grow by.
    pub(super) growth: Allowance,
}

impl Store {
    /// Grows a table, whose new elements have a value; the size before, if that is possible. All tables of an
    /// instance together stay below [`MAX_TABLES`].
    pub(super) fn grow_table(&mut self, table: usize, count: u32, value: u32) -> Option<u32> {
        let all: usize = self.tables.iter().map(|table| table.elements.len()).sum();
        let table = self.tables.get_mut(table)?;
        let before = table.elements.len() as u32;
        let after = before.checked_add(count)?;
        if after > table.maximum || all.checked_add(count as usize)? > MAX_TABLES as usize {
            return None;
        }
        self.growth
            .take(u64::from(count) * size_of::<u32>() as u64)?;
        table.elements.try_reserve(count as usize).ok()?;
        table.elements.resize(after as usize, value);
        Some(before)
    }

    /// The same once more, for another thread.
    pub(super) fn copy(&self) -> Result<Self, LaunchError> {
        let mut tables = list(self.tables.len(), TABLE)?;
        for table in &self.tables {
            tables.push(Table {
                elements: copy(&table.elements, TABLE)?,
                maximum: table.maximum,
            });
        }
        Ok(Self {
            tables,
            globals: copy(&self.globals, "globals")?,
            dropped_data: copy(&self.dropped_data, "segments")?,
            dropped_elements: copy(&self.dropped_elements, "segments")?,
            growth: self.growth.share(),
        })
    }

    /// Makes it the same as one that it is a copy of.
    pub(super) fn renew(&mut self, first: &Self) {
        // Nothing shrinks, so all of it has room.
        for (table, first) in self.tables.iter_mut().zip(&first.tables) {
            if table.elements.len() > first.elements.len() {
                table.elements.truncate(first.elements.len());
                table.elements.shrink_to_fit();
            }
            table.elements.copy_from_slice(&first.elements);
        }
        self.growth.reset();
        self.globals.copy_from_slice(&first.globals);
        self.dropped_data.copy_from_slice(&first.dropped_data);
        self.dropped_elements
            .copy_from_slice(&first.dropped_elements);
    }
}

/// One thread.
pub(super) struct Thread<M: Memory> {
    /// Memory 0.
    pub(super) memory: M,
    stack: Vec<u32>,
    pub(super) state: State<M>,
}

/// All of a thread but memory 0 and its stack.
pub(super) struct State<M: Memory> {
    at: At,
    /// Jumps and calls left behind this slice.
    reserve: u64,
    /// The first frame's; the two before it are there too.
    first: usize,
    /// Slots of the stack that frames may take.
    slots: usize,
    pub(super) store: Store,
    /// Memories 1 and on.
    pub(super) memories: Vec<M>,
    pub(super) program: Arc<Program<M>>,
    pub(super) world: Arc<World>,
    pub(super) group: Arc<GroupMemory>,
    pub(super) place: Place,
    /// The slot of the frame that an answer goes to.
    pub(super) answer: u8,
    pub(super) asked: Option<Asked>,
    /// What a panic said.
    pub(super) message: Option<String>,
}

/// How far a thread has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// Where to go on; handlers set it before they come back.
    pub(super) pc: usize,
    /// The current frame's first slot.
    frame: usize,
    /// Jumps and calls left in this slice.
    budget: u64,
}

impl At {
    /// Enters a function, with its frame at a slot of this one.
    #[inline(always)]
    fn call(
        &mut self,
        stack: &mut [u32],
        slots: usize,
        callee: Option<&Entry>,
        base: u32,
    ) -> Result<(), TrapCode> {
        let callee = callee.ok_or(TrapCode::UndefinedElement)?;
        let frame = self.frame + base as usize;
        if frame + callee.frame as usize > slots {
            return Err(TrapCode::StackExhausted);
        }
        stack[frame - 2] = self.pc as u32;
        stack[frame - 1] = self.frame as u32;
        (self.pc, self.frame) = (callee.pc as usize, frame);
        Ok(())
    }
}

/// A thread while it runs, as handlers see it: what they need most lies here.
pub(super) struct Run<'a, M: Memory> {
    pub(super) code: &'a [Ins<M>],
    /// Memory 0.
    pub(super) memory: &'a mut M,
    pub(super) at: At,
    functions: &'a [Entry],
    /// A function that is about to be called, and where its frame begins in the current one.
    pub(super) callee: u32,
    pub(super) base: u32,
    /// Why it traps, or what it waits for, where handlers came back for that.
    pub(super) trap: TrapCode,
    pub(super) wait: Wait,
    /// What the handler that came back held.
    pub(super) held: Held,
    pub(super) state: &'a mut State<M>,
}

impl<M: Memory> Run<'_, M> {
    /// Takes a unit of fuel, if there is one left in this slice.
    #[inline(always)]
    pub(super) fn spend(&mut self) -> bool {
        let left = self.at.budget.checked_sub(1);
        self.at.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes fuel for work on that many bytes, so that a slice does not take too long.
    pub(super) fn charge(&mut self, bytes: u32) {
        self.at.budget = self.at.budget.saturating_sub(u64::from(bytes >> 10));
    }

    /// Whether this slice has fuel left. Asked after work on many bytes, which may follow on each other without a jump.
    #[inline(always)]
    pub(super) fn has_budget(&self) -> bool {
        self.at.budget > 0
    }
}

/// What a thread is made of.
pub(super) struct Parts<M: Memory> {
    /// All of its memories, in order; an empty one first where the program has none.
    pub(super) memory: M,
    pub(super) memories: Vec<M>,
    pub(super) store: Store,
    pub(super) program: Arc<Program<M>>,
    pub(super) world: Arc<World>,
    pub(super) group: Arc<GroupMemory>,
    pub(super) place: Place,
    pub(super) stack: Vec<u32>,
    pub(super) fuel: Option<u64>,
}

/// Slots of a cache line. A pair that lies in two lines is slow, so the first frame begins a line.
const LINE: usize = 16;

/// A stack with room for that many slots of frames.
pub(super) fn stack(slots: u32) -> Result<Vec<u32>, LaunchError> {
    zeros(slots as usize + LINE + WINDOW, "a stack")
}

impl<M: Memory> Thread<M> {
    pub(super) fn new(parts: Parts<M>) -> Self {
        // An address that no line begins at does no harm.
        let bytes = parts.stack.as_ptr().addr() + 2 * size_of::<u32>();
        let line = LINE * size_of::<u32>();
        let first = 2 + (bytes.next_multiple_of(line) - bytes) / size_of::<u32>();
        let state = State {
            at: At {
                pc: 0,
                frame: first,
                budget: 0,
            },
            reserve: 0,
            first,
            slots: parts.stack.len() - WINDOW,
            store: parts.store,
            memories: parts.memories,
            program: parts.program,
            world: parts.world,
            group: parts.group,
            place: parts.place,
            answer: 0,
            asked: None,
            message: None,
        };
        let mut thread = Self {
            memory: parts.memory,
            stack: parts.stack,
            state,
        };
        thread.refuel(parts.fuel);
        thread
    }

    /// Gets ready to run a function. It begins when the thread is resumed.
    pub(super) fn enter(&mut self, function: u32, args: impl Iterator<Item = u32>) {
        let state = &mut self.state;
        state.at.frame = state.first - 2;
        state.at.pc = 0;
        for (slot, value) in self.stack[state.first..].iter_mut().zip(args) {
            *slot = value;
        }
        // The first call returns to position 0, which is `end`.
        let callee = state.program.functions.get(function as usize);
        let entered = state.at.call(&mut self.stack, state.slots, callee, 2);
        if entered.is_err() {
            // Resuming at a place that is not there traps.
            state.at.pc = usize::MAX;
        }
    }

    /// The slots that a function without a caller leaves its results in.
    pub(super) fn results(&self) -> &[u32] {
        &self.stack[self.state.first..]
    }

    /// Gives a thread that waited its answer.
    pub(super) fn answer(&mut self, value: u32) {
        let slot = self.state.at.frame + usize::from(self.state.answer);
        self.stack[slot] = value;
    }

    /// Does what a thread that waits for a file asked for.
    pub(super) fn serve_file(&mut self) {
        if let Some(asked) = self.state.asked.take() {
            let answer = self.state.world.files.serve(&asked.request);
            // The buffer was there when the thread asked, and memories never shrink.
            let _there = self.memory.write(asked.buffer as usize, &answer.bytes);
            self.answer(answer.code as u32);
        }
    }

    /// Makes it another thread of the launch, which is as good as new except for its memory.
    pub(super) fn renew(&mut self, place: Place, group: &Arc<GroupMemory>, fuel: Option<u64>) {
        let state = &mut self.state;
        (state.place, state.asked, state.message) = (place, None, None);
        if !Arc::ptr_eq(&state.group, group) {
            state.group = Arc::clone(group);
        }
        self.refuel(fuel);
    }

    fn refuel(&mut self, fuel: Option<u64>) {
        let fuel = fuel.unwrap_or(u64::MAX);
        self.state.at.budget = fuel.min(self.state.program.slice);
        self.state.reserve = fuel - self.state.at.budget;
    }

    /// Runs until it ends, waits, or has had its turn.
    ///
    /// The program is its own, lent apart: counting one more owner would be slow among many cores.
    pub(super) fn resume(&mut self, program: &Program<M>) -> Stop {
        let Self {
            memory,
            stack,
            state,
        } = self;
        let mut run = Run {
            code: &program.code,
            memory,
            at: state.at,
            functions: &program.functions,
            callee: 0,
            base: 0,
            trap: TrapCode::Unreachable,
            wait: Wait::Barrier,
            held: Held::default(),
            state,
        };
        let exit = run.run(stack);
        let (at, trap, wait) = (run.at, run.trap, run.wait);
        self.state.at = at;
        match exit {
            Exit::Done => Stop::Done,
            Exit::Wait => Stop::Waits(wait),
            Exit::Trap => Stop::Trapped(self.state.trap(trap)),
            _ => self.state.pause(),
        }
    }

    /// A trap at the instruction at which the thread waits.
    pub(super) fn trap_before(&mut self, code: TrapCode) -> Trap {
        self.state.at.pc = self.state.at.pc.saturating_sub(1);
        self.state.trap(code)
    }

    /// A trap where the thread is.
    pub(super) fn trap(&mut self, code: TrapCode) -> Trap {
        self.state.trap(code)
    }
}

impl<M: Memory> Run<'_, M> {
    /// Runs handlers until the thread ends, waits, or has had its turn.
    fn run(&mut self, stack: &mut [u32]) -> Exit {
        loop {
            match self.step(stack) {
                Exit::Next => {}
                Exit::Call => {
                    let callee = self.functions.get(self.callee as usize);
                    match self.at.call(stack, self.state.slots, callee, self.base) {
                        Ok(()) if self.spend() => {}
                        Ok(()) => return Exit::Slice,
                        Err(code) => {
                            self.at.pc -= 1;
                            return self.trap(code);
                        }
                    }
                }
                Exit::Return => {
                    let frame = self.at.frame;
                    let [pc, frame] = [frame - 2, frame - 1].map(|slot| stack[slot] as usize);
                    (self.at.pc, self.at.frame) = (pc, frame);
                }
                far @ (Exit::FarGet | Exit::FarSet) => {
                    if let Err(code) = self.far(stack, far) {
                        self.at.pc -= 1;
                        return self.trap(code);
                    }
                }
                exit => return exit,
            }
        }
    }

    /// Runs handlers in the current frame.
    #[inline(always)]
    fn step(&mut self, stack: &mut [u32]) -> Exit {
        let window = stack.get_mut(self.at.frame..);
        let window = window.and_then(|slots| slots.first_chunk_mut::<WINDOW>());
        let entries = self.code.get(self.at.pc..);
        match (window, entries.and_then(<[_]>::split_first)) {
            (Some(window), Some((ins, rest))) => {
                let Held {
                    integer,
                    single,
                    double,
                } = self.held;
                (ins.handler)(ins, rest.iter(), window, self, integer, single, double)
            }
            _ => self.trap(TrapCode::StackExhausted),
        }
    }

    fn trap(&mut self, code: TrapCode) -> Exit {
        self.trap = code;
        Exit::Trap
    }

    /// Moves a slot that no operand can name.
    fn far(&mut self, stack: &mut [u32], exit: Exit) -> Result<(), TrapCode> {
        let ins = self.code.get(self.at.pc.wrapping_sub(1));
        let ins = ins.ok_or(TrapCode::Unreachable)?;
        let near = self.at.frame + usize::from(ins.a);
        let far = self.at.frame + ins.number();
        if far >= stack.len() {
            return Err(TrapCode::StackExhausted);
        }
        match exit == Exit::FarGet {
            true => stack[near] = stack[far],
            false => stack[far] = stack[near],
        }
        Ok(())
    }
}

impl<M: Memory> State<M> {
    /// Fuel for the next slice, or the end where there is none.
    fn pause(&mut self) -> Stop {
        if self.reserve == 0 {
            return Stop::Trapped(self.trap(TrapCode::FuelExhausted));
        }
        self.at.budget = self.reserve.min(self.program.slice);
        self.reserve -= self.at.budget;
        Stop::Slice
    }

    /// A trap where the thread is.
    fn trap(&mut self, code: TrapCode) -> Trap {
        let word = self.program.words.get(self.at.pc).copied();
        let message = self.message.take();
        trap_at(&self.program.source, word.unwrap_or(0), code, message)
    }
}
