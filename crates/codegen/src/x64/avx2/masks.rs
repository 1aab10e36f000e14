//! Masks as vectors, and comparisons.

use anywarp_lanes::ir::{LaneCompare, MaskBinary, Value, WordCompare};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, R11D, r32, ymm};
use super::super::machine_inst::{Condition, Slot};
use super::super::select::Select;
use super::Avx2;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
/// `!first & second`.
const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
const EQUAL: Code = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
const GREATER: Code = Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256;

/// Sets the flags inside a group: the returned condition holds if the mask is not empty.
pub(super) fn test_mask(s: &mut Select<'_, Avx2>, mask: VReg) -> Condition {
    let mask = Operand::Slot(s.use_slot(ymm(mask)));
    s.item(Code::VEX_Vtestps_ymm_ymmm256, &[mask, mask]);
    Condition::NotEqual
}

/// The mask as bits in a general register, inside a group: bit `l` is lane `l`.
pub(super) fn mask_bits(s: &mut Select<'_, Avx2>, mask: VReg, bits: Slot) {
    let mask = Operand::Use(ymm(mask));
    s.item(Code::VEX_Vmovmskps_r32_ymm, &[Operand::Slot(bits), mask]);
}

/// The words of a constant mask.
pub(super) fn words_of(mask: u32) -> [u32; 8] {
    std::array::from_fn(|lane| if mask >> lane & 1 == 1 { u32::MAX } else { 0 })
}

impl Select<'_, Avx2> {
    pub(super) fn mask_constant(&mut self, mask: u32, result: VReg) {
        let all = self.function.all_lanes();
        if mask & all == 0 || mask & all == all {
            let word = if mask & all == 0 { 0 } else { u32::MAX };
            return self.splat(result, word);
        }
        let memory = self.constant_operand(&words_of(mask));
        self.unary_op(Code::VEX_Vmovdqa_ymm_ymmm256, memory, result);
    }

    pub(super) fn ballot(&mut self, mask: Value, result: VReg) {
        let mask = Operand::Use(ymm(self.reg(mask)));
        self.op(
            Code::VEX_Vmovmskps_r32_ymm,
            &[Operand::Def(r32(result)), mask],
        );
    }

    pub(super) fn mask_of_ballot(&mut self, word: Value, result: VReg) {
        let bits = self.new_lanes();
        self.broadcast_word(word, bits);
        self.mask_of_bits(bits, result);
    }

    /// A mask is stored to the frame as bits.
    pub(super) fn store_mask(&mut self, memory: Operand, mask: VReg) {
        let mask = Operand::Use(ymm(mask));
        self.begin();
        self.item(Code::VEX_Vmovmskps_r32_ymm, &[R11D, mask]);
        self.item(Code::Mov_rm32_r32, &[memory, R11D]);
        self.end();
    }

    pub(super) fn load_mask(&mut self, memory: Operand, result: VReg) {
        let bits = self.new_lanes();
        self.unary_op(Code::VEX_Vpbroadcastd_ymm_xmmm32, memory, bits);
        self.mask_of_bits(bits, result);
    }

    /// A mask from a vector that has the bits of all lanes in each word.
    pub(super) fn mask_of_bits(&mut self, bits: VReg, result: VReg) {
        let own: [u32; 8] = std::array::from_fn(|lane| 1 << lane);
        let own = self.constant_operand(&own);
        let bits = self.computed(AND, Operand::Use(ymm(bits)), own);
        self.binary_op(EQUAL, bits, own, result);
    }

    pub(super) fn mask_binary(&mut self, op: MaskBinary, a: Value, b: Value, result: VReg) {
        let (first, second) = match op {
            // `vpandn` complements its first operand.
            MaskBinary::AndNot => (b, a),
            _ => (a, b),
        };
        let code = match op {
            MaskBinary::And => AND,
            MaskBinary::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
            MaskBinary::Xor => XOR,
            MaskBinary::AndNot => AND_NOT,
        };
        let (first, second) = (self.lanes(first), self.operand(second));
        self.binary_op(code, first, second, result);
    }

    pub(super) fn compare(
        &mut self,
        op: LaneCompare,
        [a, b]: [Value; 2],
        mask: Option<Value>,
        result: VReg,
    ) {
        // For some comparisons there is only an instruction for the opposite.
        let is_opposite = matches!(
            op,
            LaneCompare::Int(WordCompare::Ne | WordCompare::LeS | WordCompare::LtU)
        );
        let is_done = mask.is_none() && !is_opposite;
        let compared = if is_done { result } else { self.new_lanes() };
        match op {
            LaneCompare::Int(op) => self.compare_integers(op, a, b, compared),
            op => self.compare_floats(op, a, b, compared),
        }
        if is_done {
            return;
        }
        let other = match mask {
            Some(mask) => self.operand(mask),
            None => self.word_operand(u32::MAX),
        };
        let code = if is_opposite { AND_NOT } else { AND };
        self.binary_op(code, Operand::Use(ymm(compared)), other, result);
    }

    fn compare_floats(&mut self, op: LaneCompare, a: Value, b: Value, result: VReg) {
        let is_swapped = self.is_in_memory(a) && !self.is_in_memory(b);
        let [a, b] = self.memory_second(a, b);
        let (plain, swapped) = match op {
            LaneCompare::NeF => (0x04, 0x04),
            LaneCompare::LtF => (0x11, 0x1e),
            LaneCompare::LeF => (0x12, 0x1d),
            LaneCompare::NltF => (0x15, 0x1a),
            LaneCompare::NleF => (0x16, 0x19),
            _ => (0x00, 0x00),
        };
        let predicate = Operand::Imm8(if is_swapped { swapped } else { plain });
        let args = [
            Operand::Def(ymm(result)),
            self.lanes(a),
            self.operand(b),
            predicate,
        ];
        self.op(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, &args);
    }

    fn compare_integers(&mut self, op: WordCompare, a: Value, b: Value, result: VReg) {
        use WordCompare as W;
        match op {
            W::Eq | W::Ne => {
                let [a, b] = self.memory_second(a, b);
                let (a, b) = (self.lanes(a), self.operand(b));
                self.binary_op(EQUAL, a, b, result);
            }
            W::LtS => {
                let (b, a) = (self.lanes(b), self.operand(a));
                self.binary_op(GREATER, b, a, result);
            }
            W::LeS => {
                let (a, b) = (self.lanes(a), self.operand(b));
                self.binary_op(GREATER, a, b, result);
            }
            // The opposite, a >= b: the maximum of both is the first.
            W::LtU => {
                let (a, b) = (self.lanes(a), self.operand(b));
                let larger = self.computed(Code::VEX_Vpmaxud_ymm_ymm_ymmm256, a, b);
                self.binary_op(EQUAL, larger, a, result);
            }
            // a <= b: the minimum of both is the first.
            W::LeU => {
                let (a, b) = (self.lanes(a), self.operand(b));
                let smaller = self.computed(Code::VEX_Vpminud_ymm_ymm_ymmm256, a, b);
                self.binary_op(EQUAL, smaller, a, result);
            }
        }
    }
}
