//! Jumps, calls and ends.

use crate::bytecode::{Op, TrapCode};

use super::super::thread::Exit;
use super::super::window::Slot;
use super::{
    Handler, Ins, Memory, Thread, Window, back as go_back, handlers, lead, leave, next, trap,
};

handlers! {
    fn straight;
    Nop |_ins, _w, _t| ();
    Unreachable |_ins, _w, _t| Err(TrapCode::Unreachable)?;
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    Some(match op {
        Op::End => |_, _, pc, _, thread| leave(pc, thread, Exit::Done),
        Op::Return => |_, _, pc, _, thread| leave(pc, thread, Exit::Return),
        Op::Jump => jump::<M, false>,
        Op::BrIf => br_if::<M, false, true>,
        Op::BrIfZero => br_if::<M, false, false>,
        Op::BrTable => br_table,
        Op::Call => call,
        Op::CallIndirect => call_indirect,
        _ => return straight::<M, 0>(op),
    })
}

/// The handler of a jump that goes back.
pub(super) fn back<M: Memory>(op: Op) -> Option<Handler<M>> {
    match op {
        Op::Jump => Some(jump::<M, true>),
        Op::BrIf => Some(br_if::<M, true, true>),
        Op::BrIfZero => Some(br_if::<M, true, false>),
        _ => None,
    }
}

/// What only carries data is never run.
pub(in super::super) fn data<M: Memory>(
    _: &Ins<M>,
    _: &[Ins<M>],
    pc: usize,
    _: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    trap(pc, thread, TrapCode::Unreachable)
}

fn jump<M: Memory, const BACK: bool>(
    ins: &Ins<M>,
    code: &[Ins<M>],
    _: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    match BACK {
        true => go_back(code, ins.imm as usize, window, thread),
        false => next(code, ins.imm as usize, window, thread),
    }
}

fn br_if<M: Memory, const BACK: bool, const WHEN: bool>(
    ins: &Ins<M>,
    code: &[Ins<M>],
    pc: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    if (u32::get(window, ins.a) != 0) != WHEN {
        return next(code, pc + 1, window, thread);
    }
    match BACK {
        true => go_back(code, ins.imm as usize, window, thread),
        false => next(code, ins.imm as usize, window, thread),
    }
}

fn br_table<M: Memory>(
    ins: &Ins<M>,
    code: &[Ins<M>],
    pc: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    let index = u32::get(window, ins.a).min(ins.imm) as usize;
    match code.get(pc + 1 + index) {
        Some(entry) => go_back(code, entry.imm as usize, window, thread),
        None => trap(pc, thread, TrapCode::Unreachable),
    }
}

fn call<M: Memory>(
    ins: &Ins<M>,
    _: &[Ins<M>],
    pc: usize,
    _: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    (thread.callee, thread.base) = (ins.imm, ins.base());
    leave(pc + 1, thread, Exit::Call)
}

fn call_indirect<M: Memory>(
    ins: &Ins<M>,
    code: &[Ins<M>],
    pc: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    let operands = code.get(pc + 1).map_or((0, 0), |more| (more.a, more.b));
    let index = u32::get(window, operands.0);
    match callee(ins, index, operands.1, thread) {
        Ok(function) => {
            (thread.callee, thread.base) = (function, ins.base());
            leave(pc + 2, thread, Exit::Call)
        }
        Err(code) => trap(pc, thread, code),
    }
}

/// The function at an index of a table, if it has the instruction's type.
fn callee<M: Memory>(
    ins: &Ins<M>,
    index: u32,
    table: u8,
    thread: &Thread<M>,
) -> Result<u32, TrapCode> {
    let table = thread.store.tables.get(usize::from(table));
    let element = table.and_then(|table| table.elements.get(index as usize));
    let element = element.ok_or(TrapCode::UndefinedElement)?;
    let function = element.checked_sub(1);
    let function = function.ok_or(TrapCode::UninitializedElement)?;
    let entry = thread.program.functions.get(function as usize);
    match entry.ok_or(TrapCode::UndefinedElement)?.type_index == ins.imm {
        true => Ok(function),
        false => Err(TrapCode::IndirectCallType),
    }
}
