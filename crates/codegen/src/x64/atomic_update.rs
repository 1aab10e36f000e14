//! The update of one word by an atomic instruction or a scatter: the code for one lane.
//!
//! Memory that only this thread can access needs no `lock` prefix.

use anywarp_lanes::ir::{AtomicOp, AtomicScope};
use iced_x86::Code;

use super::group_builder::{Operand, R11D};
use super::machine_inst::Condition;
use super::select::Select;
use super::vector::VectorIsa;

/// The kind of update.
#[derive(Clone, Copy, Debug)]
pub(super) enum AtomicUpdate {
    Op(AtomicOp),
    CompareExchange,
    /// A store.
    Store,
    /// A store of 16 bits.
    StoreHalf,
}

impl AtomicUpdate {
    /// The scale of indices in bytes.
    pub(super) fn unit(self) -> u8 {
        match self {
            Self::StoreHalf => 2,
            _ => 4,
        }
    }
}

/// The operands of an update.
pub(super) struct UpdateOperands {
    /// The word in memory.
    pub(super) word: Operand,
    /// The lane's value, as 32 bits; may be overwritten.
    pub(super) value: Operand,
    /// The lane's value if it is a constant; then `value` is unset.
    pub(super) constant: Option<u32>,
    /// `eax`, for `cmpxchg`.
    pub(super) eax: Option<Operand>,
    /// A vector register for float additions.
    pub(super) float: Option<Operand>,
    /// The lane's value in memory, for float additions; then `value` is unset.
    pub(super) addend: Operand,
    /// The lane's expected value, for compare-exchange.
    pub(super) expected: Operand,
}

/// Whether the update uses `eax`.
pub(super) fn uses_eax(update: AtomicUpdate, is_result_used: bool) -> bool {
    match update {
        AtomicUpdate::CompareExchange => true,
        AtomicUpdate::Store | AtomicUpdate::StoreHalf => false,
        AtomicUpdate::Op(op) => match op {
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Exchange => false,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => is_result_used,
            AtomicOp::MinU | AtomicOp::MaxU | AtomicOp::MinS | AtomicOp::MaxS | AtomicOp::AddF => {
                true
            }
        },
    }
}

/// Updates one word. Returns the register with the old value, if the result is used.
pub(super) fn update_word<V: VectorIsa>(
    s: &mut Select<'_, V>,
    update: AtomicUpdate,
    sharing: AtomicScope,
    is_result_used: bool,
    l: &UpdateOperands,
) -> Operand {
    match (update, sharing) {
        (AtomicUpdate::Op(op), _) if !is_result_used && memory_code(op).is_some() => {
            in_memory(s, op, sharing, l);
            l.value
        }
        (AtomicUpdate::Store, _) => {
            match l.constant {
                Some(word) => s.item(Code::Mov_rm32_imm32, &[l.word, Operand::Imm32(word as i32)]),
                None => s.item(Code::Mov_rm32_r32, &[l.word, l.value]),
            }
            l.value
        }
        (AtomicUpdate::StoreHalf, _) => {
            if let Operand::Slot(value) = l.value {
                s.item(Code::Mov_rm16_r16, &[l.word, Operand::Slot(value.half())]);
            }
            l.value
        }
        (AtomicUpdate::Op(op), AtomicScope::Thread) => update_private(s, op, l),
        (AtomicUpdate::Op(op), AtomicScope::Threads) => update_shared(s, op, l),
        (AtomicUpdate::CompareExchange, AtomicScope::Thread) => {
            s.item(Code::Mov_r32_rm32, &[R11D, l.word]);
            s.item(Code::Cmp_r32_rm32, &[R11D, l.expected]);
            s.item(Code::Cmovne_r32_rm32, &[l.value, R11D]);
            s.item(Code::Mov_rm32_r32, &[l.word, l.value]);
            R11D
        }
        (AtomicUpdate::CompareExchange, AtomicScope::Threads) => {
            let Some(eax) = l.eax else { return l.value };
            s.item(Code::Mov_r32_rm32, &[eax, l.expected]);
            s.locked_item(Code::Cmpxchg_rm32_r32, &[l.word, l.value]);
            eax
        }
    }
}

/// A read-modify-write instruction on memory.
fn in_memory<V: VectorIsa>(
    s: &mut Select<'_, V>,
    op: AtomicOp,
    sharing: AtomicScope,
    l: &UpdateOperands,
) {
    let Some((with_register, with_constant)) = memory_code(op) else {
        return;
    };
    let (code, source) = match l.constant {
        Some(word) => (with_constant, Operand::Imm32(word as i32)),
        None => (with_register, l.value),
    };
    match sharing {
        AtomicScope::Thread => s.item(code, &[l.word, source]),
        AtomicScope::Threads => s.locked_item(code, &[l.word, source]),
    }
}

