//! Atomic instructions on 64-bit values, one lane at a time.
//!
//! As for words (`atomic`): indices and values are spilled to scratch memory of the frame, and a loop goes over the
//! active lanes of the mask. All updates are `cmpxchg` loops.

use anywarp_lanes::ir::{AtomicOp, AtomicScope, Inst, Op};
use iced_x86::Code;
use regalloc2::RegClass;

use super::atomic::{clear, spill};
use super::group_builder::{Base, Index, Memory, Operand, R11, R11D};
use super::machine_inst::{Condition, RegView, Slot};
use super::select::{RAX, Select};
use super::vector::VectorIsa;

/// Offsets of the spilled vectors in the frame's scratch memory.
const INDICES: i32 = 0;
const LOW: i32 = 64;
const HIGH: i32 = 128;
const EXPECTED_LOW: i32 = 192;
const EXPECTED_HIGH: i32 = 256;
const SCRATCH: u32 = 320;

/// The kind of update.
#[derive(Clone, Copy)]
enum WideUpdate {
    Op(AtomicOp),
    CompareExchange,
}

/// The operands of an update.
struct WideOperands {
    /// The 64-bit value in memory.
    number: Operand,
    /// The lane's value; may be overwritten.
    value: Operand,
    rax: Operand,
}

/// Selects an atomic instruction on 64-bit values. The old values are stored to two rows at the second operand.
pub(crate) fn atomic_wide<V: VectorIsa>(s: &mut Select<'_, V>, inst: &Inst) {
    let operands = &inst.operands;
    let (update, sharing, offset) = match inst.op {
        Op::Atomic64(op, sharing, offset) => (WideUpdate::Op(op), sharing, offset),
        Op::CompareExchange64(sharing, offset) => (WideUpdate::CompareExchange, sharing, offset),
        _ => return,
    };
    let offsets = [INDICES, LOW, HIGH, EXPECTED_LOW, EXPECTED_HIGH];
    let vectors = &operands[2..operands.len() - 1];
    let vectors: Vec<_> = vectors
        .iter()
        .map(|value| s.reg(*value))
        .zip(offsets)
        .collect();
    s.need_scratch(SCRATCH);
    let memory = s.displaced(operands[0], offset.into());
    let found = s.displaced(operands[1], 0);
    let mask = s.reg(operands[operands.len() - 1]);

    s.begin();
    let (memory, found) = (s.hold(memory), s.hold(found));
    for (vector, at) in vectors {
        spill(s, vector, at);
    }
    let zeros = Operand::Slot(s.temp_slot(RegClass::Float, V::VECTOR));
    let [lanes, lane, at, value] =
        std::array::from_fn(|_| s.temp_slot(RegClass::Int, RegView::R32));
    let rax = s.fixed_temp_slot(RAX, RegView::R64);
    clear(s, zeros);
    for row in [found, moved(found, 4 * s.function.lanes as i32)] {
        s.item(
            V::INSTRUCTIONS.store_aligned,
            &[Operand::Memory(row), zeros],
        );
    }
    V::mask_bits(s, mask, lanes);
    let (retry, done) = (s.label(), s.label());
    let (all, number) = (Operand::Slot(lanes), Operand::Slot(lane));
    s.item(Code::Test_rm32_r32, &[all, all]);
    s.jump_if(Condition::Equal, done);
    s.bind(retry);
    s.item(Code::Tzcnt_r32_rm32, &[number, all]);
    s.item(
        Code::Mov_r32_rm32,
        &[Operand::Slot(at), word(lane, INDICES)],
    );
    join(s, value, lane, [LOW, HIGH]);
    if let WideUpdate::CompareExchange = update {
        join(s, rax, lane, [EXPECTED_LOW, EXPECTED_HIGH]);
    }
    let registers = WideOperands {
        number: Operand::Memory(memory.indexed(Index::Slot(at.wide()), 4)),
        value: Operand::Slot(value.wide()),
        rax: Operand::Slot(rax),
    };
    update_wide(s, update, sharing, &registers);
    store_found(s, rax, found.indexed(Index::Slot(lane.wide()), 4));
    s.item(Code::VEX_Blsr_r32_rm32, &[all, all]);
    s.jump_if(Condition::NotEqual, retry);
    s.bind(done);
    s.end();
}

