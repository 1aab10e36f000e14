//! The handlers: one function for each instruction and combination of operand sources.
//!
//! Each ends with a call of the next handler, which the compiler turns into a jump (a tail call);
//! for that, nothing that needs dropping and no borrowed local may be alive there. Complex handlers
//! return to the thread's loop instead; with `dispatch_by_loop` all of them do, on targets where
//! the call might not become a jump.
//!
//! Numeric operations are types, listed in tables; [`number`] has the generic handlers that execute
//! them. The rest are functions of their own.

mod control;
mod convert;
mod float;
mod host;
mod integer;
mod memory;
mod moves;
mod number;
mod operand;
mod table;

use crate::bytecode::{Op, TrapCode};

use super::memory::Memory;
use super::program::{Handler, Ins, InstructionStream};
use super::thread::{Executor, Exit};
use super::window::{Slot, StackCache, ValueKind, Window};

pub(super) use control::data;
pub(super) use float::commutes;
pub(super) use host::of as host;
pub(super) use integer::{count_and_branch, op_and_jump, shift_then};
pub(super) use memory::{indexed_access, of_other as of_other_memory};

/// The source of an operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    #[default]
    Slot,
    /// The register that holds the latest result of its kind.
    Register,
    /// An immediate in the entry itself.
    Immediate,
    /// An immediate in the next entry.
    NextEntry,
}

/// Selects one of an instruction's specialized handlers. At most one operand is held in a register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperandForm {
    pub(super) x: Source,
    pub(super) y: Source,
    /// A back edge: a jump to this place or an earlier one, which consumes fuel.
    pub(super) back: bool,
}

/// The kinds of an instruction's operands and result, if they can be held in registers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperandKinds {
    pub(super) x: Option<ValueKind>,
    pub(super) y: Option<ValueKind>,
    pub(super) to: Option<ValueKind>,
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    let families = [
        integer::of,
        float::of,
        convert::of,
        memory::of,
        moves::of,
        control::of,
        table::of,
        host::op,
    ];
    families.iter().find_map(|family| family(op, form))
}

/// The operand kinds of an opcode. After an opcode without kinds, nothing is held.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    let families = [
        integer::kinds,
        float::kinds,
        convert::kinds,
        memory::kinds,
        moves::kinds,
        control::kinds,
    ];
    families.iter().find_map(|family| family(op))
}

/// The handler of a comparison and a branch on its result, taken if the result is `when`.
pub(super) fn compare_and_branch<M: Memory>(
    op: Op,
    form: OperandForm,
    when: bool,
) -> Option<Handler<M>> {
    float::compare_and_branch(op, form, when)
        .or_else(|| integer::compare_and_branch(op, form, when))
}

/// Tail-calls the handler of the next instruction.
#[cfg(not(dispatch_by_loop))]
#[inline(always)]
fn next<'a, M: Memory>(
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    cache: StackCache,
) -> Exit {
    match rest.next() {
        Some(ins) => (ins.handler)(
            ins,
            rest,
            window,
            run,
            cache.integer,
            cache.single,
            cache.double,
        ),
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

/// Returns to the thread's loop for the next instruction, on targets without reliable tail calls.
#[cfg(dispatch_by_loop)]
fn next<'a, M: Memory>(
    rest: InstructionStream<'a, M>,
    _: &mut Window,
    run: &mut Executor<'a, M>,
    cache: StackCache,
) -> Exit {
    run.cache = cache;
    leave(rest, run, Exit::Next)
}

/// Continues with the next instruction through the thread's loop, with nothing held. If the slice's
/// fuel is used up, the thread is suspended.
#[inline(always)]
fn step<'a, M: Memory>(rest: InstructionStream<'a, M>, run: &mut Executor<'a, M>) -> Exit {
    let exit = if run.has_budget() {
        Exit::Next
    } else {
        Exit::Slice
    };
    leave(rest, run, exit)
}

/// Jumps to an instruction; a back edge consumes fuel.
#[inline(always)]
fn jump<'a, M: Memory, const BACK: bool>(
    target: u32,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    cache: StackCache,
) -> Exit {
    let code = run.code;
    match code.get(target as usize..) {
        Some(rest) if !BACK || run.spend() => next(rest.iter(), window, run, cache),
        Some(rest) => pause(rest.iter(), run),
        None => trap(code.iter(), run, TrapCode::Unreachable),
    }
}

/// Suspends the thread at the end of its time slice.
#[cold]
#[inline(never)]
fn pause<'a, M: Memory>(rest: InstructionStream<'a, M>, run: &mut Executor<'a, M>) -> Exit {
    leave(rest, run, Exit::Slice)
}

/// Returns to the thread's loop, which continues with `rest`.
#[inline(always)]
fn leave<'a, M: Memory>(
    rest: InstructionStream<'a, M>,
    run: &mut Executor<'a, M>,
    exit: Exit,
) -> Exit {
    run.position.pc = run.code.len() - rest.len();
    exit
}

/// Traps at the instruction before `rest`.
#[cold]
#[inline(never)]
fn trap<'a, M: Memory>(
    rest: InstructionStream<'a, M>,
    run: &mut Executor<'a, M>,
    code: TrapCode,
) -> Exit {
    run.position.pc = (run.code.len() - rest.len()).saturating_sub(1);
    run.trap = code;
    Exit::Trap
}

/// Declares handlers and the function that looks them up by opcode. A body may use `?` on results
/// with a trap code, and do anything: the next instruction runs from the thread's loop.
macro_rules! handlers {
    ($(#[$doc:meta])* $vis:vis fn $find:ident; $($op:ident |$ins:ident, $window:ident, $run:ident| $body:expr;)*) => {
        $(#[$doc])*
        $vis fn $find<M: Memory>(op: Op, _: OperandForm) -> Option<Handler<M>> {
            $(
                #[expect(non_snake_case, reason = "the opcode's name")]
                fn $op<'a, M: Memory>(
                    ins: &'a Ins<M>,
                    rest: InstructionStream<'a, M>,
                    window: &mut Window,
                    run: &mut Executor<'a, M>,
                    _: u64,
                    _: f32,
                    _: f64,
                ) -> Exit {
                    #[inline(always)]
                    fn body<M: Memory>(
                        $ins: &Ins<M>,
                        $window: &mut Window,
                        $run: &mut Executor<'_, M>,
                    ) -> Result<(), TrapCode> {
                        let _unused = (&$ins, &$run);
                        $body;
                        Ok(())
                    }
                    match body(ins, window, run) {
                        Ok(()) => step(rest, run),
                        Err(code) => trap(rest, run, code),
                    }
                }
            )*
            match op {
                $(Op::$op => Some($op::<M>),)*
                _ => None,
            }
        }
    };
}

use handlers;