fn memory_code(op: AtomicOp) -> Option<(Code, Code)> {
    Some(match op {
        AtomicOp::Add => (Code::Add_rm32_r32, Code::Add_rm32_imm32),
        AtomicOp::Sub => (Code::Sub_rm32_r32, Code::Sub_rm32_imm32),
        AtomicOp::And => (Code::And_rm32_r32, Code::And_rm32_imm32),
        AtomicOp::Or => (Code::Or_rm32_r32, Code::Or_rm32_imm32),
        AtomicOp::Xor => (Code::Xor_rm32_r32, Code::Xor_rm32_imm32),
        _ => return None,
    })
}

/// The update of a word that only this thread can access.
fn update_private<V: VectorIsa>(
    s: &mut Select<'_, V>,
    op: AtomicOp,
    l: &UpdateOperands,
) -> Operand {
    load_constant(s, l);
    s.item(Code::Mov_r32_rm32, &[R11D, l.word]);
    combine(s, op, l, l.value, R11D);
    s.item(Code::Mov_rm32_r32, &[l.word, l.value]);
    R11D
}

fn load_constant<V: VectorIsa>(s: &mut Select<'_, V>, l: &UpdateOperands) {
    if let Some(word) = l.constant {
        s.item(Code::Mov_r32_imm32, &[l.value, Operand::Imm32(word as i32)]);
    }
}

/// `value = old op value`.
fn combine<V: VectorIsa>(
    s: &mut Select<'_, V>,
    op: AtomicOp,
    l: &UpdateOperands,
    value: Operand,
    old: Operand,
) {
    let choose = |s: &mut Select<'_, V>, code: Code| {
        s.item(Code::Cmp_r32_rm32, &[value, old]);
        s.item(code, &[value, old]);
    };
    match op {
        AtomicOp::Add => s.item(Code::Add_r32_rm32, &[value, old]),
        AtomicOp::Sub => {
            s.item(Code::Neg_rm32, &[value]);
            s.item(Code::Add_r32_rm32, &[value, old]);
        }
        AtomicOp::And => s.item(Code::And_r32_rm32, &[value, old]),
        AtomicOp::Or => s.item(Code::Or_r32_rm32, &[value, old]),
        AtomicOp::Xor => s.item(Code::Xor_r32_rm32, &[value, old]),
        AtomicOp::MinU => choose(s, Code::Cmova_r32_rm32),
        AtomicOp::MaxU => choose(s, Code::Cmovb_r32_rm32),
        AtomicOp::MinS => choose(s, Code::Cmovg_r32_rm32),
        AtomicOp::MaxS => choose(s, Code::Cmovl_r32_rm32),
        AtomicOp::Exchange => {}
        AtomicOp::AddF => add_floats(s, l, value, old),
    }
}

/// `value = old + addend`.
fn add_floats<V: VectorIsa>(
    s: &mut Select<'_, V>,
    l: &UpdateOperands,
    value: Operand,
    old: Operand,
) {
    let Some(float) = l.float else { return };
    let codes = V::INSTRUCTIONS.scalar;
    s.item(codes.from_word, &[float, old]);
    s.item(codes.add_float, &[float, float, l.addend]);
    s.item(codes.to_word, &[value, float]);
}

/// The update of a word that other threads can access.
fn update_shared<V: VectorIsa>(s: &mut Select<'_, V>, op: AtomicOp, l: &UpdateOperands) -> Operand {
    load_constant(s, l);
    match op {
        AtomicOp::Add | AtomicOp::Sub => {
            if op == AtomicOp::Sub {
                s.item(Code::Neg_rm32, &[l.value]);
            }
            s.locked_item(Code::Xadd_rm32_r32, &[l.word, l.value]);
            l.value
        }
        AtomicOp::Exchange => {
            s.item(Code::Xchg_rm32_r32, &[l.word, l.value]);
            l.value
        }
        _ => {
            let Some(eax) = l.eax else { return l.value };
            let retry = s.label();
            s.item(Code::Mov_r32_rm32, &[eax, l.word]);
            s.bind(retry);
            if op != AtomicOp::AddF {
                s.item(Code::Mov_r32_rm32, &[R11D, l.value]);
            }
            combine(s, op, l, R11D, eax);
            s.locked_item(Code::Cmpxchg_rm32_r32, &[l.word, R11D]);
            s.jump_if(Condition::NotEqual, retry);
            eax
        }
    }
}

/// Whether the update is one instruction without a `lock` prefix.
pub(super) fn is_short(update: AtomicUpdate, sharing: AtomicScope, is_result_used: bool) -> bool {
    match update {
        AtomicUpdate::Store | AtomicUpdate::StoreHalf => true,
        AtomicUpdate::Op(op) => {
            !is_result_used && sharing == AtomicScope::Thread && memory_code(op).is_some()
        }
        AtomicUpdate::CompareExchange => false,
    }
}
