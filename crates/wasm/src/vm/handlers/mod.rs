//! One function for each instruction. Each ends with a call of the next one's, which the compiler
//! makes a jump: for that, nothing that needs dropping and no borrowed local may be alive there.
//!
//! Each family of instructions is a table of its own, from which its handlers and the way from an
//! opcode to its handler are made.

mod control;
mod convert;
mod float;
mod host;
mod integer;
mod memory;
mod moves;
mod table;

use crate::bytecode::{Op, TrapCode};

use super::memory::Memory;
use super::program::{Handler, Ins};
use super::thread::{Exit, Thread};
use super::window::{Slot, Window};

pub(super) use control::data;
pub(super) use host::of as host;
pub(super) use memory::of_other as of_other_memory;

/// An opcode's handler.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    let families = [
        control::of,
        moves::of,
        memory::of,
        table::of::<M, 0>,
        integer::of,
        float::of,
        convert::of::<M, 0>,
        host::op::<M, 0>,
    ];
    families.iter().find_map(|family| family(op))
}

/// The handler of a constant together with the instruction behind it, for those that often follow
/// one: it saves a jump. The second instruction stays where it is, for whoever jumps there.
pub(super) fn of_constant_and<M: Memory>(constant: Op, op: Op) -> Option<Handler<M>> {
    match constant {
        Op::Const => integer::after::<M, 1>(op).or_else(|| float::single::<M, 1>(op)),
        Op::Const64 => integer::after::<M, 2>(op).or_else(|| float::double::<M, 2>(op)),
        _ => None,
    }
}

/// The handler of a jump that goes back, and counts fuel.
pub(super) fn backward<M: Memory>(op: Op) -> Option<Handler<M>> {
    control::back(op).or_else(|| integer::back(op))
}

/// The handler of a comparison whose constant lies in the operands `b` and `c`.
pub(super) fn short_constant<M: Memory>(op: Op, back: bool) -> Option<Handler<M>> {
    match back {
        true => integer::back_short(op),
        false => integer::short(op),
    }
}

/// Goes on with the instruction at `pc`.
#[cfg(not(dispatch_by_loop))]
#[inline(always)]
fn next<M: Memory>(
    code: &[Ins<M>],
    pc: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    match code.get(pc) {
        Some(ins) => (ins.handler)(ins, code, pc, window, thread),
        None => trap(pc, thread, TrapCode::Unreachable),
    }
}

/// The same by way of the thread's loop, where a call in tail position would not become a jump.
#[cfg(dispatch_by_loop)]
fn next<M: Memory>(_: &[Ins<M>], pc: usize, _: &mut Window, thread: &mut Thread<M>) -> Exit {
    leave(pc, thread, Exit::Next)
}

/// Goes on with the instruction at `target`, which is at or before this one, if there is fuel.
#[inline(always)]
fn back<M: Memory>(
    code: &[Ins<M>],
    target: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    match thread.spend() {
        true => next(code, target, window, thread),
        false => leave(target, thread, Exit::Slice),
    }
}

/// Comes back to the thread's loop.
#[inline(always)]
fn leave<M: Memory>(pc: usize, thread: &mut Thread<M>, exit: Exit) -> Exit {
    thread.pc = pc;
    exit
}

/// Stops with a trap.
#[cold]
fn trap<M: Memory>(pc: usize, thread: &mut Thread<M>, code: TrapCode) -> Exit {
    leave(pc, thread, Exit::Trap(code))
}

/// Does what comes first in a handler of two instructions: a constant of `LEAD` words, or nothing.
/// Gives the second one and its place.
#[inline(always)]
fn lead<'a, M: Memory, const LEAD: usize>(
    ins: &'a Ins<M>,
    code: &'a [Ins<M>],
    pc: usize,
    window: &mut Window,
) -> Option<(&'a Ins<M>, usize)> {
    match LEAD {
        0 => return Some((ins, pc)),
        1 => u32::set(window, ins.a, ins.imm),
        _ => {
            let high = u64::from(code.get(pc + 1)?.imm);
            u64::set(window, ins.a, u64::from(ins.imm) | high << 32);
        }
    }
    Some((code.get(pc + LEAD)?, pc + LEAD))
}

/// Declares handlers and the function that finds them by their opcode, alone or behind a constant
/// of `LEAD` words. A body may use `?` on results
/// with a trap's code; then it goes on with the next instruction.
macro_rules! handlers {
    ($(#[$doc:meta])* $vis:vis fn $find:ident; $($op:ident |$ins:ident, $window:ident, $thread:ident| $body:expr;)*) => {
        $(#[$doc])*
        $vis fn $find<M: Memory, const LEAD: usize>(op: Op) -> Option<Handler<M>> {
            $(
                #[expect(non_snake_case, reason = "the opcode's name")]
                fn $op<M: Memory, const LEAD: usize>(
                    $ins: &Ins<M>,
                    code: &[Ins<M>],
                    pc: usize,
                    $window: &mut Window,
                    $thread: &mut Thread<M>,
                ) -> Exit {
                    let ($ins, pc) = match lead::<M, LEAD>($ins, code, pc, $window) {
                        Some(own) => own,
                        None => return trap(pc, $thread, TrapCode::Unreachable),
                    };
                    #[inline(always)]
                    fn body<M: Memory>(
                        $ins: &Ins<M>,
                        $window: &mut Window,
                        $thread: &mut Thread<M>,
                    ) -> Result<(), TrapCode> {
                        let _unused = (&$ins, &$thread);
                        $body;
                        Ok(())
                    }
                    match body($ins, $window, $thread) {
                        Ok(()) => next(code, pc + 1, $window, $thread),
                        Err(code) => trap(pc, $thread, code),
                    }
                }
            )*
            match op {
                $(Op::$op => Some($op::<M, LEAD>),)*
                _ => None,
            }
        }
    };
}

use handlers;
