//! Masks of bounds checks, gathers and scatters.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::coalesce::coalesce;
use super::super::group_builder::{Index, Masking, Memory, Operand, R11, R11D, k, zmm};
use super::super::lane_stride::LaneGuess;
use super::super::machine_inst::{Condition, Label, RegView, Slot};
use super::super::run_time_row::TestedLanes;
use super::super::select::Select;
use super::{Avx512, K7, ZMM31};

/// The start of the second row of pairs, in words from the first lane.
const SECOND_ROW: u32 = 15;

impl Select<'_, Avx512> {
    /// The mask of lanes with an index below the limit, from the index in `r11`.
    pub(super) fn bounds_mask(&mut self, limit: Memory, mask: Option<Operand>) -> Operand {
        const LESS: u8 = 1;
        let limit = Operand::Memory(limit.broadcast());
        let numbers: [u32; 16] = std::array::from_fn(|lane| lane as u32);
        let numbers = self.constant_operand(&numbers);
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[ZMM31, R11D]);
        self.item(
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            &[ZMM31, ZMM31, numbers],
        );
        let code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        let args = [K7, ZMM31, limit, Operand::Imm8(LESS)];
        match mask {
            None => self.item(code, &args),
            Some(mask) => self.masked_item(code, &args, Masking::Merge(mask)),
        }
        K7
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
        let (memory, index) = self.far(operands[0], offset, operands[1]);
        let mask = self.reg(operands[2]);
        self.begin();
        let result = Operand::Slot(self.early_def_slot(zmm(result)));
        let mask = Operand::Slot(self.use_slot(k(mask)));
        self.gather_lanes(result, memory.indexed(index, 4), mask);
        self.end();
    }

    /// `vgatherdps` clears its mask, and needs three different vector registers.
    pub(super) fn gather_lanes(&mut self, result: Operand, memory: Memory, mask: Operand) {
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, mask]);
        self.item(
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            &[result, result, result],
        );
        self.masked_item(
            Code::EVEX_Vgatherdps_zmm_k1_vm32z,
            &[result, Operand::Memory(memory)],
            Masking::Merge(K7),
        );
    }

    /// Jumps to the label unless the guess holds for the active lanes; then `r11` is the index of the first lane. Pairs
    /// need all lanes.
    pub(super) fn test_lanes(&mut self, lanes: TestedLanes, far: Label) {
        const NOT_EQUAL: u8 = 4;
        let (index, mask) = (Operand::Slot(lanes.index), Operand::Slot(lanes.mask));
        let stride = match lanes.guess {
            LaneGuess::Row => 1,
            LaneGuess::Pairs => 2,
            LaneGuess::Equal | LaneGuess::Scattered => 0,
        };
        if lanes.guess == LaneGuess::Pairs {
            // `kortest` sets the carry flag if all bits are set.
            self.item(Code::VEX_Kortestw_kr_kr, &[mask, mask]);
            self.jump_if(Condition::NotBelow, far);
        }
        let first = Operand::Slot(Slot {
            view: RegView::Xmm,
            ..lanes.index
        });
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, &[ZMM31, first]);
        self.item(Code::EVEX_Vmovd_rm32_xmm, &[R11D, first]);
        if stride != 0 {
            let numbers: [u32; 16] = std::array::from_fn(|lane| lane as u32 * stride);
            let numbers = self.constant_operand(&numbers);
            self.item(
                Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
                &[ZMM31, ZMM31, numbers],
            );
        }
        self.masked_item(
            Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
            &[K7, ZMM31, index, Operand::Imm8(NOT_EQUAL)],
            Masking::Merge(mask),
        );
        self.item(Code::Movsxd_r64_rm32, &[R11, R11D]);
        self.item(Code::VEX_Kortestw_kr_kr, &[K7, K7]);
        self.jump_if(Condition::NotEqual, far);
    }

    /// Operands: pointer, index, values, mask.
    pub(super) fn scatter(&mut self, offset: i32, operands: &[Value]) {
        if let Some(access) = coalesce(self.function, &self.values, operands[1], offset) {
            return self.scatter_coalesced(&access, offset, operands);
        }
        let guess = self.guess(operands[1]);
        let memory = self.displaced(operands[0], offset.into());
        let index = self.reg(operands[1]);
        let (values, mask) = (self.reg(operands[2]), self.reg(operands[3]));
        self.begin();
        let memory = self.hold(memory);
        let values = Operand::Slot(self.use_slot(zmm(values)));
        let lanes = self.tested_lanes(guess, index, mask);
        let index = memory.indexed(Index::Slot(lanes.index), 4);
        if matches!(guess, LaneGuess::Row | LaneGuess::Pairs) {
            let (far, done) = (self.label(), self.label());
            match guess {
                LaneGuess::Row => self.store_tested_row(lanes, memory, values, far),
                _ => self.store_pairs(lanes, memory, values, far),
            }
            self.bind(done);
            self.begin_cold(far);
            self.scatter_lanes(index, values, Operand::Slot(lanes.mask));
            self.end_cold(done);
        } else {
            self.scatter_lanes(index, values, Operand::Slot(lanes.mask));
        }
        self.end();
    }

    /// Loads every second word from two rows that overlap in one word: both lie between the first and the last lane.
    pub(super) fn load_pairs(&mut self, result: Operand, memory: Memory) {
        const LOAD: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
        let words: [u32; 16] = std::array::from_fn(|lane| match lane as u32 {
            lane @ 0..8 => 2 * lane,
            // In the second row, which begins at word 15.
            lane => 16 + 2 * lane - SECOND_ROW,
        });
        let words = self.constant_operand(&words);
        self.item(LOAD, &[result, words]);
        self.item(LOAD, &[ZMM31, Operand::Memory(memory)]);
        let second = Operand::Memory(second_row(memory));
        let permute = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
        self.item(permute, &[result, ZMM31, second]);
    }

    /// Stores every second word to two rows, under masks of these words.
    fn store_pairs(&mut self, lanes: TestedLanes, memory: Memory, values: Operand, far: Label) {
        const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
        self.test_lanes(lanes, far);
        let memory = memory.indexed(Index::R11, 4);
        // Which lane a word of a row comes from, and the words that come from one.
        let first: [u32; 16] = std::array::from_fn(|word| word as u32 / 2);
        let second: [u32; 16] = std::array::from_fn(|word| (word as u32 + SECOND_ROW) / 2);
        let rows = [
            (first, 0x5555, memory),
            (second, 0xaaaa, second_row(memory)),
        ];
        for (sources, words, memory) in rows {
            let sources = self.constant_operand(&sources);
            let load = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            self.item(load, &[ZMM31, sources]);
            let permute = Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;
            self.item(permute, &[ZMM31, ZMM31, values]);
            self.load_mask(words);
            let args = [Operand::Memory(memory), ZMM31];
            self.masked_item(STORE, &args, Masking::Merge(K7));
        }
    }

    /// `vscatterdps` writes lanes in order, and clears its mask.
    fn scatter_lanes(&mut self, memory: Memory, values: Operand, mask: Operand) {
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, mask]);
        self.masked_item(
            Code::EVEX_Vscatterdps_vm32z_k1_zmm,
            &[Operand::Memory(memory), values],
            Masking::Merge(K7),
        );
    }

    fn far(&mut self, pointer: Value, offset: i32, index: Value) -> (Memory, Index) {
        let memory = self.displaced(pointer, offset.into());
        (memory, Index::Reg(zmm(self.reg(index))))
    }
}

/// The row of the last lane of pairs, which ends with its word.
fn second_row(memory: Memory) -> Memory {
    Memory {
        offset: memory.offset + SECOND_ROW as i32 * 4,
        ..memory
    }
}
