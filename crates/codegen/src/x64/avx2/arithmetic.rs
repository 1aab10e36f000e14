//! Arithmetic, fused multiply-add and selects of lanes.

use anywarp_lanes::ir::{LaneBinary, Op, Value, WordBinary};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::fma::{self, Table};
use super::super::group::{Operand, ymm};
use super::super::value_info::is_commutative;
use super::{Avx2, operand};

const FMA: Table = [
    [
        Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256,
        Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256,
        Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256,
    ],
    [
        Code::VEX_Vfmsub132ps_ymm_ymm_ymmm256,
        Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256,
        Code::VEX_Vfmsub231ps_ymm_ymm_ymmm256,
    ],
    [
        Code::VEX_Vfnmadd132ps_ymm_ymm_ymmm256,
        Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256,
        Code::VEX_Vfnmadd231ps_ymm_ymm_ymmm256,
    ],
    [
        Code::VEX_Vfnmsub132ps_ymm_ymm_ymmm256,
        Code::VEX_Vfnmsub213ps_ymm_ymm_ymmm256,
        Code::VEX_Vfnmsub231ps_ymm_ymm_ymmm256,
    ],
];

/// `mask ? second : first`, by the sign bit of each lane of the mask.
pub(super) const BLEND: Code = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;

impl Avx2<'_, '_> {
    pub(super) fn binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        let Some(code) = binary_code(op) else {
            return self.long_binary(op, a, b, result);
        };
        let is_swapped = is_commutative(op) && self.is_in_memory(a) && !self.is_in_memory(b);
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let (a, b) = (self.lanes(a), self.operand(b));
        self.binary_op(code, a, b, result);
    }

    /// Operations that need several instructions.
    fn long_binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        match op {
            LaneBinary::Int(op @ (WordBinary::Shl | WordBinary::ShrU | WordBinary::ShrS)) => {
                self.shift(op, a, b, result);
            }
            LaneBinary::Int(WordBinary::MulHighU) => self.multiply_high(a, b, result),
            LaneBinary::Int(op) => self.divide(op, a, b, result),
            _ => self.scale(a, b, result),
        }
    }

    /// A shift. WGSL takes the amount modulo 32; the instruction does not.
    fn shift(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        if let Some(amount) = self.values.splat(b) {
            let amount = (amount % 32) as u8;
            let op = match op {
                WordBinary::Shl => Op::ShlBy(amount),
                WordBinary::ShrU => Op::ShrBy(amount),
                _ => Op::SarBy(amount),
            };
            return self.shift_by(op, a, result);
        }
        let (b, limit) = (self.lanes(b), self.word_operand(31));
        let amount = self.computed(Code::VEX_Vpand_ymm_ymm_ymmm256, b, limit);
        let code = match op {
            WordBinary::Shl => Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
            WordBinary::ShrU => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
            _ => Code::VEX_Vpsravd_ymm_ymm_ymmm256,
        };
        let a = self.lanes(a);
        self.binary_op(code, a, amount, result);
    }

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

    pub(super) fn fma(&mut self, operands: &[Value], result: VReg) {
        fma::fma(self, &FMA, operand, operands, result);
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

/// The instruction of an operation, if it is a single one.
fn binary_code(op: LaneBinary) -> Option<Code> {
    use WordBinary as W;
    Some(match op {
        LaneBinary::AddF => Code::VEX_Vaddps_ymm_ymm_ymmm256,
        LaneBinary::SubF => Code::VEX_Vsubps_ymm_ymm_ymmm256,
        LaneBinary::MulF => Code::VEX_Vmulps_ymm_ymm_ymmm256,
        LaneBinary::DivF => Code::VEX_Vdivps_ymm_ymm_ymmm256,
        LaneBinary::MinF => Code::VEX_Vminps_ymm_ymm_ymmm256,
        LaneBinary::MaxF => Code::VEX_Vmaxps_ymm_ymm_ymmm256,
        LaneBinary::ScaleF => return None,
        LaneBinary::Int(op) => match op {
            W::Add => Code::VEX_Vpaddd_ymm_ymm_ymmm256,
            W::Sub => Code::VEX_Vpsubd_ymm_ymm_ymmm256,
            W::Mul => Code::VEX_Vpmulld_ymm_ymm_ymmm256,
            W::And => Code::VEX_Vpand_ymm_ymm_ymmm256,
            W::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
            W::Xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            W::MinU => Code::VEX_Vpminud_ymm_ymm_ymmm256,
            W::MaxU => Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
            W::MinS => Code::VEX_Vpminsd_ymm_ymm_ymmm256,
            W::MaxS => Code::VEX_Vpmaxsd_ymm_ymm_ymmm256,
            W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::RemU | W::RemS | W::MulHighU => {
                return None;
            }
        },
    })
}
