//! Masks of bounds checks, gathers and scatters.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::coalesce::coalesce;
use super::super::group_builder::{Index, Masking, Memory, Operand, R11D, k, zmm};
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

    /// Operands: pointer, index, mask. `vgatherdps` clears its mask, and needs three different vector registers.
    pub(super) fn gather(&mut self, offset: i32, operands: &[Value], result: VReg) {
        if let Some(access) = coalesce(self.function, &self.values, operands[1], offset) {
            return self.gather_coalesced(&access, offset, operands, result);
        }
        let (memory, index) = self.far(operands[0], offset, operands[1]);
        let mask = self.reg(operands[2]);
        self.begin();
        let result = Operand::Slot(self.early_def_slot(zmm(result)));
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, Operand::Use(k(mask))]);
        self.item(
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            &[result, result, result],
        );
        let memory = Operand::Memory(memory.indexed(index, 4));
        self.masked_item(
            Code::EVEX_Vgatherdps_zmm_k1_vm32z,
            &[result, memory],
            Masking::Merge(K7),
        );
        self.end();
    }

    /// Operands: pointer, index, values, mask. `vscatterdps` writes lanes in order.
    pub(super) fn scatter(&mut self, offset: i32, operands: &[Value]) {
        if let Some(access) = coalesce(self.function, &self.values, operands[1], offset) {
            return self.scatter_coalesced(&access, offset, operands);
        }
        let (memory, index) = self.far(operands[0], offset, operands[1]);
        let (values, mask) = (self.reg(operands[2]), self.reg(operands[3]));
        self.begin();
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, Operand::Use(k(mask))]);
        let memory = Operand::Memory(memory.indexed(index, 4));
        let args = [memory, Operand::Use(zmm(values))];
        self.masked_item(
            Code::EVEX_Vscatterdps_vm32z_k1_zmm,
            &args,
            Masking::Merge(K7),
        );
        self.end();
    }

    fn far(&mut self, pointer: Value, offset: i32, index: Value) -> (Memory, Index) {
        let memory = self.displaced(pointer, offset.into());
        (memory, Index::Reg(zmm(self.reg(index))))
    }
}