/// Stores the words of `rax` to a lane of two rows; `low` is the lane of the first.
fn store_found<V: VectorIsa>(s: &mut Select<'_, V>, rax: Slot, low: Memory) {
    let word = Operand::Slot(rax.narrow());
    s.item(Code::Mov_rm32_r32, &[Operand::Memory(low), word]);
    s.item(
        Code::Shr_rm64_imm8,
        &[Operand::Slot(rax), Operand::Imm8(32)],
    );
    let high = Operand::Memory(moved(low, 4 * s.function.lanes as i32));
    s.item(Code::Mov_rm32_r32, &[high, word]);
}

/// The same memory operand at a further offset.
fn moved(memory: Memory, bytes: i32) -> Memory {
    Memory {
        offset: memory.offset + bytes,
        ..memory
    }
}

/// The lane's word of a vector in scratch memory.
fn word(lane: Slot, vector: i32) -> Operand {
    Operand::Memory(Memory::at(Base::Scratch, vector).indexed(Index::Slot(lane.wide()), 4))
}

/// Joins both words of a lane in one register.
fn join<V: VectorIsa>(s: &mut Select<'_, V>, into: Slot, lane: Slot, [low, high]: [i32; 2]) {
    let whole = Operand::Slot(into.wide());
    s.item(
        Code::Mov_r32_rm32,
        &[Operand::Slot(into.narrow()), word(lane, high)],
    );
    s.item(Code::Shl_rm64_imm8, &[whole, Operand::Imm8(32)]);
    s.item(Code::Mov_r32_rm32, &[R11D, word(lane, low)]);
    s.item(Code::Or_r64_rm64, &[whole, R11]);
}

/// Updates a 64-bit value; `rax` receives the old one.
fn update_wide<V: VectorIsa>(
    s: &mut Select<'_, V>,
    update: WideUpdate,
    sharing: AtomicScope,
    l: &WideOperands,
) {
    let exchange = |s: &mut Select<'_, V>, new: Operand| match sharing {
        AtomicScope::Thread => s.item(Code::Cmpxchg_rm64_r64, &[l.number, new]),
        AtomicScope::Threads => s.locked_item(Code::Cmpxchg_rm64_r64, &[l.number, new]),
    };
    match update {
        WideUpdate::CompareExchange => exchange(s, l.value),
        WideUpdate::Op(op) => {
            let retry = s.label();
            s.item(Code::Mov_r64_rm64, &[l.rax, l.number]);
            s.bind(retry);
            s.item(Code::Mov_r64_rm64, &[R11, l.value]);
            combine(s, op, l.rax);
            exchange(s, R11);
            s.jump_if(Condition::NotEqual, retry);
        }
    }
}

/// `r11 = old op r11`.
fn combine<V: VectorIsa>(s: &mut Select<'_, V>, op: AtomicOp, old: Operand) {
    let choose = |s: &mut Select<'_, V>, code: Code| {
        s.item(Code::Cmp_r64_rm64, &[R11, old]);
        s.item(code, &[R11, old]);
    };
    match op {
        AtomicOp::Add => s.item(Code::Add_r64_rm64, &[R11, old]),
        AtomicOp::Sub => {
            s.item(Code::Neg_rm64, &[R11]);
            s.item(Code::Add_r64_rm64, &[R11, old]);
        }
        AtomicOp::And => s.item(Code::And_r64_rm64, &[R11, old]),
        AtomicOp::Or => s.item(Code::Or_r64_rm64, &[R11, old]),
        AtomicOp::Xor => s.item(Code::Xor_r64_rm64, &[R11, old]),
        AtomicOp::MinU => choose(s, Code::Cmova_r64_rm64),
        AtomicOp::MaxU => choose(s, Code::Cmovb_r64_rm64),
        AtomicOp::MinS => choose(s, Code::Cmovg_r64_rm64),
        AtomicOp::MaxS => choose(s, Code::Cmovl_r64_rm64),
        // The IR verifier rejects atomic additions of 64-bit floats.
        AtomicOp::Exchange | AtomicOp::AddF => {}
    }
}
