//! One function for each instruction. Each ends with a call of the next one's, which the compiler
//! makes a jump: for that, nothing that needs dropping and no borrowed local may be alive there. Those
//! that do more than a few steps come back to the thread's loop instead; so do all of them where calls
//! might not become jumps.
//!
//! Operations on numbers are types, listed in tables; [`number`] has the functions that carry one out,
//! by where its operands come from. The rest are functions of their own.

mod control;
mod convert;
mod float;
mod host;
mod integer;
mod memory;
mod moves;
mod number;
mod table;

use crate::bytecode::{Op, TrapCode};

use super::memory::Memory;
use super::program::{Handler, Ins, Rest};
use super::thread::{Exit, Run};
use super::window::{Held, Kind, Slot, Window};

pub(super) use control::data;
pub(super) use float::commutes;
pub(super) use host::of as host;
pub(super) use integer::{and_jump, counted, mixed};
pub(super) use memory::{indexed, of_other as of_other_memory};

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    #[default]
    Slot,
    /// From the register that results of its kind are held in.
    Held,
    /// From the entry itself.
    Given,
    /// From the entry behind this one.
    Behind,
}

/// Which of an instruction's handlers is meant. At most one operand is held.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form {
    pub(super) x: Source,
    pub(super) y: Source,
    /// A jump to a place at or before this one, which counts fuel.
    pub(super) back: bool,
}

/// How an instruction's operands may be held, and how its result is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    pub(super) x: Option<Kind>,
    pub(super) y: Option<Kind>,
    pub(super) to: Option<Kind>,
}

/// An opcode's handler.
pub(super) fn of<M: Memory>(op: Op, form: Form) -> Option<Handler<M>> {
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

/// What is known of an opcode. Of those that nothing is known of, nothing is held behind them.
pub(super) fn kinds(op: Op) -> Option<Kinds> {
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

/// The handler of a comparison and the branch behind it, taken when its result is so.
pub(super) fn compared<M: Memory>(op: Op, form: Form, when: bool) -> Option<Handler<M>> {
    float::compared(op, form, when).or_else(|| integer::compared(op, form, when))
}

/// Goes on with the next instruction.
#[cfg(not(dispatch_by_loop))]
#[inline(always)]
fn next<'a, M: Memory>(
    mut rest: Rest<'a, M>,
    window: &mut Window,
    run: &mut Run<'a, M>,
    held: Held,
) -> Exit {
    match rest.next() {
        Some(ins) => (ins.handler)(
            ins,
            rest,
            window,
            run,
            held.integer,
            held.single,
            held.double,
        ),
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

/// The same by way of the thread's loop, where a call in tail position would not become a jump.
#[cfg(dispatch_by_loop)]
fn next<'a, M: Memory>(
    rest: Rest<'a, M>,
    _: &mut Window,
    run: &mut Run<'a, M>,
    held: Held,
) -> Exit {
    run.held = held;
    leave(rest, run, Exit::Next)
}

/// Goes on with the next instruction by way of the thread's loop, with nothing held.
/// One that has used the slice's fuel up lets others have their turn.
#[inline(always)]
fn step<'a, M: Memory>(rest: Rest<'a, M>, run: &mut Run<'a, M>) -> Exit {
    let exit = match run.has_budget() {
        true => Exit::Next,
        false => Exit::Slice,
    };
    leave(rest, run, exit)
}

/// Goes on with the instruction at a place; one that does not lie behind this one needs fuel.
#[inline(always)]
fn jump<'a, M: Memory, const BACK: bool>(
    target: u32,
    window: &mut Window,
    run: &mut Run<'a, M>,
    held: Held,
) -> Exit {
    let code = run.code;
    match code.get(target as usize..) {
        Some(rest) if !BACK || run.spend() => next(rest.iter(), window, run, held),
        Some(rest) => pause(rest.iter(), run),
        None => trap(code.iter(), run, TrapCode::Unreachable),
    }
}

/// Lets others have their turn.
#[cold]
#[inline(never)]
fn pause<'a, M: Memory>(rest: Rest<'a, M>, run: &mut Run<'a, M>) -> Exit {
    leave(rest, run, Exit::Slice)
}

/// Comes back to the thread's loop, to go on with what is left.
#[inline(always)]
fn leave<'a, M: Memory>(rest: Rest<'a, M>, run: &mut Run<'a, M>, exit: Exit) -> Exit {
    run.at.pc = run.code.len() - rest.len();
    exit
}

/// Stops with a trap at the instruction before what is left.
#[cold]
#[inline(never)]
fn trap<'a, M: Memory>(rest: Rest<'a, M>, run: &mut Run<'a, M>, code: TrapCode) -> Exit {
    run.at.pc = (run.code.len() - rest.len()).saturating_sub(1);
    run.trap = code;
    Exit::Trap
}

/// Declares handlers and the function that finds them by their opcode. A body may use `?` on results
/// with a trap's code, and do whatever it likes: the next instruction runs from the thread's loop.
macro_rules! handlers {
    ($(#[$doc:meta])* $vis:vis fn $find:ident; $($op:ident |$ins:ident, $window:ident, $run:ident| $body:expr;)*) => {
        $(#[$doc])*
        $vis fn $find<M: Memory>(op: Op, _: Form) -> Option<Handler<M>> {
            $(
                #[expect(non_snake_case, reason = "the opcode's name")]
                fn $op<'a, M: Memory>(
                    ins: &'a Ins<M>,
                    rest: Rest<'a, M>,
                    window: &mut Window,
                    run: &mut Run<'a, M>,
                    _: u64,
                    _: f32,
                    _: f64,
                ) -> Exit {
                    #[inline(always)]
                    fn body<M: Memory>(
                        $ins: &Ins<M>,
                        $window: &mut Window,
                        $run: &mut Run<'_, M>,
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
