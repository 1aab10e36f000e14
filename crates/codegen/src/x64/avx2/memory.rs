//! Masked stores, masks of bounds checks, and gathers. Scatters are in `atomic`.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::coalesce::coalesce;
use super::super::group_builder::{Base, Index, Memory, Operand, R11, R11D, ymm};
use super::super::lane_stride::LaneGuess;
use super::super::machine_inst::{Condition, GroupItem, Label, RegView, Slot};
use super::super::row::RED_ZONE;
use super::super::run_time_row::TestedLanes;
use super::super::select::Select;
use super::{Avx2, SIGN, XMM15, YMM15};

const STORE: Code = Code::VEX_Vmovdqu_ymmm256_ymm;
pub(super) const MASKED_LOAD: Code = Code::VEX_Vpmaskmovd_ymm_ymm_m256;
const MASKED_STORE: Code = Code::VEX_Vpmaskmovd_m256_ymm_ymm;
const BROADCAST: Code = Code::VEX_Vpbroadcastd_ymm_xmmm32;

impl Select<'_, Avx2> {
    /// A masked store. `vpmaskmovd` is slow on some CPUs, so it is only used where the mask has inactive lanes.
    pub(super) fn masked_store(&mut self, memory: Operand, mask: Operand, values: Operand) {
        let is_scratch_taken =
            matches!(memory, Operand::Memory(memory) if matches!(memory.index, Some(Index::R11)));
        // In cold code the mask is in the scratch register and has inactive lanes for sure.
        if is_scratch_taken || matches!(mask, Operand::Fixed(_)) {
            return self.item(MASKED_STORE, &[memory, mask, values]);
        }
        let (some, done) = (self.label(), self.label());
        self.item(Code::VEX_Vmovmskps_r32_ymm, &[R11D, mask]);
        let all = Operand::Imm32(self.function.all_lanes() as i32);
        self.item(Code::Cmp_rm32_imm32, &[R11D, all]);
        self.jump_if(Condition::NotEqual, some);
        self.item(STORE, &[memory, values]);
        self.bind(done);
        self.items.push(GroupItem::Cold);
        self.bind(some);
        self.item(MASKED_STORE, &[memory, mask, values]);
        self.items.push(GroupItem::Jump(done));
        self.items.push(GroupItem::EndCold);
    }

    /// The mask of lanes with an index below the limit, from the index in `r11`. `vpcmpgtd` compares signed numbers, so
    /// the sign bits of both operands are flipped. There is one scratch register, so the indices are spilled.
    pub(super) fn bounds_mask(&mut self, limit: Memory, mask: Option<Operand>) -> Operand {
        let limit = Operand::Memory(limit);
        let numbers: Vec<u32> = (0..8).collect();
        let numbers = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(&numbers)));
        let sign = self.word_operand(SIGN);
        let flip = Code::VEX_Vpxor_ymm_ymm_ymmm256;
        let indices = Operand::Memory(Memory::at(Base::Stack, RED_ZONE + 32));
        self.item(Code::VEX_Vmovd_xmm_rm32, &[XMM15, R11D]);
        self.item(BROADCAST, &[YMM15, XMM15]);
        self.item(Code::VEX_Vpaddd_ymm_ymm_ymmm256, &[YMM15, YMM15, numbers]);
        self.item(flip, &[YMM15, YMM15, sign]);
        self.item(STORE, &[indices, YMM15]);
        self.item(BROADCAST, &[YMM15, limit]);
        self.item(flip, &[YMM15, YMM15, sign]);
        self.item(Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, &[YMM15, YMM15, indices]);
        if let Some(mask) = mask {
            self.item(Code::VEX_Vpand_ymm_ymm_ymmm256, &[YMM15, YMM15, mask]);
        }
        YMM15
    }

    /// Operands: pointer, index, mask.
    pub(super) fn gather(&mut self, offset: i32, operands: &[Value], result: VReg) {
        if let Some(access) = coalesce(self.function, &self.values, operands[1], offset) {
            return self.gather_coalesced(&access, offset, operands, result);
        }
        let guess = self.guess(operands[1]);
        if guess != LaneGuess::Scattered {
            return self.gather_tested(guess, offset, operands, result);
        }
        let memory = self.displaced(operands[0], offset.into());
        let index = Index::Reg(ymm(self.reg(operands[1])));
        let mask = self.operand(operands[2]);
        self.begin();
        let result = Operand::Slot(self.early_def_slot(ymm(result)));
        self.gather_lanes(result, memory.indexed(index, 4), mask);
        self.end();
    }

    /// `vgatherdps` clears its mask, and needs three different vector registers.
    pub(super) fn gather_lanes(&mut self, result: Operand, memory: Memory, mask: Operand) {
        self.item(Code::VEX_Vmovdqu_ymm_ymmm256, &[YMM15, mask]);
        self.item(Code::VEX_Vpxor_ymm_ymm_ymmm256, &[result, result, result]);
        let memory = Operand::Memory(memory);
        self.item(Code::VEX_Vgatherdps_ymm_vm32y_ymm, &[result, memory, YMM15]);
    }

    /// Jumps to the label unless the guess holds for the active lanes; then `r11` is the index of the first lane. Equal
    /// lanes are loaded without a mask, so at least one must be active; pairs need all lanes.
    pub(super) fn test_lanes(&mut self, lanes: TestedLanes, far: Label) {
        const TEST: Code = Code::VEX_Vtestps_ymm_ymmm256;
        let (index, mask) = (Operand::Slot(lanes.index), Operand::Slot(lanes.mask));
        let first = Operand::Slot(Slot {
            view: RegView::Xmm,
            ..lanes.index
        });
        let stride = match lanes.guess {
            LaneGuess::Row => 1,
            LaneGuess::Pairs => 2,
            LaneGuess::Equal | LaneGuess::Scattered => 0,
        };
        if lanes.guess == LaneGuess::Pairs {
            self.item(Code::VEX_Vmovmskps_r32_ymm, &[R11D, mask]);
            let all = Operand::Imm32(self.function.all_lanes() as i32);
            self.item(Code::Cmp_rm32_imm32, &[R11D, all]);
            self.jump_if(Condition::NotEqual, far);
        }
        self.item(BROADCAST, &[YMM15, first]);
        self.item(Code::VEX_Vmovd_rm32_xmm, &[R11D, first]);
        if stride != 0 {
            let numbers: Vec<u32> = (0..8).map(|lane| lane * stride).collect();
            let numbers = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(&numbers)));
            self.item(Code::VEX_Vpaddd_ymm_ymm_ymmm256, &[YMM15, YMM15, numbers]);
        }
        self.item(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, &[YMM15, YMM15, index]);
        self.item(Code::Movsxd_r64_rm32, &[R11, R11D]);
        // `vtestps` sets the carry flag if the first operand has all lanes of the second.
        self.item(TEST, &[YMM15, mask]);
        self.jump_if(Condition::NotBelow, far);
        if lanes.guess == LaneGuess::Equal {
            self.item(TEST, &[mask, mask]);
            self.jump_if(Condition::Equal, far);
        }
    }

    /// Loads every second word from two rows that overlap in one word: both lie between the first and the last lane.
    pub(super) fn load_pairs(&mut self, result: Operand, memory: Memory) {
        const PERMUTE: Code = Code::VEX_Vpermd_ymm_ymm_ymmm256;
        /// The lanes whose words are in the second row, which begins at word 7.
        const UPPER: u8 = 0xf0;
        let words = self.constant_operand(&[0, 2, 4, 6, 1, 3, 5, 7]);
        self.item(Code::VEX_Vmovdqu_ymm_ymmm256, &[result, words]);
        let second = Memory {
            offset: memory.offset + 7 * 4,
            ..memory
        };
        self.item(PERMUTE, &[YMM15, result, Operand::Memory(second)]);
        self.item(PERMUTE, &[result, result, Operand::Memory(memory)]);
        let blend = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
        self.item(blend, &[result, result, YMM15, Operand::Imm8(UPPER)]);
    }
}
