//! Halves of vectors.

use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, xmm, ymm};
use super::super::select::Select;
use super::Avx2;

impl Select<'_, Avx2> {
    /// The upper half of lanes.
    pub(super) fn upper_half(&mut self, lanes: VReg) -> VReg {
        let half = self.new_lanes();
        let args = [
            Operand::Def(xmm(half)),
            Operand::Use(ymm(lanes)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vextracti128_xmmm128_ymm_imm8, &args);
        half
    }

    /// Lanes from two halves.
    pub(super) fn joined(&mut self, low: VReg, high: VReg, result: VReg) {
        let args = [
            Operand::Def(ymm(result)),
            Operand::Use(ymm(low)),
            Operand::Use(xmm(high)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, &args);
    }
}
