//! Permutations and extraction of lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Operand, r32, xmm, ymm};
use super::Avx2;

impl Avx2<'_, '_> {
    /// The instruction takes lane numbers modulo 8.
    pub(super) fn permute(&mut self, values: Value, from: Value, result: VReg) {
        let (from, values) = (self.lanes(from), self.operand(values));
        self.binary_op(Code::VEX_Vpermd_ymm_ymm_ymmm256, from, values, result);
    }

    pub(super) fn extract(&mut self, lane: u8, values: Value, result: VReg) {
        let mut from = self.reg(values);
        if lane >= 4 {
            from = self.upper_half(from);
        }
        let (result, from) = (Operand::Def(r32(result)), Operand::Use(xmm(from)));
        match lane % 4 {
            0 => self.op(Code::VEX_Vmovd_rm32_xmm, &[result, from]),
            lane => self.op(
                Code::VEX_Vpextrd_rm32_xmm_imm8,
                &[result, from, Operand::Imm8(lane)],
            ),
        }
    }

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
