//! Permutations and extraction of lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Part, r32, xmm, ymm};
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
        let (result, from) = (Part::Def(r32(result)), Part::Use(xmm(from)));
        match lane % 4 {
            0 => self.op(Code::VEX_Vmovd_rm32_xmm, &[result, from]),
            lane => self.op(
                Code::VEX_Vpextrd_rm32_xmm_imm8,
                &[result, from, Part::Imm8(lane)],
            ),
        }
    }

    /// The upper half of lanes.
    pub(super) fn upper_half(&mut self, lanes: VReg) -> VReg {
        let half = self.new_lanes();
        let parts = [Part::Def(xmm(half)), Part::Use(ymm(lanes)), Part::Imm8(1)];
        self.op(Code::VEX_Vextracti128_xmmm128_ymm_imm8, &parts);
        half
    }

    /// Lanes from two halves.
    pub(super) fn joined(&mut self, low: VReg, high: VReg, result: VReg) {
        let parts = [
            Part::Def(ymm(result)),
            Part::Use(ymm(low)),
            Part::Use(xmm(high)),
            Part::Imm8(1),
        ];
        self.op(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, &parts);
    }
}
