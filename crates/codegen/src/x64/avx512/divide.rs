//! Integer division and remainder of lanes, through `f64`.
//!
//! Both operands are exact as `f64`. Their rounded quotient, truncated, is the integer quotient: where it is not a
//! whole number, it is at least 1/b away from the next one, and the rounding error is less than 2^-21/b.

use anywarp_lanes::ir::{Type, Value, WordBinary};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Masking, Operand, k, ymm, zmm};
use super::super::select::Select;
use super::Avx512;

impl Select<'_, Avx512> {
    pub(super) fn divide(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        use WordBinary as W;
        let is_never_zero = self.values.splat(b).is_some_and(|word| word != 0);
        let (a, b) = (self.reg(a), self.reg(b));
        let is_quotient = matches!(op, W::DivU | W::DivS);
        let whole = if is_quotient && is_never_zero {
            result
        } else {
            self.new_lanes()
        };
        self.quotients(matches!(op, W::DivS | W::RemS), a, b, whole);
        if is_quotient && is_never_zero {
            return;
        }
        // For divisor 0, the quotient is the dividend and the remainder is 0.
        let is_divided = self.temp(Type::Mask);
        let b_part = Operand::Use(zmm(b));
        let args = [Operand::Def(k(is_divided)), b_part, b_part];
        self.op(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, &args);
        let (a, mask) = (Operand::Use(zmm(a)), Operand::Use(k(is_divided)));
        if is_quotient {
            let args = [Operand::Def(zmm(result)), a, Operand::Use(zmm(whole))];
            let code = Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
            return self.masked_op(code, &args, Masking::Merge(mask));
        }
        let product = self.new_lanes();
        let args = [Operand::Def(zmm(product)), Operand::Use(zmm(whole)), b_part];
        self.op(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, &args);
        let args = [Operand::Def(zmm(result)), a, Operand::Use(zmm(product))];
        let code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        self.masked_op(code, &args, Masking::Zero(mask));
    }

    /// Quotients; those by 0 are unspecified.
    fn quotients(&mut self, is_signed: bool, a: VReg, b: VReg, result: VReg) {
        let low = self.half_quotients(is_signed, a, b);
        let (a, b) = (self.upper_half(a), self.upper_half(b));
        let high = self.half_quotients(is_signed, a, b);
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(low)),
            Operand::Use(ymm(high)),
            Operand::Imm8(1),
        ];
        self.op(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, &args);
    }

    pub(super) fn upper_half(&mut self, lanes: VReg) -> VReg {
        let half = self.new_lanes();
        let args = [
            Operand::Def(ymm(half)),
            Operand::Use(zmm(lanes)),
            Operand::Imm8(1),
        ];
        self.op(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, &args);
        half
    }

    fn half_quotients(&mut self, is_signed: bool, a: VReg, b: VReg) -> VReg {
        let (from, to) = if is_signed {
            (
                Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
                Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae,
            )
        } else {
            (
                Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er,
                Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae,
            )
        };
        let [wide_a, wide_b, quotient, whole] = std::array::from_fn(|_| self.new_lanes());
        self.op(from, &[Operand::Def(zmm(wide_a)), Operand::Use(ymm(a))]);
        self.op(from, &[Operand::Def(zmm(wide_b)), Operand::Use(ymm(b))]);
        let args = [
            Operand::Def(zmm(quotient)),
            Operand::Use(zmm(wide_a)),
            Operand::Use(zmm(wide_b)),
        ];
        self.op(Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, &args);
        self.op(to, &[Operand::Def(ymm(whole)), Operand::Use(zmm(quotient))]);
        whole
    }
}
