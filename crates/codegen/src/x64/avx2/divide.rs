//! Integer division and remainder of lanes, through `f64`; `avx512::divide` explains why this is exact.
//!
//! Unsigned operands are converted to and from `f64` as signed numbers that are 2^31 less.

use anywarp_lanes::ir::{Value, WordBinary};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Base, Memory, Operand, xmm, ymm};
use super::super::select::Select;
use super::super::vector::rounding;
use super::arithmetic::BLEND;
use super::{Avx2, SIGN};

const FROM_INTEGER: Code = Code::VEX_Vcvtdq2pd_ymm_xmmm128;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;

impl Select<'_, Avx2> {
    pub(super) fn divide(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        use WordBinary as W;
        let is_never_zero = self.values.splat(b).is_some_and(|word| word != 0);
        let (a, b) = (self.reg(a), self.reg(b));
        let is_quotient = matches!(op, W::DivU | W::DivS);
        let is_done = is_quotient && is_never_zero;
        let whole = if is_done { result } else { self.new_lanes() };
        self.quotients(matches!(op, W::DivS | W::RemS), a, b, whole);
        if is_done {
            return;
        }
        // For divisor 0, the quotient is the dividend and the remainder is 0.
        let [a, b, whole] = [a, b, whole].map(|value| Operand::Use(ymm(value)));
        let zero = self.word_operand(0);
        let is_zero = self.computed(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, b, zero);
        if is_quotient {
            return self.op(BLEND, &[Operand::Def(ymm(result)), whole, a, is_zero]);
        }
        let product = self.computed(Code::VEX_Vpmulld_ymm_ymm_ymmm256, whole, b);
        let rest = self.computed(Code::VEX_Vpsubd_ymm_ymm_ymmm256, a, product);
        self.binary_op(Code::VEX_Vpandn_ymm_ymm_ymmm256, is_zero, rest, result);
    }

    /// Quotients; those by 0 are unspecified.
    fn quotients(&mut self, is_signed: bool, a: VReg, b: VReg, result: VReg) {
        if is_signed {
            return self.both_halves(is_signed, a, b, result);
        }
        let sign = self.word_operand(SIGN);
        let [a, b] = [a, b].map(|value| {
            let flipped = self.new_lanes();
            self.binary_op(XOR, Operand::Use(ymm(value)), sign, flipped);
            flipped
        });
        let flipped = self.new_lanes();
        self.both_halves(is_signed, a, b, flipped);
        self.binary_op(XOR, Operand::Use(ymm(flipped)), sign, result);
    }

    fn both_halves(&mut self, is_signed: bool, a: VReg, b: VReg, result: VReg) {
        let low = self.half_quotients(is_signed, a, b);
        let (a, b) = (self.upper_half(a), self.upper_half(b));
        let high = self.half_quotients(is_signed, a, b);
        self.joined(low, high, result);
    }

    fn half_quotients(&mut self, is_signed: bool, a: VReg, b: VReg) -> VReg {
        let [mut a, mut b] =
            [a, b].map(|value| self.converted(FROM_INTEGER, Operand::Use(xmm(value))));
        // 2^31 as `f64`.
        let half: Vec<u32> = [0, 0x41e0_0000].repeat(4);
        let half = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(&half)));
        if !is_signed {
            [a, b] =
                [a, b].map(|value| self.computed(Code::VEX_Vaddpd_ymm_ymm_ymmm256, value, half));
        }
        let mut quotient = self.computed(Code::VEX_Vdivpd_ymm_ymm_ymmm256, a, b);
        if !is_signed {
            // Truncated first, since the conversion would round negative numbers up.
            let round = Code::VEX_Vroundpd_ymm_ymmm256_imm8;
            quotient = self.computed(round, quotient, Operand::Imm8(rounding::TO_ZERO));
            quotient = self.computed(Code::VEX_Vsubpd_ymm_ymm_ymmm256, quotient, half);
        }
        let whole = self.new_lanes();
        self.op(
            Code::VEX_Vcvttpd2dq_xmm_ymmm256,
            &[Operand::Def(xmm(whole)), quotient],
        );
        whole
    }
}
