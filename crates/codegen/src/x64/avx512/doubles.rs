//! Conversions between `f32` and `f64`, where an `f64` is two vectors: the low and the high words of all lanes.

use anywarp_lanes::ir::{F64Half, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Base, Memory, Operand, ymm, zmm};
use super::super::select::Select;
use super::Avx512;

impl Select<'_, Avx512> {
    /// Values in lane order; their halves are every other word.
    pub(super) fn float_to_double(&mut self, half: F64Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.upper_half(a);
        let code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
        let [first, second] = [a, upper].map(|half| self.converted(code, Operand::Use(ymm(half))));
        let from = match half {
            F64Half::Low => 0,
            F64Half::High => 1,
        };
        let indices: Vec<u32> = (0..16).map(|lane| 2 * lane + from).collect();
        let indices = Memory::at(Base::Pool, self.pool.vector(&indices));
        let index = self.new_lanes();
        let args = [Operand::Def(zmm(index)), Operand::Memory(indices)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &args);
        let args = [Operand::Tied(zmm(result), index), first, second];
        self.op(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, &args);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let args = [Operand::Def(ymm(floats)), of[0]];
            self.op(code, &args);
            floats
        });
        let both = self.new_lanes();
        let args = [
            Operand::Def(zmm(both)),
            Operand::Use(zmm(first)),
            Operand::Use(ymm(second)),
            Operand::Imm8(1),
        ];
        self.op(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, &args);
        // The first two of each four lie in the first half.
        let indices: Vec<u32> = (0..16)
            .map(|lane| lane % 4 / 2 * 8 + lane / 4 * 2 + lane % 2)
            .collect();
        let indices = Memory::at(Base::Pool, self.pool.vector(&indices));
        let index = self.new_lanes();
        let args = [Operand::Def(zmm(index)), Operand::Memory(indices)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &args);
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(index)),
            Operand::Use(zmm(both)),
        ];
        self.op(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, &args);
    }
}
