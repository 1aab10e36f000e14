//! Permutations and extraction of lanes.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Operand, r32, xmm, zmm};
use super::Avx512;

impl Avx512<'_, '_> {
    /// The instruction takes lane numbers modulo 16.
    pub(super) fn permute(&mut self, values: Value, from: Value, result: VReg) {
        let args = [
            Operand::Def(zmm(result)),
            self.lanes(from),
            self.operand(values),
        ];
        self.op(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, &args);
    }

    pub(super) fn extract(&mut self, lane: u8, values: Value, result: VReg) {
        let mut from = self.reg(values);
        if lane >= 4 {
            let quarter = self.new_lanes();
            let args = [
                Operand::Def(xmm(quarter)),
                Operand::Use(zmm(from)),
                Operand::Imm8(lane / 4),
            ];
            self.op(Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8, &args);
            from = quarter;
        }
        let (result, from) = (Operand::Def(r32(result)), Operand::Use(xmm(from)));
        match lane % 4 {
            0 => self.op(Code::EVEX_Vmovd_rm32_xmm, &[result, from]),
            lane => self.op(
                Code::EVEX_Vpextrd_rm32_xmm_imm8,
                &[result, from, Operand::Imm8(lane)],
            ),
        }
    }
}
