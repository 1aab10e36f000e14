//! Operations on masks in mask registers.

use anywarp_lanes::ir::{MaskBinary, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, R11D, k};
use super::super::machine_inst::{Condition, Slot};
use super::super::select::Select;
use super::Avx512;

/// Sets the flags inside a group: the returned condition holds if the mask is not empty.
pub(super) fn test_mask(s: &mut Select<'_, Avx512>, mask: VReg) -> Condition {
    let mask = Operand::Slot(s.use_slot(k(mask)));
    s.item(Code::VEX_Kortestw_kr_kr, &[mask, mask]);
    Condition::NotEqual
}

/// The mask as bits in a general register, inside a group: bit `l` is lane `l`.
pub(super) fn mask_bits(s: &mut Select<'_, Avx512>, mask: VReg, bits: Slot) {
    let mask = Operand::Use(k(mask));
    s.item(Code::VEX_Kmovw_r32_kr, &[Operand::Slot(bits), mask]);
}

impl Select<'_, Avx512> {
    pub(super) fn mask_constant(&mut self, mask: u32, result: VReg) {
        self.begin();
        let slot = Operand::Slot(self.def_slot(k(result)));
        match mask {
            0 => self.item(Code::VEX_Kxorw_kr_kr_kr, &[slot, slot, slot]),
            0xffff => self.item(Code::VEX_Kxnorw_kr_kr_kr, &[slot, slot, slot]),
            _ => {
                self.item(Code::Mov_r32_imm32, &[R11D, Operand::Imm32(mask as i32)]);
                self.item(Code::VEX_Kmovw_kr_r32, &[slot, R11D]);
            }
        }
        self.end();
    }

    pub(super) fn mask_binary(&mut self, op: MaskBinary, a: Value, b: Value, result: VReg) {
        let (a, b) = (Operand::Use(k(self.reg(a))), Operand::Use(k(self.reg(b))));
        let result = Operand::Def(k(result));
        match op {
            MaskBinary::And => self.op(Code::VEX_Kandw_kr_kr_kr, &[result, a, b]),
            MaskBinary::Or => self.op(Code::VEX_Korw_kr_kr_kr, &[result, a, b]),
            MaskBinary::Xor => self.op(Code::VEX_Kxorw_kr_kr_kr, &[result, a, b]),
            // `kandn` complements its first operand.
            MaskBinary::AndNot => self.op(Code::VEX_Kandnw_kr_kr_kr, &[result, b, a]),
        }
    }
}
