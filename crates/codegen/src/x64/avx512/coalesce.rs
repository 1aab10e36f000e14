//! Coalesced gathers and scatters (`gather_coalesced`): vector accesses and permutations if all lanes are active, else a
//! gather or scatter instruction in cold code.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::coalesce::{CoalescedAccess, CoalescedRow};
use super::super::group_builder::{Base, Index, Masking, Memory, Operand, R11D, k, r64, zmm};
use super::super::machine_inst::{Condition, GroupItem, Label, Slot};
use super::super::select::Select;
use super::{Avx512, K7, ZMM31};

const LOAD: Code = Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
const PERMUTE: Code = Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;

/// The operands of a coalesced access, inside a group.
struct AccessOperands {
    /// The base address, without the index.
    memory: Memory,
    word: Slot,
    mask: Operand,
    /// The labels of the cold code and of the join; `None` if all lanes are active for sure.
    labels: Option<(Label, Label)>,
}

impl Select<'_, Avx512> {
    /// Operands: pointer, index, mask.
    pub(super) fn gather_coalesced(
        &mut self,
        access: &CoalescedAccess,
        offset: i32,
        operands: &[Value],
        result: VReg,
    ) {
        let (memory, mask) = (self.displaced(operands[0], offset.into()), operands[2]);
        let registers = (self.reg(access.word), self.reg(mask));
        self.begin();
        let result = Operand::Slot(self.early_def_slot(zmm(result)));
        let at = self.begin_coalesced(access, memory, mask, registers);
        let words = self.pool.vector(&access.words(16));
        self.item(
            LOAD,
            &[ZMM31, Operand::Memory(Memory::at(Base::Pool, words))],
        );
        for (number, row) in access.rows.iter().enumerate() {
            let args = [result, ZMM31, self.coalesced_row(access, &at, row)];
            if number == 0 {
                self.item(PERMUTE, &args);
            } else {
                self.load_mask(row.lanes);
                self.masked_item(PERMUTE, &args, Masking::Merge(K7));
            }
        }
        if let Some((some, done)) = at.labels {
            self.begin_some(access, &at, some, done);
            self.item(Code::VEX_Kmovw_kr_km16, &[K7, at.mask]);
            self.item(
                Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
                &[result, result, result],
            );
            let memory = Operand::Memory(at.memory.indexed(Index::Zmm31, 4));
            let code = Code::EVEX_Vgatherdps_zmm_k1_vm32z;
            self.masked_item(code, &[result, memory], Masking::Merge(K7));
            self.end_some(done);
        }
        self.end();
    }

    /// Operands: pointer, index, values, mask.
    pub(super) fn scatter_coalesced(
        &mut self,
        access: &CoalescedAccess,
        offset: i32,
        operands: &[Value],
    ) {
        let (memory, mask) = (self.displaced(operands[0], offset.into()), operands[3]);
        let registers = (self.reg(access.word), self.reg(mask));
        let values = self.reg(operands[2]);
        self.begin();
        let values = Operand::Slot(self.use_slot(zmm(values)));
        let at = self.begin_coalesced(access, memory, mask, registers);
        for row in &access.rows {
            let (sources, words) = row.sources(16);
            let sources = self.pool.vector(&sources);
            self.item(
                LOAD,
                &[ZMM31, Operand::Memory(Memory::at(Base::Pool, sources))],
            );
            self.item(PERMUTE, &[ZMM31, ZMM31, values]);
            self.load_mask(words);
            let args = [self.coalesced_row(access, &at, row), ZMM31];
            let code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
            self.masked_item(code, &args, Masking::Merge(K7));
        }
        if let Some((some, done)) = at.labels {
            self.begin_some(access, &at, some, done);
            self.item(Code::VEX_Kmovw_kr_km16, &[K7, at.mask]);
            let memory = Operand::Memory(at.memory.indexed(Index::Zmm31, 4));
            let code = Code::EVEX_Vscatterdps_vm32z_k1_zmm;
            self.masked_item(code, &[memory, values], Masking::Merge(K7));
            self.end_some(done);
        }
        self.end();
    }

    /// Jumps to the cold code unless all lanes are active; then `r11` is the index of the first lane.
    fn begin_coalesced(
        &mut self,
        access: &CoalescedAccess,
        memory: Memory,
        mask: Value,
        (word, mask_register): (VReg, VReg),
    ) -> AccessOperands {
        let memory = self.hold(memory);
        let word = self.use_slot(r64(word));
        let has_all_lanes = self.has_all_lanes(mask);
        let mask = Operand::Slot(self.use_slot(k(mask_register)));
        let labels = (!has_all_lanes).then(|| (self.label(), self.label()));
        if let Some((some, _)) = labels {
            // `kortest` sets the carry flag if all bits are set.
            self.item(Code::VEX_Kortestw_kr_kr, &[mask, mask]);
            self.jump_if(Condition::NotBelow, some);
        }
        if access.first != 0 {
            let first = Memory::at(Base::Slot(word), access.first as i32);
            self.item(Code::Lea_r32_m, &[R11D, Operand::Memory(first)]);
        }
        AccessOperands {
            memory,
            word,
            mask,
            labels,
        }
    }

    fn coalesced_row(
        &mut self,
        access: &CoalescedAccess,
        at: &AccessOperands,
        row: &CoalescedRow,
    ) -> Operand {
        let index = match access.first {
            0 => Index::Slot(at.word),
            _ => Index::R11,
        };
        let memory = Memory {
            offset: at.memory.offset + row.start * 4,
            ..at.memory
        };
        Operand::Memory(memory.indexed(index, 4))
    }

    pub(super) fn load_mask(&mut self, mask: u32) {
        let word = Operand::Memory(Memory::at(Base::Pool, self.pool.word(mask)));
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, word]);
    }

    /// Begins the cold code, with the index vector in the scratch register.
    fn begin_some(
        &mut self,
        access: &CoalescedAccess,
        at: &AccessOperands,
        some: Label,
        done: Label,
    ) {
        self.bind(done);
        self.items.push(GroupItem::Cold);
        self.bind(some);
        let word = Operand::Slot(at.word.narrow());
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[ZMM31, word]);
        let words = &self.function.patterns[access.pattern.0 as usize];
        let pattern = Operand::Memory(Memory::at(Base::Pool, self.pool.vector(words)));
        let add = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        self.item(add, &[ZMM31, ZMM31, pattern]);
    }

    fn end_some(&mut self, done: Label) {
        self.items.push(GroupItem::Jump(done));
        self.items.push(GroupItem::EndCold);
    }
}
