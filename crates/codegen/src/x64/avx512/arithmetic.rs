//! Arithmetic, fused multiply-add, selects, ternary logic and comparisons of lanes.

use anywarp_lanes::ir::{LaneBinary, LaneCompare, Op, Value, WordCompare};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::fma::fma_in_place;
use super::super::group_builder::{Masking, Operand, k, zmm};
use super::super::select::Select;
use super::Avx512;
use super::instructions::binary_code;

impl Select<'_, Avx512> {
    pub(super) fn shift_by(&mut self, op: Op, a: Value, result: VReg) {
        let (code, amount) = match op {
            Op::ShlBy(amount) => (Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, amount),
            Op::ShrBy(amount) => (Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, amount),
            Op::SarBy(amount) => (Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, amount),
            Op::RotateBy(amount) => (Code::EVEX_Vprold_zmm_k1z_zmmm512b32_imm8, amount),
            _ => return,
        };
        let args = [
            Operand::Def(zmm(result)),
            self.operand(a),
            Operand::Imm8(amount),
        ];
        self.op(code, &args);
    }

    pub(super) fn merge_even_odd(&mut self, even: VReg, odd: VReg, result: VReg) {
        let odd_lanes: [u32; 16] = std::array::from_fn(|lane| [0, u32::MAX][lane % 2]);
        let odd_lanes = self.constant_operand(&odd_lanes);
        let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        let odd = self.computed(and, Operand::Use(zmm(odd)), odd_lanes);
        let or = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
        self.binary_op(or, Operand::Use(zmm(even)), odd, result);
    }

    /// Operands: old, a, b, mask.
    pub(super) fn masked_binary(&mut self, op: LaneBinary, operands: &[Value], result: VReg) {
        let [old, a, b, mask] = *operands else { return };
        let (code, a, b) = match binary_code(op) {
            Some(code) => {
                let [a, b] = self.ordered(op, a, b);
                (code, Some(self.lanes(a)), self.operand(b))
            }
            None => {
                let all = self.new_lanes();
                self.long_binary(op, a, b, all);
                (
                    Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
                    None,
                    Operand::Use(zmm(all)),
                )
            }
        };
        let (first, masking) = self.merged(old, mask, result);
        match a {
            Some(a) => self.masked_op(code, &[first, a, b], masking),
            None => self.masked_op(code, &[first, b], masking),
        }
    }

    /// The destination and merging-masking of an instruction that updates some lanes of `old`.
    pub(super) fn merged(&mut self, old: Value, mask: Value, result: VReg) -> (Operand, Masking) {
        if self.values.splat(old) == Some(0) {
            return (Operand::Def(zmm(result)), self.zeroing(mask));
        }
        let old = self.reg(old);
        (Operand::Tied(zmm(result), old), self.merging(mask))
    }

    /// Operands: old, a, b, c, mask. One instruction if the old value is an operand.
    pub(super) fn masked_fma(&mut self, operands: &[Value], result: VReg) {
        let [old, a, b, c, mask] = *operands else {
            return;
        };
        let (a, b) = if old == b { (b, a) } else { (a, b) };
        if old == a || old == c {
            let choice = fma_in_place(self, [a, b, c], old);
            let masking = self.merging(mask);
            let first = Operand::Tied(zmm(result), choice.replaced);
            let args = [first, choice.second, choice.third];
            return self.masked_op(choice.code, &args, masking);
        }
        let all = self.new_lanes();
        self.fma(&[a, b, c], all);
        let (first, masking) = self.merged(old, mask, result);
        let args = [first, Operand::Use(zmm(all))];
        self.masked_op(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, &args, masking);
    }

    pub(super) fn ternary(&mut self, table: u8, operands: &[Value], result: VReg) {
        let [a, b, c] = *operands else { return };
        let args = [
            Operand::Tied(zmm(result), self.reg(a)),
            self.lanes(b),
            self.operand(c),
            Operand::Imm8(table),
        ];
        self.op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &args);
    }

    /// Operands: mask, a, b.
    pub(super) fn select_lanes(&mut self, operands: &[Value], result: VReg) {
        let [mask, a, b] = *operands else { return };
        if self.values.splat(b) == Some(0) {
            let a = self.operand(a);
            // A broadcast load is another instruction than a move.
            let code = match a {
                Operand::Memory(memory) if memory.is_broadcast => {
                    let memory = super::super::group_builder::Memory {
                        is_broadcast: false,
                        ..memory
                    };
                    let masking = self.zeroing(mask);
                    let args = [Operand::Def(zmm(result)), Operand::Memory(memory)];
                    return self.masked_op(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &args, masking);
                }
                _ => Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            };
            let masking = self.zeroing(mask);
            return self.masked_op(code, &[Operand::Def(zmm(result)), a], masking);
        }
        if self.values.splat(a) == Some(0) {
            let b = self.reg(b);
            let mask = self.reg(mask);
            self.begin();
            let slot = Operand::Slot(self.tied_slot(zmm(result), b));
            let masking = Masking::Merge(Operand::Use(k(mask)));
            let code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            self.masked_item(code, &[slot, slot, slot], masking);
            return self.end();
        }
        let args = [Operand::Def(zmm(result)), self.lanes(b), self.operand(a)];
        let masking = self.merging(mask);
        self.masked_op(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &args, masking);
    }

    pub(super) fn compare(
        &mut self,
        op: LaneCompare,
        [a, b]: [Value; 2],
        mask: Option<Value>,
        result: VReg,
    ) {
        let is_swapped = self.is_in_memory(a) && !self.is_in_memory(b);
        let [a, b] = self.memory_second(a, b);
        let result = Operand::Def(k(result));
        let is_zero = self.values.splat(b) == Some(0);
        let (code, args) = match op {
            LaneCompare::Int(WordCompare::Eq | WordCompare::Ne) if is_zero => {
                let code = match op {
                    LaneCompare::Int(WordCompare::Eq) => Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
                    _ => Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
                };
                let a = self.lanes(a);
                (code, [result, a, a, Operand::Imm8(0)])
            }
            _ => {
                let (code, predicate) = compare_code(op, is_swapped);
                (
                    code,
                    [
                        result,
                        self.lanes(a),
                        self.operand(b),
                        Operand::Imm8(predicate),
                    ],
                )
            }
        };
        let has_predicate = !matches!(
            code,
            Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 | Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32
        );
        let args = &args[..if has_predicate { 4 } else { 3 }];
        match mask {
            None => self.op(code, args),
            Some(mask) => {
                let masking = self.merging(mask);
                self.masked_op(code, args, masking);
            }
        }
    }

    /// Merging-masking by a mask.
    pub(super) fn merging(&mut self, mask: Value) -> Masking {
        Masking::Merge(Operand::Use(k(self.reg(mask))))
    }

    /// Zeroing-masking by a mask; for stores and comparisons, inactive lanes have no effect.
    pub(super) fn zeroing(&mut self, mask: Value) -> Masking {
        Masking::Zero(Operand::Use(k(self.reg(mask))))
    }
}

/// The instruction and the predicate of a comparison, for swapped operands or not.
fn compare_code(op: LaneCompare, is_swapped: bool) -> (Code, u8) {
    use LaneCompare as C;
    use WordCompare as W;
    let float = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    let (code, plain, swapped) = match op {
        C::EqF => (float, 0x00, 0x00),
        C::NeF => (float, 0x04, 0x04),
        C::LtF => (float, 0x11, 0x1e),
        C::LeF => (float, 0x12, 0x1d),
        C::NltF => (float, 0x15, 0x1a),
        C::NleF => (float, 0x16, 0x19),
        C::Int(op) => {
            let code = match op {
                W::LtS | W::LeS | W::Eq | W::Ne => Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
                W::LtU | W::LeU => Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
            };
            match op {
                W::Eq => (code, 0, 0),
                W::Ne => (code, 4, 4),
                W::LtU | W::LtS => (code, 1, 6),
                W::LeU | W::LeS => (code, 2, 5),
            }
        }
    };
    (code, if is_swapped { swapped } else { plain })
}
