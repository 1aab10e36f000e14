//! Conversions between `f32` and `f64`, where an `f64` is two vectors: the low and the high words of all lanes.

use anywarp_lanes::ir::{F64Half, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, xmm, ymm};
use super::super::select::Select;
use super::Avx2;

impl Select<'_, Avx2> {
    pub(super) fn float_to_double(&mut self, half: F64Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.new_lanes();
        let args = [
            Operand::Def(xmm(upper)),
            Operand::Use(ymm(a)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &args);
        let code = Code::VEX_Vcvtps2pd_ymm_xmmm128;
        let [first, second] =
            [a, upper].map(|value| self.converted(code, Operand::Use(xmm(value))));
        let mixed = self.new_lanes();
        self.halves(half, first, second, mixed);
        // Swaps the middle two pairs.
        const ORDER: u8 = 0b1101_1000;
        let args = [
            Operand::Def(ymm(result)),
            Operand::Use(ymm(mixed)),
            Operand::Imm8(ORDER),
        ];
        self.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &args);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let args = [Operand::Def(xmm(floats)), of[0]];
            self.op(Code::VEX_Vcvtpd2ps_xmm_ymmm256, &args);
            Operand::Use(xmm(floats))
        });
        // Pairs of values: the first of both registers, then the second.
        let [low, high] = [
            Code::VEX_Vunpcklpd_xmm_xmm_xmmm128,
            Code::VEX_Vunpckhpd_xmm_xmm_xmmm128,
        ]
        .map(|code| {
            let pairs = self.new_lanes();
            self.op(code, &[Operand::Def(xmm(pairs)), first, second]);
            pairs
        });
        let args = [
            Operand::Def(ymm(result)),
            Operand::Use(ymm(low)),
            Operand::Use(xmm(high)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, &args);
    }
}
