//! Handlers of jumps, calls, returns and traps. Fused compare and branch is with the comparisons.

use crate::bytecode::{Op, TrapCode};

use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, OperandKinds, Slot,
    StackCache, Window, jump as jump_to, leave, next, trap,
};

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    Some(match op {
        Op::End => |_, rest, _, run, _, _, _| leave(rest, run, Exit::Done),
        Op::Return => |_, rest, _, run, _, _, _| leave(rest, run, Exit::Return),
        Op::Jump if form.back => jump::<M, true>,
        Op::Jump => jump::<M, false>,
        Op::BrTable => br_table,
        Op::Call => call,
        Op::CallIndirect => call_indirect,
        Op::Nop => nop,
        Op::Unreachable => |_, rest, _, run, _, _, _| trap(rest, run, TrapCode::Unreachable),
        _ => return None,
    })
}

/// The operand kinds of an opcode.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    match op {
        Op::Nop => Some(OperandKinds::default()),
        _ => None,
    }
}

/// Entries that only carry data are never executed.
pub(in super::super) fn data<'a, M: Memory>(
    _: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    _: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    trap(rest, run, TrapCode::Unreachable)
}

fn nop<'a, M: Memory>(
    _: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    next(rest, window, run, cache)
}

fn jump<'a, M: Memory, const BACK: bool>(
    ins: &'a Ins<M>,
    _: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    jump_to::<M, BACK>(ins.imm, window, run, cache)
}

fn br_table<'a, M: Memory>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    let index = u32::get(window, ins.a).min(ins.imm) as usize;
    match rest.as_slice().get(index) {
        Some(entry) => jump_to::<M, true>(entry.imm, window, run, StackCache::default()),
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

fn call<'a, M: Memory>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    _: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    (run.callee, run.base) = (ins.imm, ins.base());
    leave(rest, run, Exit::Call)
}

fn call_indirect<'a, M: Memory>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    let operands = rest.next().map_or((0, 0), |more| (more.a, more.b));
    let index = u32::get(window, operands.0);
    match callee(ins, index, operands.1, run) {
        Ok(function) => {
            (run.callee, run.base) = (function, ins.base());
            leave(rest, run, Exit::Call)
        }
        Err(code) => trap(rest, run, code),
    }
}

/// The function at an index of a table, if it has the expected type.
fn callee<M: Memory>(
    ins: &Ins<M>,
    index: u32,
    table: u8,
    run: &Executor<'_, M>,
) -> Result<u32, TrapCode> {
    let table = run.state.store.tables.get(usize::from(table));
    let element = table
        .and_then(|table| table.elements.get(index as usize))
        .ok_or(TrapCode::UndefinedElement)?;
    let function = element
        .checked_sub(1)
        .ok_or(TrapCode::UninitializedElement)?;
    let entry = run.state.program.functions.get(function as usize);
    if entry.ok_or(TrapCode::UndefinedElement)?.type_index == ins.imm {
        Ok(function)
    } else {
        Err(TrapCode::IndirectCallType)
    }
}
