//! Selection of vector and mask instructions, for every vector instruction set.
//!
//! In: an instruction of the vector IR. Out: groups. Operations for which all instruction sets have an instruction of
//! the same operands are selected here, from the tables of a [`VectorIsa`]; it expands the others.

mod arithmetic;
mod doubles;
mod isa;
mod memory;

use anywarp_lanes::ir::{Inst, Op, Row, Type, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::group_builder::{Base, Memory, Operand, Reg};
use super::non_temporal::CacheHint;
use super::select::{Select, unknown};
use super::{atomic, atomic_wide};
use crate::CompileError;

pub(crate) use isa::{DoubleInstructions, Folding, Instructions, ScalarInstructions, VectorIsa};

/// Rounding modes of immediates, with the inexact exception suppressed.
pub(crate) mod rounding {
    pub(crate) const NEAREST: u8 = 0x8;
    pub(crate) const DOWN: u8 = 0x9;
    pub(crate) const UP: u8 = 0xa;
    pub(crate) const TO_ZERO: u8 = 0xb;
}

/// Selects an instruction with a vector or mask result, or with a word computed from these.
pub(crate) fn compute<V: VectorIsa>(
    s: &mut Select<'_, V>,
    inst: &Inst,
    result: VReg,
) -> Result<(), CompileError> {
    let operands = &inst.operands;
    match inst.op {
        Op::Splat(word) => s.splat(result, word),
        Op::Pattern(pattern) => s.pattern(pattern, result),
        Op::Broadcast => V::broadcast(s, operands[0], result),
        Op::Binary(op) => s.binary(op, operands[0], operands[1], result),
        Op::Masked(op) => V::masked_binary(s, op, operands, result),
        Op::Unary(op) => s.unary(op, operands[0], result),
        Op::ShlBy(_) | Op::ShrBy(_) | Op::SarBy(_) | Op::RotateBy(_) => {
            V::shift_by(s, inst.op, operands[0], result);
        }
        Op::Fma => s.fma(operands, result),
        Op::MaskedFma => V::masked_fma(s, operands, result),
        Op::F64(op, half) => s.double(op, half, operands, result),
        Op::F64ToF32 => V::double_to_float(s, operands, result),
        Op::Ternary(table) => V::ternary(s, table, operands, result),
        Op::Select => V::select_lanes(s, operands, result),
        Op::Compare(op) => V::compare(s, op, [operands[0], operands[1]], None, result),
        Op::MaskedCompare(op) => {
            V::compare(s, op, [operands[0], operands[1]], Some(operands[2]), result);
        }
        Op::Permute => s.permute(operands[0], operands[1], result),
        Op::Extract(lane) => s.extract(lane, operands[0], result),
        Op::Mask(mask) => V::mask_constant(s, mask, result),
        Op::MaskBinary(op) => V::mask_binary(s, op, operands[0], operands[1], result),
        Op::Ballot => V::ballot(s, operands[0], result),
        Op::FromBallot => V::mask_of_ballot(s, operands[0], result),
        Op::LoadSplat(offset) => {
            let memory = Operand::Memory(s.pointed(operands[0], offset.into()));
            s.unary_op(V::INSTRUCTIONS.load_splat, memory, result);
        }
        Op::LoadRow(row) => s.load_row(row, operands, result),
        Op::Gather(offset) => V::gather(s, offset, operands, result),
        Op::Atomic(..) | Op::CompareExchange(..) => atomic::atomic(s, inst, Some(result)),
        Op::FrameLoad(at) | Op::FrameLoadAt(at) => s.frame_load_vector(at, inst, result),
        _ => return Err(unknown(inst)),
    }
    Ok(())
}

/// Selects an instruction without a result.
pub(crate) fn effect<V: VectorIsa>(s: &mut Select<'_, V>, inst: &Inst) -> Result<(), CompileError> {
    let operands = &inst.operands;
    match inst.op {
        Op::StoreRow(row) => s.store_row(row, CacheHint::Temporal, operands),
        Op::StoreRowNonTemporal(offset) => {
            let cache_hint = s.cache_hint(operands[3]);
            s.store_row(Row::limited(offset), cache_hint, operands);
        }
        Op::Scatter(offset) => V::scatter(s, inst, offset),
        Op::ScatterHalves(_) => atomic::atomic(s, inst, None),
        Op::Atomic64(..) | Op::CompareExchange64(..) => atomic_wide::atomic_wide(s, inst),
        Op::FrameStore(at) | Op::FrameStoreAt(at) => s.frame_store_vector(at, inst),
        _ => return Err(unknown(inst)),
    }
    Ok(())
}

/// A whole vector register.
pub(crate) fn vector<V: VectorIsa>(vreg: VReg) -> Reg {
    Reg(vreg, V::VECTOR)
}

/// A mask.
pub(crate) fn mask<V: VectorIsa>(vreg: VReg) -> Reg {
    Reg(vreg, V::MASK.1)
}

impl<V: VectorIsa> Select<'_, V> {
    /// A register of lanes.
    pub(crate) fn lanes(&mut self, value: Value) -> Operand {
        Operand::Use(vector::<V>(self.reg(value)))
    }

    /// A new register of lanes.
    pub(crate) fn new_lanes(&mut self) -> VReg {
        self.temp(Type::Lanes)
    }

    /// A constant word in all lanes, in memory.
    pub(crate) fn word_operand(&mut self, word: u32) -> Operand {
        Operand::Memory(V::splat_operand(self, word))
    }

    /// A constant vector, in memory.
    pub(crate) fn constant_operand(&mut self, words: &[u32]) -> Operand {
        Operand::Memory(Memory::at(Base::Pool, self.pool.vector(words)))
    }

    /// An operand that may be in memory: a constant, a folded load, or a virtual register, which may be in a spill slot.
    pub(crate) fn operand(&mut self, value: Value) -> Operand {
        let definition = self.values.definition(value);
        let Some(inst) = definition.filter(|_| self.values.is_folded(value)) else {
            return Operand::Any(vector::<V>(self.own(value)));
        };
        match inst.op {
            Op::Splat(word) => self.word_operand(word),
            Op::Pattern(pattern) => {
                let words = &self.function.patterns[pattern.0 as usize];
                self.constant_operand(words)
            }
            Op::LoadRow(row) => {
                Operand::Memory(self.plain_row(row, inst.operands[0], inst.operands[1]))
            }
            _ => match V::folded_operand(self, inst) {
                Some(memory) => Operand::Memory(memory),
                None => Operand::Any(vector::<V>(self.reg(value))),
            },
        }
    }

    /// Operands of a commutative operation, such that a memory operand is the second.
    pub(crate) fn memory_second(&self, a: Value, b: Value) -> [Value; 2] {
        if self.is_in_memory(a) && !self.is_in_memory(b) {
            [b, a]
        } else {
            [a, b]
        }
    }

    /// Whether a value can be a memory operand at no cost.
    pub(crate) fn is_in_memory(&self, value: Value) -> bool {
        self.values.is_folded(value)
    }

    /// An instruction of one operand.
    pub(crate) fn unary_op(&mut self, code: Code, a: Operand, result: VReg) {
        self.op(code, &[Operand::Def(vector::<V>(result)), a]);
    }

    /// An instruction of two operands.
    pub(crate) fn binary_op(&mut self, code: Code, a: Operand, b: Operand, result: VReg) {
        self.op(code, &[Operand::Def(vector::<V>(result)), a, b]);
    }

    /// An instruction of one operand, with a new register for its result.
    pub(crate) fn converted(&mut self, code: Code, a: Operand) -> Operand {
        let result = self.new_lanes();
        self.unary_op(code, a, result);
        Operand::Use(vector::<V>(result))
    }

    /// An instruction of two operands, with a new register for its result.
    pub(crate) fn computed(&mut self, code: Code, a: Operand, b: Operand) -> Operand {
        let result = self.new_lanes();
        self.binary_op(code, a, b, result);
        Operand::Use(vector::<V>(result))
    }
}
