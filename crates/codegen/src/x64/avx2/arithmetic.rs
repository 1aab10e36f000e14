//! Arithmetic, fused multiply-add and selects of lanes.

use anywarp_lanes::ir::{LaneBinary, Op, Value, WordBinary};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, ymm};
use super::super::select::Select;
use super::super::value_info::is_commutative;
use super::Avx2;
use super::instructions::binary_code;

/// `mask ? second : first`, by the sign bit of each lane of the mask.
pub(super) const BLEND: Code = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;

impl Select<'_, Avx2> {
    pub(super) fn shift_by(&mut self, op: Op, a: Value, result: VReg) {
        let a = self.lanes(a);
        let (left, right) = (Code::VEX_Vpslld_ymm_ymm_imm8, Code::VEX_Vpsrld_ymm_ymm_imm8);
        match op {
            Op::ShlBy(amount) => self.binary_op(left, a, Operand::Imm8(amount), result),
            Op::ShrBy(amount) => self.binary_op(right, a, Operand::Imm8(amount), result),
            Op::SarBy(amount) => {
                self.binary_op(
                    Code::VEX_Vpsrad_ymm_ymm_imm8,
                    a,
                    Operand::Imm8(amount),
                    result,
                );
            }
            Op::RotateBy(amount) => {
                let high = self.computed(left, a, Operand::Imm8(amount));
                let low = self.computed(right, a, Operand::Imm8(32 - amount));
                self.binary_op(Code::VEX_Vpor_ymm_ymm_ymmm256, high, low, result);
            }
            _ => {}
        }
    }

    /// Operands: old, a, b, mask.
    pub(super) fn masked_binary(&mut self, op: LaneBinary, operands: &[Value], result: VReg) {
        let [old, a, b, mask] = *operands else { return };
        let (a, b) = if old == b && is_commutative(op) {
            (b, a)
        } else {
            (a, b)
        };
        if old == a && leaves_by_zero(op) {
            // A second operand of 0 leaves the first unchanged.
            let (mask, b) = (self.lanes(mask), self.operand(b));
            let b = self.computed(Code::VEX_Vpand_ymm_ymm_ymmm256, mask, b);
            let a = self.lanes(a);
            if let Some(code) = binary_code(op) {
                self.binary_op(code, a, b, result);
            }
            return;
        }
        let all = self.new_lanes();
        self.binary(op, a, b, all);
        self.merge(old, Operand::Use(ymm(all)), mask, result);
    }

    /// A blend: new values in active lanes, else old ones.
    fn merge(&mut self, old: Value, new: Operand, mask: Value, result: VReg) {
        let mask = self.lanes(mask);
        if self.values.splat(old) == Some(0) {
            return self.binary_op(Code::VEX_Vpand_ymm_ymm_ymmm256, mask, new, result);
        }
        let args = [Operand::Def(ymm(result)), self.lanes(old), new, mask];
        self.op(BLEND, &args);
    }

    /// Operands: old, a, b, c, mask.
    pub(super) fn masked_fma(&mut self, operands: &[Value], result: VReg) {
        let [old, a, b, c, mask] = *operands else {
            return;
        };
        let all = self.new_lanes();
        self.fma(&[a, b, c], all);
        self.merge(old, Operand::Use(ymm(all)), mask, result);
    }

    pub(super) fn merge_even_odd(&mut self, even: VReg, odd: VReg, result: VReg) {
        const ODD_LANES: u8 = 0b1010_1010;
        let [even, odd] = [even, odd].map(|vreg| Operand::Use(ymm(vreg)));
        let args = [
            Operand::Def(ymm(result)),
            even,
            odd,
            Operand::Imm8(ODD_LANES),
        ];
        self.op(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, &args);
    }

    /// Operands: mask, a, b.
    pub(super) fn select_lanes(&mut self, operands: &[Value], result: VReg) {
        let [mask, a, b] = *operands else { return };
        if self.values.splat(a) == Some(0) {
            let (mask, b) = (self.lanes(mask), self.operand(b));
            return self.binary_op(Code::VEX_Vpandn_ymm_ymm_ymmm256, mask, b, result);
        }
        let a = self.operand(a);
        self.merge(b, a, mask, result);
    }
}

/// Whether 0 is a right identity of an operation.
fn leaves_by_zero(op: LaneBinary) -> bool {
    use WordBinary as W;
    matches!(op, LaneBinary::Int(W::Add | W::Sub | W::Or | W::Xor))
}
