//! Expansions of unary operations: conversions and bit counts.

use anywarp_lanes::ir::{LaneUnary, Type, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Base, Masking, Memory, Operand, k, ymm, zmm};
use super::super::select::Select;
use super::Avx512;

impl Select<'_, Avx512> {
    pub(super) fn expand_unary(&mut self, op: LaneUnary, a: Value, result: VReg) {
        match op {
            LaneUnary::ToU => self.float_to_unsigned(a, result),
            LaneUnary::ToS => self.float_to_signed(a, result),
            LaneUnary::FromHalf => self.half_to_float(a, result),
            LaneUnary::ToHalf => self.float_to_half(a, result),
            LaneUnary::CountOnes => self.count_ones(a, result),
            LaneUnary::Sqrt
            | LaneUnary::InverseSqrtEstimate
            | LaneUnary::FromU
            | LaneUnary::FromS
            | LaneUnary::LeadingZeros
            | LaneUnary::Round
            | LaneUnary::Floor
            | LaneUnary::Ceil
            | LaneUnary::Trunc => {}
        }
    }

    /// Values that are too large saturate to all ones by themselves; `max` with 0 turns NaN into 0.
    fn float_to_unsigned(&mut self, a: Value, result: VReg) {
        let positive = self.new_lanes();
        let args = [
            Operand::Def(zmm(positive)),
            self.lanes(a),
            self.word_operand(0),
        ];
        self.op(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &args);
        let args = [Operand::Def(zmm(result)), Operand::Use(zmm(positive))];
        self.op(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, &args);
    }

    /// Values out of range become the smallest number by themselves; too large ones are corrected, and NaN becomes 0.
    fn float_to_signed(&mut self, a: Value, result: VReg) {
        const TWO_TO_31: u32 = 0x4f00_0000;
        const ORDERED: u8 = 7;
        const NOT_LESS: u8 = 0x1d;
        let a = Operand::Use(zmm(self.reg(a)));
        let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let (is_number, is_large) = (self.temp(Type::Mask), self.temp(Type::Mask));
        self.op(
            compare,
            &[Operand::Def(k(is_number)), a, a, Operand::Imm8(ORDERED)],
        );
        let limit = self.word_operand(TWO_TO_31);
        self.op(
            compare,
            &[Operand::Def(k(is_large)), a, limit, Operand::Imm8(NOT_LESS)],
        );
        let small = self.new_lanes();
        let masking = Masking::Zero(Operand::Use(k(is_number)));
        let code = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
        self.masked_op(code, &[Operand::Def(zmm(small)), a], masking);
        let largest = Memory::at(Base::Pool, self.pool.word(i32::MAX as u32));
        let args = [Operand::Tied(zmm(result), small), Operand::Memory(largest)];
        let masking = Masking::Merge(Operand::Use(k(is_large)));
        self.masked_op(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, &args, masking);
    }

    fn half_to_float(&mut self, a: Value, result: VReg) {
        let halves = self.new_lanes();
        let args = [Operand::Def(ymm(halves)), self.lanes(a)];
        self.op(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, &args);
        let args = [Operand::Def(zmm(result)), Operand::Use(ymm(halves))];
        self.op(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, &args);
    }

    fn float_to_half(&mut self, a: Value, result: VReg) {
        let halves = self.new_lanes();
        let args = [Operand::Def(ymm(halves)), self.lanes(a), Operand::Imm8(0)];
        self.op(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, &args);
        let args = [Operand::Def(zmm(result)), Operand::Use(ymm(halves))];
        self.op(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, &args);
    }

    /// Population count without VPOPCNTDQ: a table of nibbles, then sums over bytes and over pairs of bytes.
    fn count_ones(&mut self, a: Value, result: VReg) {
        let table: Vec<u32> = [0x0201_0100, 0x0302_0201, 0x0302_0201, 0x0403_0302].repeat(4);
        let table = Memory::at(Base::Pool, self.pool.vector(&table));
        let [nibbles, low, shifted, high, counts, pairs] =
            std::array::from_fn(|_| self.new_lanes());
        let [low_count, high_count] = std::array::from_fn(|_| self.new_lanes());
        let z = |vreg: VReg| Operand::Use(zmm(vreg));
        let def = |vreg: VReg| Operand::Def(zmm(vreg));
        let a = self.lanes(a);
        let mask = self.word_operand(0x0f0f_0f0f);
        self.op(
            Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
            &[def(nibbles), Operand::Memory(table)],
        );
        self.op(
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            &[def(low), a, mask],
        );
        self.op(
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            &[def(shifted), a, Operand::Imm8(4)],
        );
        self.op(
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            &[def(high), z(shifted), mask],
        );
        let look_up = Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
        self.op(look_up, &[def(low_count), z(nibbles), z(low)]);
        self.op(look_up, &[def(high_count), z(nibbles), z(high)]);
        let add = Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512;
        self.op(add, &[def(counts), z(low_count), z(high_count)]);
        // Both instructions multiply by ones and add adjacent elements.
        let ones = Memory::at(Base::Pool, self.pool.vector(&[0x0101_0101; 16]));
        self.op(
            Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512,
            &[def(pairs), z(counts), Operand::Memory(ones)],
        );
        let ones = Memory::at(Base::Pool, self.pool.vector(&[0x0001_0001; 16]));
        self.op(
            Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512,
            &[def(result), z(pairs), Operand::Memory(ones)],
        );
    }
}
