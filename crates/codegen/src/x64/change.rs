//! The update of one word by an atomic instruction or a scatter: the code for one lane.
//!
//! Memory that only this thread can access needs no `lock` prefix.

use anywarp_lanes::ir::{AtomicOp, AtomicScope};
use iced_x86::Code;

use super::build::{Part, R11D};
use super::item::Condition;
use super::select::Select;
use crate::target::Level;

/// The kind of update.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Op(AtomicOp),
    CompareExchange,
    /// A store.
    Store,
    /// A store of 16 bits.
    StoreHalf,
}

impl Change {
    /// The scale of indices in bytes.
    pub(super) fn unit(self) -> u8 {
        match self {
            Self::StoreHalf => 2,
            _ => 4,
        }
    }
}

/// The operands of an update.
pub(super) struct Registers {
    /// The word in memory.
    pub(super) word: Part,
    /// The lane's value, as 32 bits; may be overwritten.
    pub(super) value: Part,
    /// The lane's value if it is a constant; then `value` is unset.
    pub(super) known: Option<u32>,
    /// `eax`, for `cmpxchg`.
    pub(super) eax: Option<Part>,
    /// A vector register for float additions.
    pub(super) float: Option<Part>,
    /// The lane's value in memory, for float additions; then `value` is unset.
    pub(super) addend: Part,
    /// The lane's expected value, for compare-exchange.
    pub(super) expected: Part,
}

/// Whether the update uses `eax`.
pub(super) fn uses_eax(change: Change, is_wanted: bool) -> bool {
    match change {
        Change::CompareExchange => true,
        Change::Store | Change::StoreHalf => false,
        Change::Op(op) => match op {
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Exchange => false,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => is_wanted,
            AtomicOp::MinU | AtomicOp::MaxU | AtomicOp::MinS | AtomicOp::MaxS | AtomicOp::AddF => {
                true
            }
        },
    }
}

/// Updates one word. Returns the register with the old value, if the result is used.
pub(super) fn change_word(
    s: &mut Select<'_>,
    change: Change,
    sharing: AtomicScope,
    is_wanted: bool,
    l: &Registers,
) -> Part {
    match (change, sharing) {
        (Change::Op(op), _) if !is_wanted && memory_code(op).is_some() => {
            in_memory(s, op, sharing, l);
            l.value
        }
        (Change::Store, _) => {
            match l.known {
                Some(word) => s.item(Code::Mov_rm32_imm32, &[l.word, Part::Imm32(word as i32)]),
                None => s.item(Code::Mov_rm32_r32, &[l.word, l.value]),
            }
            l.value
        }
        (Change::StoreHalf, _) => {
            if let Part::Slot(value) = l.value {
                s.item(Code::Mov_rm16_r16, &[l.word, Part::Slot(value.half())]);
            }
            l.value
        }
        (Change::Op(op), AtomicScope::Thread) => alone(s, op, l),
        (Change::Op(op), AtomicScope::Threads) => together(s, op, l),
        (Change::CompareExchange, AtomicScope::Thread) => {
            s.item(Code::Mov_r32_rm32, &[R11D, l.word]);
            s.item(Code::Cmp_r32_rm32, &[R11D, l.expected]);
            s.item(Code::Cmovne_r32_rm32, &[l.value, R11D]);
            s.item(Code::Mov_rm32_r32, &[l.word, l.value]);
            R11D
        }
        (Change::CompareExchange, AtomicScope::Threads) => {
            let Some(eax) = l.eax else { return l.value };
            s.item(Code::Mov_r32_rm32, &[eax, l.expected]);
            s.locked_item(Code::Cmpxchg_rm32_r32, &[l.word, l.value]);
            eax
        }
    }
}

/// A read-modify-write instruction on memory.
fn in_memory(s: &mut Select<'_>, op: AtomicOp, sharing: AtomicScope, l: &Registers) {
    let Some((with_register, with_constant)) = memory_code(op) else {
        return;
    };
    let (code, source) = match l.known {
        Some(word) => (with_constant, Part::Imm32(word as i32)),
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
fn alone(s: &mut Select<'_>, op: AtomicOp, l: &Registers) -> Part {
    need_value(s, l);
    s.item(Code::Mov_r32_rm32, &[R11D, l.word]);
    combine(s, op, l, l.value, R11D);
    s.item(Code::Mov_rm32_r32, &[l.word, l.value]);
    R11D
}

fn need_value(s: &mut Select<'_>, l: &Registers) {
    if let Some(word) = l.known {
        s.item(Code::Mov_r32_imm32, &[l.value, Part::Imm32(word as i32)]);
    }
}

/// `value = old op value`.
fn combine(s: &mut Select<'_>, op: AtomicOp, l: &Registers, value: Part, old: Part) {
    let choose = |s: &mut Select<'_>, code: Code| {
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
fn add_floats(s: &mut Select<'_>, l: &Registers, value: Part, old: Part) {
    let Some(float) = l.float else { return };
    // Only EVEX encodings can name all 32 vector registers.
    let [into, add, out] = match s.level {
        Level::Avx512 { .. } => [
            Code::EVEX_Vmovd_xmm_rm32,
            Code::EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er,
            Code::EVEX_Vmovd_rm32_xmm,
        ],
        Level::Avx2 => [
            Code::VEX_Vmovd_xmm_rm32,
            Code::VEX_Vaddss_xmm_xmm_xmmm32,
            Code::VEX_Vmovd_rm32_xmm,
        ],
    };
    s.item(into, &[float, old]);
    s.item(add, &[float, float, l.addend]);
    s.item(out, &[value, float]);
}

/// The update of a word that other threads can access.
fn together(s: &mut Select<'_>, op: AtomicOp, l: &Registers) -> Part {
    need_value(s, l);
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
            let again = s.label();
            s.item(Code::Mov_r32_rm32, &[eax, l.word]);
            s.bind(again);
            if op != AtomicOp::AddF {
                s.item(Code::Mov_r32_rm32, &[R11D, l.value]);
            }
            combine(s, op, l, R11D, eax);
            s.locked_item(Code::Cmpxchg_rm32_r32, &[l.word, R11D]);
            s.jump_if(Condition::NotEqual, again);
            eax
        }
    }
}

/// Whether the update is one instruction without a `lock` prefix.
pub(super) fn is_short(change: Change, sharing: AtomicScope, is_wanted: bool) -> bool {
    match change {
        Change::Store | Change::StoreHalf => true,
        Change::Op(op) => !is_wanted && sharing == AtomicScope::Thread && memory_code(op).is_some(),
        Change::CompareExchange => false,
    }
}
