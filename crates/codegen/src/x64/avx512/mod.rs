//! Selection for AVX-512: 16 lanes in a `zmm` register, masks in mask registers.
//!
//! All instructions have EVEX encodings, because VEX encodings cannot name registers beyond the sixteenth.

mod arithmetic;
mod cluster;
mod convert;
mod divide;
mod doubles;
mod masks;
mod memory;
mod products;
mod shuffle;

use std::ops::{Deref, DerefMut};

use anywarp_lanes::ir::{Inst, Op, Row, Type, Value};
use iced_x86::{Code, Register};
use regalloc2::VReg;

use super::build::{Base, Masking, Memory, Part, k, r32, zmm};
use super::select::{Select, unknown};
use super::stream::Storing;
use super::{atomic, atomic_wide};
use crate::CompileError;

pub(crate) use masks::test_mask;

/// Selection with the instructions of AVX-512.
struct Avx512<'s, 'f>(&'s mut Select<'f>);

impl<'f> Deref for Avx512<'_, 'f> {
    type Target = Select<'f>;

    fn deref(&self) -> &Select<'f> {
        self.0
    }
}

impl<'f> DerefMut for Avx512<'_, 'f> {
    fn deref_mut(&mut self) -> &mut Select<'f> {
        self.0
    }
}

/// Scratch registers: free inside a group.
const ZMM31: Part = Part::Fixed(Register::ZMM31);
const K7: Part = Part::Fixed(Register::K7);

/// Selects an instruction with a vector or mask result, or with a word computed from these.
pub(crate) fn compute(s: &mut Select<'_>, inst: &Inst, result: VReg) -> Result<(), CompileError> {
    let s = &mut Avx512(s);
    let operands = &inst.operands;
    match inst.op {
        Op::Splat(word) => s.splat(result, word),
        Op::Pattern(pattern) => {
            let words = &s.function.patterns[pattern.0 as usize];
            let memory = Memory::at(Base::Pool, s.pool.vector(words));
            let parts = [Part::Def(zmm(result)), Part::Memory(memory)];
            s.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &parts);
        }
        Op::Broadcast => {
            let word = Part::Use(r32(s.reg(operands[0])));
            s.op(
                Code::EVEX_Vpbroadcastd_zmm_k1z_r32,
                &[Part::Def(zmm(result)), word],
            );
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
            let mask = Part::Use(k(s.reg(operands[0])));
            s.op(Code::VEX_Kmovw_r32_kr, &[Part::Def(r32(result)), mask]);
        }
        Op::FromBallot => {
            let word = Part::Use(r32(s.reg(operands[0])));
            s.op(Code::VEX_Kmovw_kr_r32, &[Part::Def(k(result)), word]);
        }
        Op::LoadSplat(offset) => {
            let memory = s.pointed(operands[0], offset.into());
            let parts = [Part::Def(zmm(result)), Part::Memory(memory)];
            s.op(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &parts);
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
    let s = &mut Avx512(s);
    let operands = &inst.operands;
    match inst.op {
        Op::StoreRow(row) => s.store_row(row, Storing::Near, operands),
        Op::StoreRowNonTemporal(offset) => {
            let storing = s.storing(operands[3]);
            s.store_row(Row::limited(offset), storing, operands);
        }
        Op::Scatter(offset) => s.scatter(offset, operands),
        Op::ScatterHalves(_) => atomic::atomic(s, inst, None),
        Op::Atomic64(..) | Op::CompareExchange64(..) => atomic_wide::atomic_wide(s, inst),
        Op::FrameStore(at) | Op::FrameStoreAt(at) => s.keep_vector(at, inst),
        _ => return Err(unknown(inst)),
    }
    Ok(())
}

impl Avx512<'_, '_> {
    /// The same word in every lane.
    fn splat(&mut self, result: VReg, word: u32) {
        if word == 0 || word == u32::MAX {
            self.begin();
            let slot = Part::Slot(self.def_slot(zmm(result)));
            if word == 0 {
                self.item(
                    Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
                    &[slot, slot, slot],
                );
            } else {
                let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
                self.item(code, &[slot, slot, slot, Part::Imm8(0xff)]);
            }
            self.end();
            return;
        }
        let memory = Memory::at(Base::Pool, self.pool.word(word));
        let parts = [Part::Def(zmm(result)), Part::Memory(memory)];
        self.op(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &parts);
    }

    /// A register of lanes.
    fn lanes(&mut self, value: Value) -> Part {
        Part::Use(zmm(self.reg(value)))
    }

    /// A new register of lanes.
    fn new_lanes(&mut self) -> VReg {
        self.temp(Type::Lanes)
    }

    /// A constant word as a broadcast memory operand.
    fn word_operand(&mut self, word: u32) -> Part {
        Part::Memory(Memory::at(Base::Pool, self.pool.word(word)).broadcast())
    }

    /// An operand that may be in memory.
    fn operand(&mut self, value: Value) -> Part {
        operand(self, value)
    }

    /// Whether a value can be a memory operand at no cost.
    fn is_in_memory(&self, value: Value) -> bool {
        self.facts.is_lazy(value)
    }

    /// Merging-masking by a mask.
    fn keeping(&mut self, mask: Value) -> Masking {
        Masking::FrameStore(Part::Use(k(self.reg(mask))))
    }

    /// Zeroing-masking by a mask; for stores and comparisons, inactive lanes have no effect.
    fn zeroing(&mut self, mask: Value) -> Masking {
        Masking::Zero(Part::Use(k(self.reg(mask))))
    }
}

/// An operand that may be in memory: a constant, a folded load, or a virtual register, which may be in a spill slot.
fn operand(s: &mut Select<'_>, value: Value) -> Part {
    let Some(inst) = s.facts.definition(value).filter(|_| s.facts.is_lazy(value)) else {
        return Part::Any(zmm(s.own(value)));
    };
    let memory = match inst.op {
        Op::Splat(word) => Memory::at(Base::Pool, s.pool.word(word)).broadcast(),
        Op::Pattern(pattern) => {
            let words = &s.function.patterns[pattern.0 as usize];
            Memory::at(Base::Pool, s.pool.vector(words))
        }
        Op::LoadSplat(offset) => s.pointed(inst.operands[0], offset.into()).broadcast(),
        Op::LoadRow(row) => s.plain_row(row, inst.operands[0], inst.operands[1]),
        _ => return Part::Any(zmm(s.reg(value))),
    };
    Part::Memory(memory)
}
