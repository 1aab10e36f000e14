//! Selection for AVX2 and FMA: 8 lanes in a `ymm` register, masks as vectors.
//!
//! A mask has all bits of its active lanes set. An operation without a masked instruction is computed in all lanes and
//! then blended.

mod arithmetic;
mod convert;
mod divide;
mod doubles;
mod masks;
mod memory;
mod products;
mod scale;
mod shuffle;
mod ternary;

use std::ops::{Deref, DerefMut};

use anywarp_lanes::ir::{Inst, Op, Row, Type, Value};
use iced_x86::{Code, Register};
use regalloc2::VReg;

use super::build::{Base, Memory, Part, r32, xmm, ymm};
use super::select::{Select, unknown};
use super::stream::Storing;
use super::{atomic, atomic_wide};
use crate::CompileError;

pub(crate) use masks::test_mask;

/// Selection with the instructions of AVX2.
struct Avx2<'s, 'f>(&'s mut Select<'f>);

impl<'f> Deref for Avx2<'_, 'f> {
    type Target = Select<'f>;

    fn deref(&self) -> &Select<'f> {
        self.0
    }
}

impl<'f> DerefMut for Avx2<'_, 'f> {
    fn deref_mut(&mut self) -> &mut Select<'f> {
        self.0
    }
}

/// Scratch registers: free inside a group.
const YMM15: Part = Part::Fixed(Register::YMM15);
const XMM15: Part = Part::Fixed(Register::XMM15);

/// The sign bit of an integer or a float.
const SIGN: u32 = 0x8000_0000;

/// Selects an instruction with a vector or mask result, or with a word computed from these.
pub(crate) fn compute(s: &mut Select<'_>, inst: &Inst, result: VReg) -> Result<(), CompileError> {
    let s = &mut Avx2(s);
    let operands = &inst.operands;
    match inst.op {
        Op::Splat(word) => s.splat(result, word),
        Op::Pattern(pattern) => {
            let words = &s.function.patterns[pattern.0 as usize];
            let memory = Memory::at(Base::Pool, s.pool.vector(words));
            s.unary_op(Code::VEX_Vmovdqa_ymm_ymmm256, Part::Memory(memory), result);
        }
        Op::Broadcast => {
            let word = Part::Use(r32(s.reg(operands[0])));
            s.broadcast(word, result);
        }
        Op::Binary(op) => s.binary(op, operands[0], operands[1], result),
        Op::Masked(op) => s.masked_binary(op, operands, result),
        Op::Unary(op) => s.unary(op, operands[0], result),
        Op::ShlBy(_) | Op::ShrBy(_) | Op::SarBy(_) | Op::RotateBy(_) => {
            s.shift_by(inst.op, operands[0], result);
        }
        Op::Fma => s.fma(operands, result),
        Op::F64(op, half) => s.double(op, half, operands, result),
        Op::F64ToF32 => s.double_to_float(operands, result),
        Op::MaskedFma => s.masked_fma(operands, result),
        Op::Ternary(table) => s.ternary(table, operands, result),
        Op::Select => s.select_lanes(operands, result),
        Op::Compare(op) => s.compare(op, operands[0], operands[1], None, result),
        Op::MaskedCompare(op) => {
            s.compare(op, operands[0], operands[1], Some(operands[2]), result);
        }
        Op::Permute => s.permute(operands[0], operands[1], result),
        Op::Extract(lane) => s.extract(lane, operands[0], result),
        Op::Mask(mask) => s.mask_constant(mask, result),
        Op::MaskBinary(op) => s.mask_binary(op, operands[0], operands[1], result),
        Op::Ballot => {
            let mask = Part::Use(ymm(s.reg(operands[0])));
            s.op(Code::VEX_Vmovmskps_r32_ymm, &[Part::Def(r32(result)), mask]);
        }
        Op::FromBallot => {
            let all = s.new_lanes();
            let word = Part::Use(r32(s.reg(operands[0])));
            s.broadcast(word, all);
            s.mask_of_bits(all, result);
        }
        Op::LoadSplat(offset) => {
            let memory = Part::Memory(s.pointed(operands[0], offset.into()));
            s.unary_op(Code::VEX_Vbroadcastss_ymm_m32, memory, result);
        }
        Op::LoadRow(row) => s.load_row(row, operands, result),
        Op::Gather(offset) => s.gather(offset, operands, result),
        Op::Atomic(..) | Op::CompareExchange(..) => atomic::atomic(s, inst, Some(result)),
        Op::FrameLoad(at) | Op::FrameLoadAt(at) => s.recall_vector(at, inst, result),
        _ => return Err(unknown(inst)),
    }
    Ok(())
}

