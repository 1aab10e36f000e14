//! Quarters of vectors.

use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, xmm, zmm};
use super::super::select::Select;
use super::Avx512;

impl Select<'_, Avx512> {
    /// A quarter of the lanes.
    pub(super) fn quarter(&mut self, lanes: VReg, number: u8) -> VReg {
        let quarter = self.new_lanes();
        let args = [
            Operand::Def(xmm(quarter)),
            Operand::Use(zmm(lanes)),
            Operand::Imm8(number),
        ];
        self.op(Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8, &args);
        quarter
    }
}
