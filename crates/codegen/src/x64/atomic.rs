//! Atomic instructions and scatters, one lane at a time.
//!
//! Indices and values are spilled to scratch memory of the frame, and a loop goes over the active lanes of the mask.
//! Where an update is a single instruction, the loop is unrolled for the case that all lanes are active.

use anywarp_lanes::ir::{AtomicOp, AtomicScope, Inst, Op, Value};
use iced_x86::Code;
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

use super::atomic_update::{AtomicUpdate, UpdateOperands, is_short, update_word, uses_eax};
use super::group_builder::{Base, Index, Memory, Operand};
use super::lane_stride::LaneGuess;
use super::machine_inst::{Condition, GroupItem, Label, RegView, Slot};
use super::select::{RAX, Select};
use super::vector::{VectorIsa, vector};

/// Offsets of the spilled vectors in the frame's scratch memory.
const INDICES: i32 = 0;
const VALUES: i32 = 64;
const EXPECTED: i32 = 128;
const RESULTS: i32 = 192;
const SCRATCH: u32 = 256;

/// An atomic instruction inside its group.
struct Atomic {
    update: AtomicUpdate,
    sharing: AtomicScope,
    is_result_used: bool,
    /// The base address.
    memory: Memory,
    constant: Option<u32>,
    eax: Option<Operand>,
    float: Option<Operand>,
    /// The remaining lanes, as bits.
    lanes: Slot,
    /// The current lane: its number, its index, its value.
    lane: Slot,
    at: Slot,
    value: Slot,
}

/// A constant lane number, or one in a slot.
#[derive(Clone, Copy)]
enum LaneIndex {
    Constant(i32),
    Slot(Slot),
}

/// Selects an atomic instruction or a scatter. The result may be unused.
pub(crate) fn atomic<V: VectorIsa>(s: &mut Select<'_, V>, inst: &Inst, result: Option<VReg>) {
    let Some((update, sharing, offset)) = parameters(inst.op) else {
        return;
    };
    let operands = &inst.operands;
    let is_result_used = inst
        .result
        .is_some_and(|value| s.values.use_count(value) > 0);
    let (constant, vectors) = spilled_operands(s, update, operands);
    s.need_scratch(SCRATCH);
    let bytes = i64::from(offset) * i64::from(update.unit());
    let memory = s.displaced_bytes(operands[0], bytes);
    let vectors: SmallVec<[_; 3]> = vectors
        .iter()
        .map(|(vector, at)| (s.reg(*vector), *at))
        .collect();
    let mask = operands[operands.len() - 1];
    let mask_register = s.reg(mask);
    let is_row = inst.op == Op::Scatter(offset) && s.guess(operands[1]) == LaneGuess::Row;
    let row = is_row.then(|| (s.reg(operands[1]), s.reg(operands[2])));

    s.begin();
    let memory = s.hold(memory);
    let row = row.map(|row| store_row_or(s, memory, row, mask_register));
    for (vector, at) in vectors {
        spill(s, vector, at);
    }
    let temp = |s: &mut Select<'_, V>| s.temp_slot(RegClass::Int, RegView::R32);
    let [lanes, lane, at, value] = std::array::from_fn(|_| temp(s));
    let needs_eax = sharing == AtomicScope::Threads && uses_eax(update, is_result_used);
    let atomic = Atomic {
        update,
        sharing,
        is_result_used,
        memory,
        constant,
        eax: needs_eax.then(|| Operand::Slot(s.fixed_temp_slot(RAX, RegView::R32))),
        float: matches!(update, AtomicUpdate::Op(AtomicOp::AddF))
            .then(|| Operand::Slot(s.temp_slot(RegClass::Float, RegView::Xmm))),
        lanes,
        lane,
        at,
        value,
    };
    let result = result.map(|vreg| Operand::Slot(s.early_def_slot(vector::<V>(vreg))));
    if let Some(result) = result.filter(|_| is_result_used) {
        clear(s, result);
        let row = Operand::Memory(Memory::at(Base::Scratch, RESULTS));
        s.item(V::INSTRUCTIONS.store_aligned, &[row, result]);
    }
    atomic.all_lanes(s, mask, mask_register);
    if let Some(done) = row {
        s.bind(done);
    }
    if let Some(result) = result.filter(|_| is_result_used) {
        let row = Operand::Memory(Memory::at(Base::Scratch, RESULTS));
        s.item(V::INSTRUCTIONS.load_aligned, &[result, row]);
    }
    s.end();
}

/// A scatter whose lanes are probably a row: stores the row and jumps to the returned label if they are.
fn store_row_or<V: VectorIsa>(
    s: &mut Select<'_, V>,
    memory: Memory,
    (index, values): (VReg, VReg),
    mask: VReg,
) -> Label {
    let (far, done) = (s.label(), s.label());
    let values = Operand::Slot(s.use_slot(vector::<V>(values)));
    let lanes = s.tested_lanes(LaneGuess::Row, index, mask);
    s.store_tested_row(lanes, memory, values, far);
    s.items.push(GroupItem::Jump(done));
    s.bind(far);
    done
}

