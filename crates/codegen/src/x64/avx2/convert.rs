//! Expansions of unary operations: conversions and bit counts.

use anywarp_lanes::ir::{LaneUnary, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Base, Memory, Operand, xmm, ymm};
use super::super::select::Select;
use super::Avx2;

const TWO_TO_16: u32 = 0x4780_0000;
const TWO_TO_31: u32 = 0x4f00_0000;
const TWO_TO_32: u32 = 0x4f80_0000;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const TO_INTEGER: Code = Code::VEX_Vcvttps2dq_ymm_ymmm256;
const FROM_INTEGER: Code = Code::VEX_Vcvtdq2ps_ymm_ymmm256;
const SHIFT_RIGHT: Code = Code::VEX_Vpsrld_ymm_ymm_imm8;
const COMPARE: Code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
/// Predicates of the comparison.
const ORDERED: u8 = 0x07;
const NOT_LESS: u8 = 0x1d;

impl Select<'_, Avx2> {
    pub(super) fn expand_unary(&mut self, op: LaneUnary, a: Value, result: VReg) {
        match op {
            LaneUnary::FromU => self.unsigned_to_float(a, result),
            LaneUnary::ToU => self.float_to_unsigned(a, result),
            LaneUnary::ToS => self.float_to_signed(a, result),
            LaneUnary::FromHalf => self.half_to_float(a, result),
            LaneUnary::ToHalf => self.float_to_half(a, result),
            LaneUnary::CountOnes => self.count_ones(a, result),
            LaneUnary::LeadingZeros => self.leading_zeros(a, result),
            LaneUnary::Sqrt
            | LaneUnary::InverseSqrtEstimate
            | LaneUnary::FromS
            | LaneUnary::Round
            | LaneUnary::Floor
            | LaneUnary::Ceil
            | LaneUnary::Trunc => {}
        }
    }

    pub(super) fn compared(&mut self, a: Operand, b: Operand, predicate: u8) -> Operand {
        let result = self.new_lanes();
        self.op(
            COMPARE,
            &[Operand::Def(ymm(result)), a, b, Operand::Imm8(predicate)],
        );
        Operand::Use(ymm(result))
    }

    /// Both halves of the bits are exact as floats; their sum is rounded once.
    fn unsigned_to_float(&mut self, a: Value, result: VReg) {
        let (a, lower, scale) = (
            self.lanes(a),
            self.word_operand(0xffff),
            self.word_operand(TWO_TO_16),
        );
        let low = self.computed(AND, a, lower);
        let high = self.computed(SHIFT_RIGHT, a, Operand::Imm8(16));
        let low = self.converted(FROM_INTEGER, low);
        let high = self.new_register(FROM_INTEGER, high);
        let args = [Operand::Tied(ymm(result), high), low, scale];
        self.op(Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256, &args);
    }

    fn new_register(&mut self, code: Code, a: Operand) -> VReg {
        let result = self.new_lanes();
        self.unary_op(code, a, result);
        result
    }

    /// A second conversion gives the lower bits of values from 2^31 on; from 2^32 on all bits are set.
    fn float_to_unsigned(&mut self, a: Value, result: VReg) {
        let (a, zero) = (self.lanes(a), self.word_operand(0));
        // `max` with 0 turns NaN into 0.
        let positive = self.computed(Code::VEX_Vmaxps_ymm_ymm_ymmm256, a, zero);
        let (half, all) = (self.word_operand(TWO_TO_31), self.word_operand(TWO_TO_32));
        let small = self.converted(TO_INTEGER, positive);
        let rest = self.computed(Code::VEX_Vsubps_ymm_ymm_ymmm256, positive, half);
        let rest = self.converted(TO_INTEGER, rest);
        let is_large = self.computed(Code::VEX_Vpsrad_ymm_ymm_imm8, small, Operand::Imm8(31));
        let rest = self.computed(AND, rest, is_large);
        let or = Code::VEX_Vpor_ymm_ymm_ymmm256;
        let bits = self.computed(or, small, rest);
        let is_too_large = self.compared(positive, all, NOT_LESS);
        self.binary_op(or, bits, is_too_large, result);
    }

    /// Values out of range become the smallest number by themselves; too large ones are corrected, and NaN becomes 0.
    fn float_to_signed(&mut self, a: Value, result: VReg) {
        let (a, limit) = (self.lanes(a), self.word_operand(TWO_TO_31));
        let is_large = self.compared(a, limit, NOT_LESS);
        let is_number = self.compared(a, a, ORDERED);
        let bits = self.converted(TO_INTEGER, a);
        let bits = self.computed(Code::VEX_Vpxor_ymm_ymm_ymmm256, bits, is_large);
        self.binary_op(AND, bits, is_number, result);
    }

    fn half_to_float(&mut self, a: Value, result: VReg) {
        let (a, lower) = (self.lanes(a), self.word_operand(0xffff));
        let halves = self.computed(AND, a, lower);
        // `vpackusdw` packs within each half of the register; the two quarters are then brought together.
        let packed = self.computed(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, halves, halves);
        let both = self.new_lanes();
        self.binary_op(
            Code::VEX_Vpermq_ymm_ymmm256_imm8,
            packed,
            Operand::Imm8(0b1000),
            both,
        );
        let both = Operand::Use(xmm(both));
        self.unary_op(Code::VEX_Vcvtph2ps_ymm_xmmm128, both, result);
    }

    fn float_to_half(&mut self, a: Value, result: VReg) {
        let halves = self.new_lanes();
        let args = [Operand::Def(xmm(halves)), self.lanes(a), Operand::Imm8(0)];
        self.op(Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8, &args);
        let halves = Operand::Use(xmm(halves));
        self.unary_op(Code::VEX_Vpmovzxwd_ymm_xmmm128, halves, result);
    }

    /// Population count: a table of nibbles, then sums over bytes and over pairs of bytes.
    fn count_ones(&mut self, a: Value, result: VReg) {
        let table: Vec<u32> = [0x0201_0100, 0x0302_0201, 0x0302_0201, 0x0403_0302].repeat(2);
        let table = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(&table)));
        let (a, nibble) = (self.lanes(a), self.word_operand(0x0f0f_0f0f));
        let table = self.converted(Code::VEX_Vmovdqa_ymm_ymmm256, table);
        let low = self.computed(AND, a, nibble);
        let high = self.computed(SHIFT_RIGHT, a, Operand::Imm8(4));
        let high = self.computed(AND, high, nibble);
        let look_up = Code::VEX_Vpshufb_ymm_ymm_ymmm256;
        let low = self.computed(look_up, table, low);
        let high = self.computed(look_up, table, high);
        let counts = self.computed(Code::VEX_Vpaddb_ymm_ymm_ymmm256, low, high);
        // Both instructions multiply by ones and add adjacent elements.
        let (bytes, pairs) = (
            self.word_operand(0x0101_0101),
            self.word_operand(0x0001_0001),
        );
        let counts = self.computed(Code::VEX_Vpmaddubsw_ymm_ymm_ymmm256, counts, bytes);
        self.binary_op(Code::VEX_Vpmaddwd_ymm_ymm_ymmm256, counts, pairs, result);
    }

    /// Count of leading zeros, from the exponent of the number as a float. The bit below the highest is cleared, so
    /// that rounding does not carry.
    fn leading_zeros(&mut self, a: Value, result: VReg) {
        let a = self.lanes(a);
        let half = self.computed(SHIFT_RIGHT, a, Operand::Imm8(1));
        let top = self.computed(Code::VEX_Vpandn_ymm_ymm_ymmm256, half, a);
        let float = self.converted(FROM_INTEGER, top);
        let exponent = self.computed(SHIFT_RIGHT, float, Operand::Imm8(23));
        let max = self.new_lanes();
        self.splat(max, 127 + 31);
        let zeros = self.computed(
            Code::VEX_Vpsubd_ymm_ymm_ymmm256,
            Operand::Use(ymm(max)),
            exponent,
        );
        // Zero has the exponent 0, and a set highest bit makes the float negative.
        let (all, none) = (self.word_operand(32), self.word_operand(0));
        let zeros = self.computed(Code::VEX_Vpminsd_ymm_ymm_ymmm256, zeros, all);
        self.binary_op(Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, zeros, none, result);
    }
}
