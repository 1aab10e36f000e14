//! Atomic instructions and scatters, one lane at a time.
//!
//! Indices and values are spilled to scratch memory of the frame, and a loop goes over the active lanes of the mask.
//! Where an update is a single instruction, the loop is unrolled for the case that all lanes are active.

use anywarp_lanes::ir::{AtomicOp, AtomicScope, Inst, Op, Value};
use iced_x86::Code;
use regalloc2::{RegClass, VReg};

use super::build::{Base, Index, Memory, Part, Reg};
use super::change::{Change, Registers, change_word, is_short, uses_eax};
use super::item::{Condition, Item, Slot, View};
use super::select::{RAX, Select};
use super::vector_moves;
use crate::target::Level;

/// Offsets of the spilled vectors in the frame's scratch memory.
const INDICES: i32 = 0;
const VALUES: i32 = 64;
const EXPECTED: i32 = 128;
const RESULTS: i32 = 192;
const SCRATCH: u32 = 256;

/// An atomic instruction inside its group.
struct Atomic {
    change: Change,
    sharing: AtomicScope,
    is_wanted: bool,
    /// The base address.
    memory: Memory,
    known: Option<u32>,
    eax: Option<Part>,
    float: Option<Part>,
    /// The remaining lanes, as bits.
    lanes: Slot,
    /// The current lane: its number, its index, its value.
    lane: Slot,
    at: Slot,
    value: Slot,
}

/// A constant lane number, or one in a slot.
#[derive(Clone, Copy)]
enum Lane {
    Known(i32),
    Slot(Slot),
}

/// Selects an atomic instruction or a scatter. The result may be unused.
pub(crate) fn atomic(s: &mut Select<'_>, inst: &Inst, result: Option<VReg>) {
    let operands = &inst.operands;
    let (change, sharing, offset) = match inst.op {
        Op::Atomic(op, sharing, offset) => (Change::Op(op), sharing, offset),
        Op::CompareExchange(sharing, offset) => (Change::CompareExchange, sharing, offset),
        Op::Scatter(offset) => (Change::Store, AtomicScope::Thread, offset),
        Op::ScatterHalves(offset) => (Change::StoreHalf, AtomicScope::Thread, offset),
        _ => return,
    };
    let is_wanted = inst.result.is_some_and(|value| s.facts.count(value) > 0);
    let mut vectors = vec![(operands[1], INDICES)];
    let known = match change {
        Change::CompareExchange => {
            vectors.extend([(operands[2], EXPECTED), (operands[3], VALUES)]);
            None
        }
        // Float addends are read from memory.
        Change::Op(AtomicOp::AddF) | Change::StoreHalf => None,
        _ => s.facts.splat(operands[2]),
    };
    if known.is_none() && !matches!(change, Change::CompareExchange) {
        vectors.push((operands[2], VALUES));
    }
    s.need_scratch(SCRATCH);
    let bytes = i64::from(offset) * i64::from(change.unit());
    let memory = s.displaced_bytes(operands[0], bytes);
    let vectors: Vec<_> = vectors.iter().map(|(it, at)| (s.reg(*it), *at)).collect();
    let mask = operands[operands.len() - 1];
    let mask_register = s.reg(mask);

    s.begin();
    let memory = s.hold(memory);
    for (vector, at) in vectors {
        put(s, vector, at);
    }
    let temp = |s: &mut Select<'_>| s.temp_slot(RegClass::Int, View::R32);
    let [lanes, lane, at, value] = std::array::from_fn(|_| temp(s));
    let needs_eax = sharing == AtomicScope::Threads && uses_eax(change, is_wanted);
    let atomic = Atomic {
        change,
        sharing,
        is_wanted,
        memory,
        known,
        eax: needs_eax.then(|| Part::Slot(s.fixed_temp_slot(RAX, View::R32))),
        float: matches!(change, Change::Op(AtomicOp::AddF))
            .then(|| Part::Slot(s.temp_slot(RegClass::Float, View::Xmm))),
        lanes,
        lane,
        at,
        value,
    };
    let result = result.map(|result| Reg(result, s.vector_view()));
    let result = result.map(|result| Part::Slot(s.early_def_slot(result)));
    if let Some(result) = result.filter(|_| is_wanted) {
        clear(s, result);
        let place = Part::Memory(Memory::at(Base::Scratch, RESULTS));
        s.item(vector_moves(s.level).store, &[place, result]);
    }
    atomic.all_lanes(s, mask, mask_register);
    if let Some(result) = result.filter(|_| is_wanted) {
        let place = Part::Memory(Memory::at(Base::Scratch, RESULTS));
        s.item(vector_moves(s.level).load, &[result, place]);
    }
    s.end();
}

