//! The upper half of 32-bit products of lanes, by two 64-bit multiplications of even and odd lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Part, ymm};
use super::Avx2;

const MULTIPLY: Code = Code::VEX_Vpmuludq_ymm_ymm_ymmm256;
const SHIFT: Code = Code::VEX_Vpsrlq_ymm_ymm_imm8;

impl Avx2<'_, '_> {
    /// The upper half of an unsigned product.
    pub(super) fn high_product(&mut self, a: Value, b: Value, result: VReg) {
        let (a, b) = (self.lanes(a), self.lanes(b));
        let even = self.computed(MULTIPLY, a, b);
        let even = self.computed(SHIFT, even, Part::Imm8(32));
        let a = self.computed(SHIFT, a, Part::Imm8(32));
        let b = self.computed(SHIFT, b, Part::Imm8(32));
        let odd = self.computed(MULTIPLY, a, b);
        const ODD_LANES: u8 = 0b1010_1010;
        let parts = [Part::Def(ymm(result)), even, odd, Part::Imm8(ODD_LANES)];
        self.op(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, &parts);
    }
}
