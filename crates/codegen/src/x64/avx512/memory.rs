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

    /// Jumps to the label unless the guess holds for the active lanes; then `r11` is the index of the first lane.
    pub(super) fn test_lanes(&mut self, lanes: TestedLanes, far: Label) {
        const NOT_EQUAL: u8 = 4;
        let index = Operand::Slot(lanes.index);
        let first = Operand::Slot(Slot {
            view: RegView::Xmm,
            ..lanes.index
        });
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, &[ZMM31, first]);
        self.item(Code::EVEX_Vmovd_rm32_xmm, &[R11D, first]);
        if lanes.guess == LaneGuess::Row {
            let numbers: [u32; 16] = std::array::from_fn(|lane| lane as u32);
            let numbers = self.constant_operand(&numbers);
            self.item(
                Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
                &[ZMM31, ZMM31, numbers],
            );
        }
        self.masked_item(
            Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
            &[K7, ZMM31, index, Operand::Imm8(NOT_EQUAL)],
            Masking::Merge(Operand::Slot(lanes.mask)),
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
        if guess == LaneGuess::Row {
            let (far, done) = (self.label(), self.label());
            self.store_tested_row(lanes, memory, values, far);
            self.bind(done);
            self.begin_cold(far);
            self.scatter_lanes(index, values, Operand::Slot(lanes.mask));
            self.end_cold(done);
        } else {
            self.scatter_lanes(index, values, Operand::Slot(lanes.mask));
        }
        self.end();
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
