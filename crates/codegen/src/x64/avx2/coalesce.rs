//! Coalesced gathers (`gather_coalesced`): vector loads, permutations and blends if all lanes are active, else a gather
//! instruction in cold code.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::{RegClass, VReg};

use super::super::coalesce::CoalescedAccess;
use super::super::group_builder::{Base, Index, Memory, Operand, R11D, r64, ymm};
use super::super::machine_inst::{Condition, RegView, Slot};
use super::super::select::Select;
use super::{Avx2, YMM15};

const LOAD: Code = Code::VEX_Vmovdqu_ymm_ymmm256;
const PERMUTE: Code = Code::VEX_Vpermd_ymm_ymm_ymmm256;
const BLEND: Code = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;

impl Select<'_, Avx2> {
    /// Operands: pointer, index, mask.
    pub(super) fn gather_coalesced(
        &mut self,
        access: &CoalescedAccess,
        offset: i32,
        operands: &[Value],
        result: VReg,
    ) {
        let memory = self.displaced(operands[0], offset.into());
        let has_all_lanes = self.has_all_lanes(operands[2]);
        let (word, mask) = (self.reg(access.word), self.reg(operands[2]));
        self.begin();
        let memory = self.hold(memory);
        let result = Operand::Slot(self.early_def_slot(ymm(result)));
        let word = self.use_slot(r64(word));
        let mask = Operand::Slot(self.use_slot(ymm(mask)));
        let words = self.temp_slot(RegClass::Float, RegView::Ymm);
        let (some, done) = (self.label(), self.label());
        if !has_all_lanes {
            self.item(Code::VEX_Vmovmskps_r32_ymm, &[R11D, mask]);
            let all = Operand::Imm32(self.function.all_lanes() as i32);
            self.item(Code::Cmp_rm32_imm32, &[R11D, all]);
            self.jump_if(Condition::NotEqual, some);
        }
        self.permute_rows(access, memory, word, Operand::Slot(words), result);
        if !has_all_lanes {
            self.bind(done);
            self.begin_cold(some);
            self.gather_pattern(access, memory, word, words, (result, mask));
            self.end_cold(done);
        }
        self.end();
    }

    /// Permutes the words of each row to the lanes that it serves.
    fn permute_rows(
        &mut self,
        access: &CoalescedAccess,
        memory: Memory,
        word: Slot,
        words: Operand,
        result: Operand,
    ) {
        let index = match access.first {
            0 => Index::Slot(word),
            first => {
                let first = Memory::at(Base::Slot(word), first as i32);
                self.item(Code::Lea_r32_m, &[R11D, Operand::Memory(first)]);
                Index::R11
            }
        };
        let places = self.constant_operand(&access.words(8));
        self.item(LOAD, &[words, places]);
        for (number, row) in access.rows.iter().enumerate() {
            let row_memory = Memory {
                offset: memory.offset + row.start * 4,
                ..memory
            };
            let row_memory = Operand::Memory(row_memory.indexed(index, 4));
            if number == 0 {
                self.item(PERMUTE, &[result, words, row_memory]);
            } else {
                self.item(PERMUTE, &[YMM15, words, row_memory]);
                let lanes = Operand::Imm8(row.lanes as u8);
                self.item(BLEND, &[result, result, YMM15, lanes]);
            }
        }
    }

    /// Gathers at the word plus the pattern.
    fn gather_pattern(
        &mut self,
        access: &CoalescedAccess,
        memory: Memory,
        word: Slot,
        index: Slot,
        (result, mask): (Operand, Operand),
    ) {
        let first = Operand::Slot(Slot {
            view: RegView::Xmm,
            ..index
        });
        let lanes = Operand::Slot(index);
        self.item(
            Code::VEX_Vmovd_xmm_rm32,
            &[first, Operand::Slot(word.narrow())],
        );
        self.item(Code::VEX_Vpbroadcastd_ymm_xmmm32, &[lanes, first]);
        let pattern = self.function.patterns[access.pattern.0 as usize].clone();
        let pattern = self.constant_operand(&pattern);
        self.item(Code::VEX_Vpaddd_ymm_ymm_ymmm256, &[lanes, lanes, pattern]);
        self.gather_lanes(result, memory.indexed(Index::Slot(index), 4), mask);
    }
}