impl Atomic {
    fn all_lanes(&self, s: &mut Select<'_>, mask: Value, mask_register: VReg) {
        let is_short = is_short(self.change, self.sharing, self.is_wanted);
        let is_everyone = is_short && s.is_everyone(mask);
        let (partial, done) = (s.label(), s.label());
        if !is_everyone {
            mask_bits(s, mask_register, self.lanes);
        }
        if !is_short {
            self.some_lanes(s, done);
            return s.bind(done);
        }
        let lanes = s.function.lanes as i32;
        if !is_everyone {
            let all = Part::Imm32(s.function.all_lanes() as i32);
            s.item(Code::Cmp_rm32_imm32, &[Part::Slot(self.lanes), all]);
            s.jump_if(Condition::NotEqual, partial);
        }
        for lane in 0..lanes {
            self.one_lane(s, Lane::Known(lane));
        }
        s.bind(done);
        if !is_everyone {
            s.items.push(Item::Cold);
            s.bind(partial);
            self.some_lanes(s, done);
            s.items.push(Item::Jump(done));
            s.items.push(Item::Warm);
        }
    }

    /// A loop over the active lanes.
    fn some_lanes(&self, s: &mut Select<'_>, done: super::item::Label) {
        let (lanes, lane) = (Part::Slot(self.lanes), Part::Slot(self.lane));
        let again = s.label();
        s.item(Code::Test_rm32_r32, &[lanes, lanes]);
        s.jump_if(Condition::Equal, done);
        s.bind(again);
        s.item(Code::Tzcnt_r32_rm32, &[lane, lanes]);
        self.one_lane(s, Lane::Slot(self.lane));
        s.item(Code::VEX_Blsr_r32_rm32, &[lanes, lanes]);
        s.jump_if(Condition::NotEqual, again);
    }

    fn one_lane(&self, s: &mut Select<'_>, lane: Lane) {
        s.item(
            Code::Mov_r32_rm32,
            &[Part::Slot(self.at), lane.word(INDICES)],
        );
        if self.known.is_none() && self.float.is_none() {
            s.item(
                Code::Mov_r32_rm32,
                &[Part::Slot(self.value), lane.word(VALUES)],
            );
        }
        let registers = Registers {
            word: Part::Memory(
                self.memory
                    .indexed(Index::Slot(self.at.wide()), self.change.unit()),
            ),
            value: Part::Slot(self.value),
            known: self.known,
            eax: self.eax,
            float: self.float,
            addend: lane.word(VALUES),
            expected: lane.word(EXPECTED),
        };
        let old = change_word(s, self.change, self.sharing, self.is_wanted, &registers);
        if self.is_wanted {
            s.item(Code::Mov_rm32_r32, &[lane.word(RESULTS), old]);
        }
    }
}

impl Lane {
    /// The lane's word of a vector in scratch memory.
    fn word(self, vector: i32) -> Part {
        Part::Memory(match self {
            Self::Known(number) => Memory::at(Base::Scratch, vector + number * 4),
            Self::Slot(slot) => {
                Memory::at(Base::Scratch, vector).indexed(Index::Slot(slot.wide()), 4)
            }
        })
    }
}

/// Spills a vector to scratch memory.
pub(super) fn put(s: &mut Select<'_>, vector: VReg, at: i32) {
    let place = Part::Memory(Memory::at(Base::Scratch, at));
    let vector = Part::Use(Reg(vector, s.vector_view()));
    s.item(vector_moves(s.level).store, &[place, vector]);
}

pub(super) fn clear(s: &mut Select<'_>, result: Part) {
    let code = match s.level {
        Level::Avx512 { .. } => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        Level::Avx2 => Code::VEX_Vpxor_ymm_ymm_ymmm256,
    };
    s.item(code, &[result, result, result]);
}

/// The mask as bits: bit `l` is lane `l`.
pub(super) fn mask_bits(s: &mut Select<'_>, mask: VReg, lanes: Slot) {
    match s.level {
        Level::Avx512 { .. } => {
            let mask = Part::Use(Reg(mask, View::K));
            s.item(Code::VEX_Kmovw_r32_kr, &[Part::Slot(lanes), mask]);
        }
        Level::Avx2 => {
            let mask = Part::Use(Reg(mask, View::Ymm));
            s.item(Code::VEX_Vmovmskps_r32_ymm, &[Part::Slot(lanes), mask]);
        }
    }
}