/// The kind of update, which threads share the memory, and the offset in units of the update.
fn parameters(op: Op) -> Option<(AtomicUpdate, AtomicScope, i32)> {
    Some(match op {
        Op::Atomic(op, sharing, offset) => (AtomicUpdate::Op(op), sharing, offset),
        Op::CompareExchange(sharing, offset) => (AtomicUpdate::CompareExchange, sharing, offset),
        Op::Scatter(offset) => (AtomicUpdate::Store, AtomicScope::Thread, offset),
        Op::ScatterHalves(offset) => (AtomicUpdate::StoreHalf, AtomicScope::Thread, offset),
        _ => return None,
    })
}

/// The word of all lanes if it is a constant, and the vectors to spill with their offsets in scratch memory.
fn spilled_operands<V: VectorIsa>(
    s: &Select<'_, V>,
    update: AtomicUpdate,
    operands: &[Value],
) -> (Option<u32>, SmallVec<[(Value, i32); 3]>) {
    let mut vectors = SmallVec::new();
    vectors.push((operands[1], INDICES));
    let constant = match update {
        AtomicUpdate::CompareExchange => {
            vectors.extend([(operands[2], EXPECTED), (operands[3], VALUES)]);
            return (None, vectors);
        }
        // Float addends are read from memory.
        AtomicUpdate::Op(AtomicOp::AddF) | AtomicUpdate::StoreHalf => None,
        _ => s.values.splat(operands[2]),
    };
    if constant.is_none() {
        vectors.push((operands[2], VALUES));
    }
    (constant, vectors)
}

impl Atomic {
    fn all_lanes<V: VectorIsa>(&self, s: &mut Select<'_, V>, mask: Value, mask_register: VReg) {
        let is_short = is_short(self.update, self.sharing, self.is_result_used);
        let has_all_lanes = is_short && s.has_all_lanes(mask);
        let (partial, done) = (s.label(), s.label());
        if !has_all_lanes {
            V::mask_bits(s, mask_register, self.lanes);
        }
        if !is_short {
            self.some_lanes(s, done);
            return s.bind(done);
        }
        let lanes = s.function.lanes as i32;
        if !has_all_lanes {
            let all = Operand::Imm32(s.function.all_lanes() as i32);
            s.item(Code::Cmp_rm32_imm32, &[Operand::Slot(self.lanes), all]);
            s.jump_if(Condition::NotEqual, partial);
        }
        for lane in 0..lanes {
            self.one_lane(s, LaneIndex::Constant(lane));
        }
        s.bind(done);
        if !has_all_lanes {
            s.items.push(GroupItem::Cold);
            s.bind(partial);
            self.some_lanes(s, done);
            s.items.push(GroupItem::Jump(done));
            s.items.push(GroupItem::EndCold);
        }
    }

    /// A loop over the active lanes.
    fn some_lanes<V: VectorIsa>(&self, s: &mut Select<'_, V>, done: Label) {
        let (lanes, lane) = (Operand::Slot(self.lanes), Operand::Slot(self.lane));
        let retry = s.label();
        s.item(Code::Test_rm32_r32, &[lanes, lanes]);
        s.jump_if(Condition::Equal, done);
        s.bind(retry);
        s.item(Code::Tzcnt_r32_rm32, &[lane, lanes]);
        self.one_lane(s, LaneIndex::Slot(self.lane));
        s.item(Code::VEX_Blsr_r32_rm32, &[lanes, lanes]);
        s.jump_if(Condition::NotEqual, retry);
    }

    fn one_lane<V: VectorIsa>(&self, s: &mut Select<'_, V>, lane: LaneIndex) {
        s.item(
            Code::Mov_r32_rm32,
            &[Operand::Slot(self.at), lane.word(INDICES)],
        );
        if self.constant.is_none() && self.float.is_none() {
            s.item(
                Code::Mov_r32_rm32,
                &[Operand::Slot(self.value), lane.word(VALUES)],
            );
        }
        let registers = UpdateOperands {
            word: Operand::Memory(
                self.memory
                    .indexed(Index::Slot(self.at.wide()), self.update.unit()),
            ),
            value: Operand::Slot(self.value),
            constant: self.constant,
            eax: self.eax,
            float: self.float,
            addend: lane.word(VALUES),
            expected: lane.word(EXPECTED),
        };
        let old = update_word(
            s,
            self.update,
            self.sharing,
            self.is_result_used,
            &registers,
        );
        if self.is_result_used {
            s.item(Code::Mov_rm32_r32, &[lane.word(RESULTS), old]);
        }
    }
}

impl LaneIndex {
    /// The lane's word of a vector in scratch memory.
    fn word(self, vector: i32) -> Operand {
        Operand::Memory(match self {
            Self::Constant(number) => Memory::at(Base::Scratch, vector + number * 4),
            Self::Slot(slot) => {
                Memory::at(Base::Scratch, vector).indexed(Index::Slot(slot.wide()), 4)
            }
        })
    }
}

/// Spills a vector to scratch memory.
pub(super) fn spill<V: VectorIsa>(s: &mut Select<'_, V>, register: VReg, at: i32) {
    let memory = Operand::Memory(Memory::at(Base::Scratch, at));
    let register = Operand::Use(vector::<V>(register));
    s.item(V::INSTRUCTIONS.store_aligned, &[memory, register]);
}

/// Sets a vector register to 0.
pub(super) fn clear<V: VectorIsa>(s: &mut Select<'_, V>, register: Operand) {
    s.item(V::INSTRUCTIONS.xor, &[register, register, register]);
}
