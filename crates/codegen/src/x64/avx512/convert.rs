//! Unary operations of lanes: rounding, conversions, roots and bit counts.

use anywarp_lanes::ir::{LaneUnary, Type, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Base, Masking, Memory, Part, k, ymm, zmm};
use super::Avx512;
use crate::target::Level;

/// Rounding modes of `vrndscaleps`, with the inexact exception suppressed.
const NEAREST: u8 = 0x8;
const DOWN: u8 = 0x9;
const UP: u8 = 0xa;
const TO_ZERO: u8 = 0xb;

impl Avx512<'_, '_> {
    pub(super) fn unary(&mut self, op: LaneUnary, a: Value, result: VReg) {
        let code = match op {
            LaneUnary::Sqrt => Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
            LaneUnary::InverseSqrtEstimate => Code::EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32,
            LaneUnary::FromU => Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er,
            LaneUnary::FromS => Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
            LaneUnary::LeadingZeros => Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32,
            LaneUnary::CountOnes => match self.level {
                Level::Avx512 { counts_bits: true } => Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32,
                _ => return self.count_ones(a, result),
            },
            LaneUnary::Round => return self.round(NEAREST, a, result),
            LaneUnary::Floor => return self.round(DOWN, a, result),
            LaneUnary::Ceil => return self.round(UP, a, result),
            LaneUnary::Trunc => return self.round(TO_ZERO, a, result),
            LaneUnary::ToU => return self.float_to_unsigned(a, result),
            LaneUnary::ToS => return self.float_to_signed(a, result),
            LaneUnary::FromHalf => return self.half_to_float(a, result),
            LaneUnary::ToHalf => return self.float_to_half(a, result),
        };
        let parts = [Part::Def(zmm(result)), self.operand(a)];
        self.op(code, &parts);
    }

    fn round(&mut self, how: u8, a: Value, result: VReg) {
        let parts = [Part::Def(zmm(result)), self.operand(a), Part::Imm8(how)];
        self.op(Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, &parts);
    }

    /// Values that are too large saturate to all ones by themselves; `max` with 0 turns NaN into 0.
    fn float_to_unsigned(&mut self, a: Value, result: VReg) {
        let positive = self.new_lanes();
        let parts = [
            Part::Def(zmm(positive)),
            self.lanes(a),
            self.word_operand(0),
        ];
        self.op(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &parts);
        let parts = [Part::Def(zmm(result)), Part::Use(zmm(positive))];
        self.op(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, &parts);
    }

    /// Values out of range become the smallest number by themselves; too large ones are corrected, and NaN becomes 0.
    fn float_to_signed(&mut self, a: Value, result: VReg) {
        const TWO_TO_31: u32 = 0x4f00_0000;
        const ORDERED: u8 = 7;
        const NOT_LESS: u8 = 0x1d;
        let a = Part::Use(zmm(self.reg(a)));
        let compare = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let (is_number, is_large) = (self.temp(Type::Mask), self.temp(Type::Mask));
        self.op(
            compare,
            &[Part::Def(k(is_number)), a, a, Part::Imm8(ORDERED)],
        );
        let limit = self.word_operand(TWO_TO_31);
        self.op(
            compare,
            &[Part::Def(k(is_large)), a, limit, Part::Imm8(NOT_LESS)],
        );
        let small = self.new_lanes();
        let masking = Masking::Zero(Part::Use(k(is_number)));
        let code = Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae;
        self.masked_op(code, &[Part::Def(zmm(small)), a], masking);
        let largest = Memory::at(Base::Pool, self.pool.word(i32::MAX as u32));
        let parts = [Part::Tied(zmm(result), small), Part::Memory(largest)];
        let masking = Masking::FrameStore(Part::Use(k(is_large)));
        self.masked_op(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, &parts, masking);
    }

    fn half_to_float(&mut self, a: Value, result: VReg) {
        let halves = self.new_lanes();
        let parts = [Part::Def(ymm(halves)), self.lanes(a)];
        self.op(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, &parts);
        let parts = [Part::Def(zmm(result)), Part::Use(ymm(halves))];
        self.op(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, &parts);
    }

    fn float_to_half(&mut self, a: Value, result: VReg) {
        let halves = self.new_lanes();
        let parts = [Part::Def(ymm(halves)), self.lanes(a), Part::Imm8(0)];
        self.op(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, &parts);
        let parts = [Part::Def(zmm(result)), Part::Use(ymm(halves))];
        self.op(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, &parts);
    }

    /// Population count without VPOPCNTDQ: a table of nibbles, then sums over bytes and over pairs of bytes.
    fn count_ones(&mut self, a: Value, result: VReg) {
        let table: Vec<u32> = [0x0201_0100, 0x0302_0201, 0x0302_0201, 0x0403_0302].repeat(4);
        let table = Memory::at(Base::Pool, self.pool.vector(&table));
        let [nibbles, low, shifted, high, counts, pairs] =
            std::array::from_fn(|_| self.new_lanes());
        let [low_count, high_count] = std::array::from_fn(|_| self.new_lanes());
        let z = |vreg: VReg| Part::Use(zmm(vreg));
        let def = |vreg: VReg| Part::Def(zmm(vreg));
        let a = self.lanes(a);
        let mask = self.word_operand(0x0f0f_0f0f);
        self.op(
            Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
            &[def(nibbles), Part::Memory(table)],
        );
        self.op(
            Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            &[def(low), a, mask],
        );
        self.op(
            Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
            &[def(shifted), a, Part::Imm8(4)],
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
            &[def(pairs), z(counts), Part::Memory(ones)],
        );
        let ones = Memory::at(Base::Pool, self.pool.vector(&[0x0001_0001; 16]));
        self.op(
            Code::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512,
            &[def(result), z(pairs), Part::Memory(ones)],
        );
    }
}
