//! Arithmetic, fused multiply-add, selects, ternary logic and comparisons of lanes.

use anywarp_lanes::ir::{LaneBinary, LaneCompare, Op, Value, WordBinary, WordCompare};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Masking, Part, k, zmm};
use super::super::facts::is_commutative;
use super::super::fma::{self, Table};
use super::{Avx512, operand};

const FMA: Table = [
    [
        Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Code::EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Code::EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
    ],
    [
        Code::EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
    ],
];

impl Avx512<'_, '_> {
    pub(super) fn binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        let Some(code) = binary_code(op) else {
            return self.long_binary(op, a, b, result);
        };
        let (a, b) = self.ordered(op, a, b);
        let parts = [Part::Def(zmm(result)), self.lanes(a), self.operand(b)];
        self.op(code, &parts);
    }

    /// Swaps operands so that the memory operand is the second.
    fn ordered(&self, op: LaneBinary, a: Value, b: Value) -> (Value, Value) {
        let is_swapped = is_commutative(op) && self.is_in_memory(a) && !self.is_in_memory(b);
        if is_swapped { (b, a) } else { (a, b) }
    }

    /// Operations that need several instructions.
    fn long_binary(&mut self, op: LaneBinary, a: Value, b: Value, result: VReg) {
        let LaneBinary::Int(op) = op else { return };
        match op {
            WordBinary::Shl | WordBinary::ShrU | WordBinary::ShrS => self.shift(op, a, b, result),
            WordBinary::MulHighU => self.high_product(a, b, result),
            _ => self.divide(op, a, b, result),
        }
    }

    /// A shift. WGSL takes the amount modulo 32; the instruction does not.
    fn shift(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        if let Some(amount) = self.facts.splat(b) {
            let amount = (amount % 32) as u8;
            let op = match op {
                WordBinary::Shl => Op::ShlBy(amount),
                WordBinary::ShrU => Op::ShrBy(amount),
                _ => Op::SarBy(amount),
            };
            return self.shift_by(op, a, result);
        }
        let amount = self.new_lanes();
        let parts = [Part::Def(zmm(amount)), self.lanes(b), self.word_operand(31)];
        self.op(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &parts);
        let code = match op {
            WordBinary::Shl => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
            WordBinary::ShrU => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
            _ => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
        };
        let parts = [
            Part::Def(zmm(result)),
            self.lanes(a),
            Part::Use(zmm(amount)),
        ];
        self.op(code, &parts);
    }

    pub(super) fn shift_by(&mut self, op: Op, a: Value, result: VReg) {
        let (code, amount) = match op {
            Op::ShlBy(amount) => (Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, amount),
            Op::ShrBy(amount) => (Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, amount),
            Op::SarBy(amount) => (Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, amount),
            Op::RotateBy(amount) => (Code::EVEX_Vprold_zmm_k1z_zmmm512b32_imm8, amount),
            _ => return,
        };
        let parts = [Part::Def(zmm(result)), self.operand(a), Part::Imm8(amount)];
        self.op(code, &parts);
    }

    /// Operands: old, a, b, mask.
    pub(super) fn masked_binary(&mut self, op: LaneBinary, operands: &[Value], result: VReg) {
        let [old, a, b, mask] = *operands else { return };
        let (code, a, b) = match binary_code(op) {
            Some(code) => {
                let (a, b) = self.ordered(op, a, b);
                (code, Some(self.lanes(a)), self.operand(b))
            }
            None => {
                let all = self.new_lanes();
                self.long_binary(op, a, b, all);
                (
                    Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
                    None,
                    Part::Use(zmm(all)),
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
    pub(super) fn merged(&mut self, old: Value, mask: Value, result: VReg) -> (Part, Masking) {
        if self.facts.splat(old) == Some(0) {
            return (Part::Def(zmm(result)), self.zeroing(mask));
        }
        let old = self.reg(old);
        (Part::Tied(zmm(result), old), self.keeping(mask))
    }

    pub(super) fn fma(&mut self, operands: &[Value], result: VReg) {
        fma::fma(self, &FMA, operand, operands, result);
    }

    /// Operands: old, a, b, c, mask. One instruction if the old value is an operand.
    pub(super) fn masked_fma(&mut self, operands: &[Value], result: VReg) {
        let [old, a, b, c, mask] = *operands else {
            return;
        };
        let (a, b) = if old == b { (b, a) } else { (a, b) };
        if old == a || old == c {
            let choice = fma::fma_in_place(self, &FMA, operand, [a, b, c], old);
            let masking = self.keeping(mask);
            let first = Part::Tied(zmm(result), choice.replaced);
            let parts = [first, choice.second, choice.third];
            return self.masked_op(choice.code, &parts, masking);
        }
        let all = self.new_lanes();
        self.fma(&[a, b, c], all);
        let (first, masking) = self.merged(old, mask, result);
        let parts = [first, Part::Use(zmm(all))];
        self.masked_op(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, &parts, masking);
    }

    pub(super) fn ternary(&mut self, table: u8, operands: &[Value], result: VReg) {
        let [a, b, c] = *operands else { return };
        let parts = [
            Part::Tied(zmm(result), self.reg(a)),
            self.lanes(b),
            self.operand(c),
            Part::Imm8(table),
        ];
        self.op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &parts);
    }

    /// Operands: mask, a, b.
    pub(super) fn select_lanes(&mut self, operands: &[Value], result: VReg) {
        let [mask, a, b] = *operands else { return };
        if self.facts.splat(b) == Some(0) {
            let a = self.operand(a);
            // A broadcast load is another instruction than a move.
            let code = match a {
                Part::Memory(memory) if memory.is_broadcast => {
                    let memory = super::super::build::Memory {
                        is_broadcast: false,
                        ..memory
                    };
                    let masking = self.zeroing(mask);
                    let parts = [Part::Def(zmm(result)), Part::Memory(memory)];
                    return self.masked_op(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &parts, masking);
                }
                _ => Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            };
            let masking = self.zeroing(mask);
            return self.masked_op(code, &[Part::Def(zmm(result)), a], masking);
        }
        if self.facts.splat(a) == Some(0) {
            let b = self.reg(b);
            let mask = self.reg(mask);
            self.begin();
            let slot = Part::Slot(self.tied_slot(zmm(result), b));
            let masking = Masking::FrameStore(Part::Use(k(mask)));
            let code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            self.masked_item(code, &[slot, slot, slot], masking);
            return self.end();
        }
        let parts = [Part::Def(zmm(result)), self.lanes(b), self.operand(a)];
        let masking = self.keeping(mask);
        self.masked_op(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &parts, masking);
    }

    pub(super) fn compare(
        &mut self,
        op: LaneCompare,
        a: Value,
        b: Value,
        mask: Option<Value>,
        result: VReg,
    ) {
        let is_swapped = self.is_in_memory(a) && !self.is_in_memory(b);
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let result = Part::Def(k(result));
        let is_zero = self.facts.splat(b) == Some(0);
        let (code, parts) = match op {
            LaneCompare::Int(WordCompare::Eq | WordCompare::Ne) if is_zero => {
                let code = match op {
                    LaneCompare::Int(WordCompare::Eq) => Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
                    _ => Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
                };
                let a = self.lanes(a);
                (code, [result, a, a, Part::Imm8(0)])
            }
            _ => {
                let (code, predicate) = compare_code(op, is_swapped);
                (
                    code,
                    [
                        result,
                        self.lanes(a),
                        self.operand(b),
                        Part::Imm8(predicate),
                    ],
                )
            }
        };
        let has_predicate = !matches!(
            code,
            Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 | Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32
        );
        let parts = &parts[..if has_predicate { 4 } else { 3 }];
        match mask {
            None => self.op(code, parts),
            Some(mask) => {
                let masking = self.keeping(mask);
                self.masked_op(code, parts, masking);
            }
        }
    }
}

/// The instruction of an operation, if it is a single one.
fn binary_code(op: LaneBinary) -> Option<Code> {
    use WordBinary as W;
    Some(match op {
        LaneBinary::AddF => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::SubF => Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::MulF => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::DivF => Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::MinF => Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
        LaneBinary::MaxF => Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
        LaneBinary::ScaleF => Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::Int(op) => match op {
            W::Add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            W::Sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            W::Mul => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
            W::And => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            W::Or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
            W::Xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            W::MinU => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
            W::MaxU => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
            W::MinS => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
            W::MaxS => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
            W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::RemU | W::RemS | W::MulHighU => {
                return None;
            }
        },
    })
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
