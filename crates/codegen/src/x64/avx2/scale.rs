//! `a * 2^floor(b)`, rounded once: exact as a double, then rounded to a float.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, xmm, ymm};
use super::super::select::Select;
use super::super::vector::rounding;
use super::Avx2;

/// The clamp for exponents; larger ones do not change the result.
const MAX_EXPONENT: f32 = 400.0;
/// The exponent bias of `f64`.
const BIAS: u32 = 1023;
const UNORDERED: u8 = 3;

impl Select<'_, Avx2> {
    pub(super) fn scale(&mut self, a: Value, b: Value, result: VReg) {
        let (min, max) = (
            self.word_operand((-MAX_EXPONENT).to_bits()),
            self.word_operand(MAX_EXPONENT.to_bits()),
        );
        let bias = self.word_operand(BIAS);
        let power = self.new_lanes();
        self.round(rounding::DOWN, b, power);
        let power = self.computed(
            Code::VEX_Vmaxps_ymm_ymm_ymmm256,
            Operand::Use(ymm(power)),
            min,
        );
        let power = self.computed(Code::VEX_Vminps_ymm_ymm_ymmm256, power, max);
        let power = self.converted(Code::VEX_Vcvtps2dq_ymm_ymmm256, power);
        let exponents = self.new_lanes();
        self.binary_op(Code::VEX_Vpaddd_ymm_ymm_ymmm256, power, bias, exponents);
        let a = self.reg(a);
        let low = self.scaled_half(a, exponents);
        let (upper, upper_exponents) = (self.upper_half(a), self.upper_half(exponents));
        let high = self.scaled_half(upper, upper_exponents);
        let scaled = self.new_lanes();
        self.joined(low, high, scaled);
        // The clamp above has removed NaN exponents; all bits set is a NaN, too.
        let b = self.lanes(b);
        let is_no_number = self.compared(b, b, UNORDERED);
        let scaled = Operand::Use(ymm(scaled));
        self.binary_op(
            Code::VEX_Vorps_ymm_ymm_ymmm256,
            scaled,
            is_no_number,
            result,
        );
    }

    fn scaled_half(&mut self, a: VReg, exponents: VReg) -> VReg {
        let wide = self.converted(
            Code::VEX_Vpmovzxdq_ymm_xmmm128,
            Operand::Use(xmm(exponents)),
        );
        let factor = self.computed(Code::VEX_Vpsllq_ymm_ymm_imm8, wide, Operand::Imm8(52));
        let a = self.converted(Code::VEX_Vcvtps2pd_ymm_xmmm128, Operand::Use(xmm(a)));
        let product = self.computed(Code::VEX_Vmulpd_ymm_ymm_ymmm256, a, factor);
        let half = self.new_lanes();
        self.op(
            Code::VEX_Vcvtpd2ps_xmm_ymmm256,
            &[Operand::Def(xmm(half)), product],
        );
        half
    }
}