/// Selects an instruction without a result.
pub(crate) fn effect(s: &mut Select<'_>, inst: &Inst) -> Result<(), CompileError> {
    let s = &mut Avx2(s);
    let operands = &inst.operands;
    match inst.op {
        Op::StoreRow(row) => s.store_row(row, Storing::Near, operands),
        Op::StoreRowNonTemporal(offset) => {
            let storing = s.storing(operands[3]);
            s.store_row(Row::limited(offset), storing, operands);
        }
        Op::Scatter(_) | Op::ScatterHalves(_) => atomic::atomic(s, inst, None),
        Op::Atomic64(..) | Op::CompareExchange64(..) => atomic_wide::atomic_wide(s, inst),
        Op::FrameStore(at) | Op::FrameStoreAt(at) => s.keep_vector(at, inst),
        _ => return Err(unknown(inst)),
    }
    Ok(())
}

impl Avx2<'_, '_> {
    /// The same word in every lane.
    fn splat(&mut self, result: VReg, word: u32) {
        if word == 0 || word == u32::MAX {
            let code = match word {
                0 => Code::VEX_Vpxor_ymm_ymm_ymmm256,
                _ => Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
            };
            self.begin();
            let slot = Part::Slot(self.def_slot(ymm(result)));
            self.item(code, &[slot, slot, slot]);
            return self.end();
        }
        let memory = Part::Memory(Memory::at(Base::Pool, self.pool.word(word)));
        self.unary_op(Code::VEX_Vbroadcastss_ymm_m32, memory, result);
    }

    /// A word from a general register in every lane.
    fn broadcast(&mut self, word: Part, result: VReg) {
        let single = self.new_lanes();
        self.op(Code::VEX_Vmovd_xmm_rm32, &[Part::Def(xmm(single)), word]);
        let single = Part::Use(xmm(single));
        self.unary_op(Code::VEX_Vpbroadcastd_ymm_xmmm32, single, result);
    }

    /// A register of lanes or of a mask.
    fn lanes(&mut self, value: Value) -> Part {
        Part::Use(ymm(self.reg(value)))
    }

    /// A new register of lanes or of a mask.
    fn new_lanes(&mut self) -> VReg {
        self.temp(Type::Lanes)
    }

    /// A constant word in all lanes, in memory.
    fn word_operand(&mut self, word: u32) -> Part {
        Part::Memory(Memory::at(Base::Pool, self.pool.vector(&[word; 8])))
    }

    /// An operand that may be in memory.
    fn operand(&mut self, value: Value) -> Part {
        operand(self, value)
    }

    /// Whether a value can be a memory operand at no cost.
    fn is_in_memory(&self, value: Value) -> bool {
        self.facts.is_lazy(value)
    }

    /// An instruction of one operand.
    fn unary_op(&mut self, code: Code, a: Part, result: VReg) {
        self.op(code, &[Part::Def(ymm(result)), a]);
    }

    /// An instruction of two operands.
    fn binary_op(&mut self, code: Code, a: Part, b: Part, result: VReg) {
        self.op(code, &[Part::Def(ymm(result)), a, b]);
    }

    /// An instruction of two operands, with a new register for its result.
    fn computed(&mut self, code: Code, a: Part, b: Part) -> Part {
        let result = self.new_lanes();
        self.binary_op(code, a, b, result);
        Part::Use(ymm(result))
    }

    /// An instruction of one operand, with a new register for its result.
    fn converted(&mut self, code: Code, a: Part) -> Part {
        let result = self.new_lanes();
        self.unary_op(code, a, result);
        Part::Use(ymm(result))
    }
}

/// An operand that may be in memory: a constant, a folded load, or a virtual register, which may be in a spill slot.
fn operand(s: &mut Select<'_>, value: Value) -> Part {
    let definition = s.facts.definition(value);
    let Some(inst) = definition.filter(|_| s.facts.is_lazy(value)) else {
        return Part::Any(ymm(s.own(value)));
    };
    let memory = match inst.op {
        Op::Splat(word) => Memory::at(Base::Pool, s.pool.vector(&[word; 8])),
        Op::Pattern(pattern) => {
            let words = &s.function.patterns[pattern.0 as usize];
            Memory::at(Base::Pool, s.pool.vector(words))
        }
        Op::Mask(mask) => Memory::at(Base::Pool, s.pool.vector(&masks::words_of(mask))),
        Op::LoadRow(row) => s.plain_row(row, inst.operands[0], inst.operands[1]),
        _ => return Part::Any(ymm(s.reg(value))),
    };
    Part::Memory(memory)
}
