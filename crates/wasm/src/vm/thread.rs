//! A thread of a kernel: its state, and the loop that runs it until it ends or waits.
//!
//! Handlers tail-call each other; they return to the loop only for events that change the frame or
//! need the scheduler. The loop then takes the new register window from the stack. A thread is
//! plain data: it can be suspended and resumed on any OS thread.

use std::sync::Arc;

use crate::bytecode::{Limits, MAX_TABLES, Trap, TrapCode};
use crate::runtime::{FileRequest, LaunchError, ThreadIds, trap_at};

use super::alloc::{copied, with_capacity, zeroed};
use super::budget::MemoryBudget;
use super::memory::Memory;
use super::program::{FunctionEntry, Ins, Program};
use super::resources::{GroupMemory, SharedResources};
use super::window::{StackCache, WINDOW};

/// Why handlers returned to the loop. A plain number: an enum with payload would be taken apart and
/// put together again after the calls of handlers, which then could not become jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Continue at `pc`.
    Next,
    /// Enter function `callee` with its frame at slot `base`; `pc` is the return address.
    Call,
    /// Return from the function.
    Return,
    /// Read a far slot.
    FarGet,
    /// Write a far slot.
    FarSet,
    /// The time slice is used up; continue at `pc`.
    Slice,
    /// The thread has ended.
    Done,
    /// A trap at `pc`, with the code in [`Executor::trap`].
    Trap,
    /// Wait for [`Executor::wait`]; then continue at `pc`.
    Wait,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// A barrier: the other threads of its workgroup.
    Barrier,
    /// A file operation, `pending_file`; the result goes to slot `result_slot`.
    File,
    /// A work item, for slot `result_slot`.
    Work,
}

/// A pending file operation, and the address in memory 0 for its result bytes.
#[derive(Clone, Debug)]
pub(super) struct PendingFile {
    pub(super) request: FileRequest,
    pub(super) buffer: u32,
}

/// Why the thread was suspended, or that it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    Done,
    Trapped(Trap),
    Waits(Wait),
    /// The time slice is used up.
    Slice,
}

/// A table of references.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) elements: Vec<u32>,
    pub(super) maximum: u32,
}

/// The name in error messages.
const TABLE: &str = "a table";

impl Table {
    /// A table of null references with its initial size.
    pub(super) fn new(limits: &Limits) -> Result<Self, LaunchError> {
        Ok(Self {
            elements: zeroed(limits.initial as usize, TABLE)?,
            maximum: limits.maximum.unwrap_or(MAX_TABLES).min(MAX_TABLES),
        })
    }
}

/// The tables, globals and dropped segments of an instance: the store of the WebAssembly
/// specification, without memories.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) tables: Vec<Table>,
    pub(super) globals: Vec<u32>,
    pub(super) dropped_data: Vec<bool>,
    pub(super) dropped_elements: Vec<bool>,
    /// The budget for the growth of tables.
    pub(super) growth: MemoryBudget,
}

impl Store {
    /// Grows a table with an initial value; returns the old size, if that is possible. All tables
    /// of an instance together are limited to [`MAX_TABLES`].
    pub(super) fn grow_table(&mut self, table: usize, count: u32, value: u32) -> Option<u32> {
        let all: usize = self.tables.iter().map(|table| table.elements.len()).sum();
        let table = self.tables.get_mut(table)?;
        let before = table.elements.len() as u32;
        let after = before.checked_add(count)?;
        if after > table.maximum || all.checked_add(count as usize)? > MAX_TABLES as usize {
            return None;
        }
        self.growth
            .take(u64::from(count) * size_of::<u32>() as u64)
            .ok()?;
        table.elements.try_reserve(count as usize).ok()?;
        table.elements.resize(after as usize, value);
        Some(before)
    }

    /// A copy, for another thread.
    pub(super) fn copy(&self) -> Result<Self, LaunchError> {
        let mut tables = with_capacity(self.tables.len(), TABLE)?;
        for table in &self.tables {
            tables.push(Table {
                elements: copied(&table.elements, TABLE)?,
                maximum: table.maximum,
            });
        }
        Ok(Self {
            tables,
            globals: copied(&self.globals, "globals")?,
            dropped_data: copied(&self.dropped_data, "segments")?,
            dropped_elements: copied(&self.dropped_elements, "segments")?,
            growth: self.growth.share(),
        })
    }

    /// Restores the state of the store that it was copied from.
    pub(super) fn renew(&mut self, first: &Self) {
        // Tables and globals never shrink, so the copy fits.
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
    pub(super) state: ThreadState<M>,
}

/// The state of a thread, without memory 0 and the stack.
pub(super) struct ThreadState<M: Memory> {
    position: ExecutionPosition,
    /// Fuel for later slices, in back edges and calls.
    reserve: u64,
    /// Stack index of the first frame; its two link slots come before it.
    first: usize,
    /// Stack slots that frames may take.
    slots: usize,
    pub(super) store: Store,
    /// Memories 1 and up.
    pub(super) memories: Vec<M>,
    pub(super) program: Arc<Program<M>>,
    pub(super) resources: Arc<SharedResources>,
    pub(super) group: Arc<GroupMemory>,
    pub(super) ids: ThreadIds,
    /// The slot of the frame for the result of a pending operation.
    pub(super) result_slot: u8,
    pub(super) pending_file: Option<PendingFile>,
    /// The panic message.
    pub(super) message: Option<String>,
}

/// The execution position of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExecutionPosition {
    /// The next instruction; handlers set it before they return.
    pub(super) pc: usize,
    /// Stack index of the current frame.
    frame: usize,
    /// Fuel left in this slice: back edges and calls.
    budget: u64,
}

