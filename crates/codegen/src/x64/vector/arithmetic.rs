//! Arithmetic and permutations of lanes.

use anywarp_lanes::ir::{LaneBinary, LaneUnary, Op, PatternId, Value, WordBinary};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Base, Memory, Operand, r32, xmm};
use super::super::select::Select;
use super::super::value_info::is_commutative;
use super::{VectorIsa, rounding, vector};

impl<V: VectorIsa> Select<'_, V> {
    /// The same word in every lane.
    pub(crate) fn splat(&mut self, result: VReg, word: u32) {
        if word != 0 && word != u32::MAX {
            let offset = self.pool.word(word);
            let memory = Operand::Memory(Memory::at(Base::Pool, offset));
            return self.unary_op(V::INSTRUCTIONS.load_splat, memory, result);
        }
        self.begin();
        let slot = Operand::Slot(self.def_slot(vector::<V>(result)));
        if word == 0 {
            self.item(V::INSTRUCTIONS.xor, &[slot, slot, slot]);
        } else {
            V::set_all_bits(self, slot);
        }
        self.end();
    }

    pub(super) fn pattern(&mut self, pattern: PatternId, result: VReg) {
        let words = &self.function.patterns[pattern.0 as usize];
        let memory = self.constant_operand(words);
        self.unary_op(V::INSTRUCTIONS.load_constant, memory, result);
    }

    pub(crate) fn binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        let Some(code) = V::binary_code(op) else {
            return self.long_binary(op, a, b, result);
        };
        let [a, b] = self.ordered(op, a, b);
        let (a, b) = (self.lanes(a), self.operand(b));
        self.binary_op(code, a, b, result);
    }

    /// Swaps operands so that the memory operand is the second.
    pub(crate) fn ordered(&self, op: LaneBinary, a: Value, b: Value) -> [Value; 2] {
        if is_commutative(op) {
            self.memory_second(a, b)
        } else {
            [a, b]
        }
    }

    /// Operations that need several instructions.
    pub(crate) fn long_binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        use WordBinary as W;
        match op {
            LaneBinary::Int(op @ (W::Shl | W::ShrU | W::ShrS)) => {
                self.shift_lanes(op, a, b, result);
            }
            LaneBinary::Int(W::MulHighU) => self.multiply_high(a, b, result),
            op => V::expand_binary(self, op, a, b, result),
        }
    }

    /// A shift.
    fn shift_lanes(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        if let Some(amount) = self.values.splat(b) {
            let amount = (amount % 32) as u8;
            let op = match op {
                WordBinary::Shl => Op::ShlBy(amount),
                WordBinary::ShrU => Op::ShrBy(amount),
                _ => Op::SarBy(amount),
            };
            return V::shift_by(self, op, a, result);
        }
        let amount = V::shift_amount(self, b);
        let [left, right, right_signed] = V::INSTRUCTIONS.shifts;
        let code = match op {
            WordBinary::Shl => left,
            WordBinary::ShrU => right,
            _ => right_signed,
        };
        let a = self.lanes(a);
        self.binary_op(code, a, amount, result);
    }

    /// The upper half of an unsigned product, by two 64-bit multiplications of even and odd lanes.
    fn multiply_high(&mut self, a: Value, b: Value, result: VReg) {
        let (multiply, shift) = (
            V::INSTRUCTIONS.multiply_wide,
            V::INSTRUCTIONS.shift_wide_right,
        );
        let (a, b) = (self.lanes(a), self.lanes(b));
        let even = self.computed(multiply, a, b);
        let even = self.new_result(shift, even, Operand::Imm8(32));
        let a = self.computed(shift, a, Operand::Imm8(32));
        let b = self.computed(shift, b, Operand::Imm8(32));
        let odd = self.new_result(multiply, a, b);
        V::merge_even_odd(self, even, odd, result);
    }

    fn new_result(&mut self, code: Code, a: Operand, b: Operand) -> VReg {
        let result = self.new_lanes();
        self.binary_op(code, a, b, result);
        result
    }

    pub(crate) fn unary(&mut self, op: LaneUnary, a: Value, result: VReg) {
        if let Some(code) = self.isa.unary_code(op) {
            let a = self.operand(a);
            return self.unary_op(code, a, result);
        }
        match op {
            LaneUnary::Round => self.round(rounding::NEAREST, a, result),
            LaneUnary::Floor => self.round(rounding::DOWN, a, result),
            LaneUnary::Ceil => self.round(rounding::UP, a, result),
            LaneUnary::Trunc => self.round(rounding::TO_ZERO, a, result),
            op => V::expand_unary(self, op, a, result),
        }
    }

    /// Rounds floats to integers.
    pub(crate) fn round(&mut self, mode: u8, a: Value, result: VReg) {
        let a = self.operand(a);
        self.binary_op(V::INSTRUCTIONS.round, a, Operand::Imm8(mode), result);
    }

    /// The instruction takes lane numbers modulo the number of lanes.
    pub(super) fn permute(&mut self, values: Value, from: Value, result: VReg) {
        let (from, values) = (self.lanes(from), self.operand(values));
        self.binary_op(V::INSTRUCTIONS.permute, from, values, result);
    }

    /// The word of one lane.
    pub(super) fn extract(&mut self, lane: u8, values: Value, result: VReg) {
        let mut from = self.reg(values);
        if lane >= 4 {
            from = V::quarter(self, from, lane / 4);
        }
        let (result, from) = (Operand::Def(r32(result)), Operand::Use(xmm(from)));
        match lane % 4 {
            0 => self.op(V::INSTRUCTIONS.scalar.to_word, &[result, from]),
            lane => self.op(
                V::INSTRUCTIONS.scalar.extract,
                &[result, from, Operand::Imm8(lane)],
            ),
        }
    }
}
