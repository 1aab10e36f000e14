//! The upper half of 32-bit products of lanes, by two 64-bit multiplications of even and odd lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Base, Memory, Operand, zmm};
use super::Avx512;

impl Avx512<'_, '_> {
    /// The upper half of an unsigned product.
    pub(super) fn multiply_high(&mut self, a: Value, b: Value, result: VReg) {
        let (a, b) = (self.reg(a), self.reg(b));
        let even = self.wide_products(a, b);
        let even = self.upper_words(even);
        let (a, b) = (self.upper_words(a), self.upper_words(b));
        let odd = self.wide_products(a, b);
        let upper: Vec<u32> = (0..16).map(|lane| [0, u32::MAX][lane % 2]).collect();
        let upper = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(&upper)));
        let kept = self.new_lanes();
        let code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        self.op(
            code,
            &[Operand::Def(zmm(kept)), Operand::Use(zmm(odd)), upper],
        );
        let both = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(even)),
            Operand::Use(zmm(kept)),
        ];
        self.op(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, &both);
    }

    /// 64-bit products of the even lanes.
    fn wide_products(&mut self, a: VReg, b: VReg) -> VReg {
        let result = self.new_lanes();
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(a)),
            Operand::Use(zmm(b)),
        ];
        self.op(Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, &args);
        result
    }

    /// Moves the odd lanes to the even ones.
    fn upper_words(&mut self, a: VReg) -> VReg {
        let result = self.new_lanes();
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(a)),
            Operand::Imm8(32),
        ];
        self.op(Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, &args);
        result
    }
}
