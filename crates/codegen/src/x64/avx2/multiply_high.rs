//! The upper half of 32-bit products of lanes, by two 64-bit multiplications of even and odd lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Operand, ymm};
use super::Avx2;

const MULTIPLY: Code = Code::VEX_Vpmuludq_ymm_ymm_ymmm256;
const SHIFT: Code = Code::VEX_Vpsrlq_ymm_ymm_imm8;

impl Avx2<'_, '_> {
    /// The upper half of an unsigned product.
    pub(super) fn multiply_high(&mut self, a: Value, b: Value, result: VReg) {
        let (a, b) = (self.lanes(a), self.lanes(b));
        let even = self.computed(MULTIPLY, a, b);
        let even = self.computed(SHIFT, even, Operand::Imm8(32));
        let a = self.computed(SHIFT, a, Operand::Imm8(32));
        let b = self.computed(SHIFT, b, Operand::Imm8(32));
        let odd = self.computed(MULTIPLY, a, b);
        const ODD_LANES: u8 = 0b1010_1010;
        let args = [
            Operand::Def(ymm(result)),
            even,
            odd,
            Operand::Imm8(ODD_LANES),
        ];
        self.op(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, &args);
    }
}
