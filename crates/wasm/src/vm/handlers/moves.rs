//! Moving values between slots and globals.

use crate::bytecode::{Op, TrapCode};

use super::super::window::Slot;
use super::{Exit, Handler, Ins, Memory, Thread, Window, handlers, lead, leave, next, trap};

handlers! {
    fn one_entry;
    Move |ins, w, _t| u32::set(w, ins.a, u32::get(w, ins.b));
    Move64 |ins, w, _t| u64::set(w, ins.a, u64::get(w, ins.b));
    Const |ins, w, _t| u32::set(w, ins.a, ins.imm);
    Select |ins, w, _t| {
        let first = u32::get(w, ins.imm as u8) != 0;
        let slot = if first { ins.b } else { ins.c };
        u32::set(w, ins.a, u32::get(w, slot));
    };
    Select64 |ins, w, _t| {
        let first = u32::get(w, ins.imm as u8) != 0;
        let slot = if first { ins.b } else { ins.c };
        u64::set(w, ins.a, u64::get(w, slot));
    };
    GlobalGet |ins, w, t| u32::set(w, ins.a, global(t, ins.number())?);
    GlobalSet |ins, w, t| set_global(t, ins.number(), u32::get(w, ins.a))?;
    GlobalGet64 |ins, w, t| {
        let [low, high] = [global(t, ins.number())?, global(t, ins.number() + 1)?];
        u64::set(w, ins.a, u64::from(low) | u64::from(high) << 32);
    };
    GlobalSet64 |ins, w, t| {
        let value = u64::get(w, ins.a);
        set_global(t, ins.number(), value as u32)?;
        set_global(t, ins.number() + 1, (value >> 32) as u32)?;
    };
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    match op {
        Op::Const64 => Some(const64),
        Op::FarGet => Some(|_, _, pc, _, thread| leave(pc, thread, Exit::FarGet)),
        Op::FarSet => Some(|_, _, pc, _, thread| leave(pc, thread, Exit::FarSet)),
        _ => one_entry::<M, 0>(op),
    }
}

// Globals are verified: one that is not there is a fault in the bytecode, not of the program.
#[inline(always)]
fn global<M: Memory>(thread: &Thread<M>, slot: usize) -> Result<u32, TrapCode> {
    let global = thread.store.globals.get(slot).copied();
    global.ok_or(TrapCode::Unreachable)
}

#[inline(always)]
fn set_global<M: Memory>(thread: &mut Thread<M>, slot: usize, value: u32) -> Result<(), TrapCode> {
    let global = thread.store.globals.get_mut(slot);
    *global.ok_or(TrapCode::Unreachable)? = value;
    Ok(())
}

fn const64<M: Memory>(
    ins: &Ins<M>,
    code: &[Ins<M>],
    pc: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    match lead::<M, 2>(ins, code, pc, window) {
        Some((_, next_pc)) => next(code, next_pc, window, thread),
        None => trap(pc, thread, TrapCode::Unreachable),
    }
}