impl ExecutionPosition {
    /// Enters a function, with its frame at a slot of the current one.
    #[inline(always)]
    fn call(
        &mut self,
        stack: &mut [u32],
        slots: usize,
        callee: Option<&FunctionEntry>,
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

/// The state of a running thread, as handlers access it: the fields that they need most.
pub(super) struct Executor<'a, M: Memory> {
    pub(super) code: &'a [Ins<M>],
    /// Memory 0.
    pub(super) memory: &'a mut M,
    pub(super) position: ExecutionPosition,
    functions: &'a [FunctionEntry],
    /// For [`Exit::Call`]: the called function, and where its frame begins in the current one.
    pub(super) callee: u32,
    pub(super) base: u32,
    /// The trap code or wait reason, for [`Exit::Trap`] and [`Exit::Wait`].
    pub(super) trap: TrapCode,
    pub(super) wait: Wait,
    /// The results held in registers when the handler returned.
    pub(super) cache: StackCache,
    pub(super) state: &'a mut ThreadState<M>,
}

impl<M: Memory> Executor<'_, M> {
    /// Takes one unit of fuel; returns whether there was one left in this slice.
    #[inline(always)]
    pub(super) fn spend(&mut self) -> bool {
        let left = self.position.budget.checked_sub(1);
        self.position.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes fuel for work on that many bytes, which bounds the time of a slice.
    pub(super) fn charge(&mut self, bytes: u32) {
        self.position.budget = self.position.budget.saturating_sub(u64::from(bytes >> 10));
    }

    /// Whether this slice has fuel left. Checked after bulk operations, which may follow each other
    /// without a jump.
    #[inline(always)]
    pub(super) fn has_budget(&self) -> bool {
        self.position.budget > 0
    }
}

/// The parts from which a thread is created.
pub(super) struct ThreadParts<M: Memory> {
    /// All memories, in order; an empty first one if the program has none.
    pub(super) memory: M,
    pub(super) memories: Vec<M>,
    pub(super) store: Store,
    pub(super) program: Arc<Program<M>>,
    pub(super) resources: Arc<SharedResources>,
    pub(super) group: Arc<GroupMemory>,
    pub(super) ids: ThreadIds,
    pub(super) stack: Vec<u32>,
    pub(super) fuel: Option<u64>,
}

/// Slots of a cache line. A register pair that crosses two lines is slow, so the first frame is
/// aligned.
const LINE: usize = 16;

/// A stack with that many slots for frames.
pub(super) fn stack(slots: u32) -> Result<Vec<u32>, LaunchError> {
    zeroed(slots as usize + LINE + WINDOW, "a stack")
}

impl<M: Memory> Thread<M> {
    pub(super) fn new(parts: ThreadParts<M>) -> Self {
        // A misaligned stack is still correct.
        let bytes = parts.stack.as_ptr().addr() + 2 * size_of::<u32>();
        let line = LINE * size_of::<u32>();
        let first = 2 + (bytes.next_multiple_of(line) - bytes) / size_of::<u32>();
        let state = ThreadState {
            position: ExecutionPosition {
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
            resources: parts.resources,
            group: parts.group,
            ids: parts.ids,
            result_slot: 0,
            pending_file: None,
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

    /// Prepares a call of a function. It starts when the thread is resumed.
    pub(super) fn enter(&mut self, function: u32, args: impl Iterator<Item = u32>) {
        let state = &mut self.state;
        state.position.frame = state.first - 2;
        state.position.pc = 0;
        for (slot, value) in self.stack[state.first..].iter_mut().zip(args) {
            *slot = value;
        }
        // The outermost function returns to address 0, which is `end`.
        let callee = state.program.functions.get(function as usize);
        let entered = state.position.call(&mut self.stack, state.slots, callee, 2);
        if entered.is_err() {
            // An invalid address traps on resume.
            state.position.pc = usize::MAX;
        }
    }

    /// The slots in which the outermost function leaves its results.
    pub(super) fn results(&self) -> &[u32] {
        &self.stack[self.state.first..]
    }

    /// Completes a pending operation with its result.
    pub(super) fn complete(&mut self, value: u32) {
        let slot = self.state.position.frame + usize::from(self.state.result_slot);
        self.stack[slot] = value;
    }

    /// Performs the pending file operation.
    pub(super) fn serve_file(&mut self) {
        if let Some(pending_file) = self.state.pending_file.take() {
            let reply = self.state.resources.files.serve(&pending_file.request);
            // The buffer was in bounds when the operation was requested, and memories never shrink.
            let _there = self
                .memory
                .write(pending_file.buffer as usize, &reply.bytes);
            self.complete(reply.code as u32);
        }
    }

    /// Reuses the thread as another one of the launch; its memory is reset separately.
    pub(super) fn renew(&mut self, ids: ThreadIds, group: &Arc<GroupMemory>, fuel: Option<u64>) {
        let state = &mut self.state;
        (state.ids, state.pending_file, state.message) = (ids, None, None);
        if !Arc::ptr_eq(&state.group, group) {
            state.group = Arc::clone(group);
        }
        self.refuel(fuel);
    }

    fn refuel(&mut self, fuel: Option<u64>) {
        let fuel = fuel.unwrap_or(u64::MAX);
        self.state.position.budget = fuel.min(self.state.program.slice);
        self.state.reserve = fuel - self.state.position.budget;
    }

    /// Runs until the thread ends, waits, or has used up its time slice.
    ///
    /// `program` is the thread's own, passed as a reference: incrementing its reference count would
    /// be slow among many cores.
    pub(super) fn resume(&mut self, program: &Program<M>) -> StopReason {
        let Self {
            memory,
            stack,
            state,
        } = self;
        let mut run = Executor {
            code: &program.code,
            memory,
            position: state.position,
            functions: &program.functions,
            callee: 0,
            base: 0,
            trap: TrapCode::Unreachable,
            wait: Wait::Barrier,
            cache: StackCache::default(),
            state,
        };
        let exit = run.run(stack);
        let (position, trap, wait) = (run.position, run.trap, run.wait);
        self.state.position = position;
        match exit {
            Exit::Done => StopReason::Done,
            Exit::Wait => StopReason::Waits(wait),
            Exit::Trap => StopReason::Trapped(self.state.trap(trap)),
            _ => self.state.pause(),
        }
    }

    /// A trap at the instruction at which the thread waits.
    pub(super) fn trap_before(&mut self, code: TrapCode) -> Trap {
        self.state.position.pc = self.state.position.pc.saturating_sub(1);
        self.state.trap(code)
    }

    /// A trap at the current instruction.
    pub(super) fn trap(&mut self, code: TrapCode) -> Trap {
        self.state.trap(code)
    }
}

impl<M: Memory> Executor<'_, M> {
    /// Runs handlers until the thread ends, waits, or has used up its time slice.
    fn run(&mut self, stack: &mut [u32]) -> Exit {
        loop {
            match self.step(stack) {
                Exit::Next => {}
                Exit::Call => {
                    let callee = self.functions.get(self.callee as usize);
                    match self
                        .position
                        .call(stack, self.state.slots, callee, self.base)
                    {
                        Ok(()) if self.spend() => {}
                        Ok(()) => return Exit::Slice,
                        Err(code) => {
                            self.position.pc -= 1;
                            return self.trap(code);
                        }
                    }
                }
                Exit::Return => {
                    let frame = self.position.frame;
                    let [pc, frame] = [frame - 2, frame - 1].map(|slot| stack[slot] as usize);
                    (self.position.pc, self.position.frame) = (pc, frame);
                }
                far @ (Exit::FarGet | Exit::FarSet) => {
                    if let Err(code) = self.far(stack, far) {
                        self.position.pc -= 1;
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
        let window = stack
            .get_mut(self.position.frame..)
            .and_then(|slots| slots.first_chunk_mut::<WINDOW>());
        let entries = self.code.get(self.position.pc..);
        match (window, entries.and_then(<[_]>::split_first)) {
            (Some(window), Some((ins, rest))) => {
                let StackCache {
                    integer,
                    single,
                    double,
                } = self.cache;
                (ins.handler)(ins, rest.iter(), window, self, integer, single, double)
            }
            _ => self.trap(TrapCode::StackExhausted),
        }
    }

    fn trap(&mut self, code: TrapCode) -> Exit {
        self.trap = code;
        Exit::Trap
    }

    /// Moves a far slot.
    fn far(&mut self, stack: &mut [u32], exit: Exit) -> Result<(), TrapCode> {
        let ins = self
            .code
            .get(self.position.pc.wrapping_sub(1))
            .ok_or(TrapCode::Unreachable)?;
        let near = self.position.frame + usize::from(ins.a);
        let far = self.position.frame + ins.number();
        if far >= stack.len() {
            return Err(TrapCode::StackExhausted);
        }
        if exit == Exit::FarGet {
            stack[near] = stack[far];
        } else {
            stack[far] = stack[near];
        }
        Ok(())
    }
}

impl<M: Memory> ThreadState<M> {
    /// Takes fuel for the next slice; a trap if there is none.
    fn pause(&mut self) -> StopReason {
        if self.reserve == 0 {
            return StopReason::Trapped(self.trap(TrapCode::FuelExhausted));
        }
        self.position.budget = self.reserve.min(self.program.slice);
        self.reserve -= self.position.budget;
        StopReason::Slice
    }

    /// A trap at the current instruction.
    fn trap(&mut self, code: TrapCode) -> Trap {
        let word = self.program.words.get(self.position.pc).copied();
        let message = self.message.take();
        trap_at(&self.program.source, word.unwrap_or(0), code, message)
    }
}
