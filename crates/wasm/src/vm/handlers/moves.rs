//! Handlers of moves, constants, selects and globals.

use crate::bytecode::{Op, TrapCode};

use super::number::{self, Unary, unaries};
use super::operand::{DirectSource, FromRegister, FromSlot};
use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, OperandKinds, Slot,
    Source, StackCache, ValueKind, Window, leave, next, trap,
};

unaries! {
    Move(x: u32) -> u32 = x;
    Move64(x: u64) -> u64 = x;
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    match op {
        Op::Const => Some(constant::<M, u32>),
        Op::Const64 => Some(constant::<M, u64>),
        Op::Select if form.x == Source::Register => Some(select::<M, u32, FromRegister>),
        Op::Select => Some(select::<M, u32, FromSlot>),
        Op::Select64 if form.x == Source::Register => Some(select::<M, u64, FromRegister>),
        Op::Select64 => Some(select::<M, u64, FromSlot>),
        Op::GlobalGet => Some(get_global::<M, u32>),
        Op::GlobalGet64 => Some(get_global::<M, u64>),
        Op::GlobalSet => Some(set_global::<M, 1>),
        Op::GlobalSet64 => Some(set_global::<M, 2>),
        Op::FarGet => Some(|_, rest, _, run, _, _, _| leave(rest, run, Exit::FarGet)),
        Op::FarSet => Some(|_, rest, _, run, _, _, _| leave(rest, run, Exit::FarSet)),
        _ => unary_of(op, form),
    }
}

/// The operand kinds of an opcode.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    let (x, to) = match op {
        Op::Select => (Some(ValueKind::Word), ValueKind::Word),
        Op::Select64 => (Some(ValueKind::Word), ValueKind::Wide),
        Op::GlobalGet => (None, ValueKind::Word),
        Op::GlobalGet64 => (None, ValueKind::Wide),
        _ => return unary_kinds(op),
    };
    let (y, to) = (None, Some(to));
    Some(OperandKinds { x, y, to })
}

// Global indices are verified: an invalid one is an error of the bytecode, not of the kernel.

fn get_global<'a, M: Memory, T: Slot>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let slot = ins.number();
    let globals = &run.state.store.globals;
    let low = globals.get(slot).copied();
    let value = low.and_then(|low| T::whole_constant(low, || globals.get(slot + 1).copied()));
    match value {
        Some(value) => {
            T::set(window, ins.a, value);
            next(rest, window, run, value.into_cache(cache))
        }
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

fn set_global<'a, M: Memory, const SLOTS: usize>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    let globals = run.state.store.globals.get_mut(ins.number()..);
    let values = window[usize::from(ins.a)..].first_chunk::<SLOTS>();
    match (globals.and_then(<[_]>::first_chunk_mut), values) {
        (Some(globals), Some(values)) => {
            *globals = *values;
            next(rest, window, run, StackCache::default())
        }
        _ => trap(rest, run, TrapCode::Unreachable),
    }
}

fn constant<'a, M: Memory, T: Slot>(
    ins: &'a Ins<M>,
    mut rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    match T::whole_constant(ins.imm, || rest.next().map(|more| more.imm)) {
        Some(value) => {
            T::set(window, ins.a, value);
            next(rest, window, run, cache)
        }
        None => trap(rest, run, TrapCode::Unreachable),
    }
}

fn select<'a, M: Memory, T: Slot, X: DirectSource>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let first = X::read::<M, u32>(ins, ins.imm as u8, window, cache) != 0;
    let slot = if first { ins.b } else { ins.c };
    let value = T::get(window, slot);
    T::set(window, ins.a, value);
    next(rest, window, run, value.into_cache(cache))
}
