//! Loads, stores, gathers and scatters of lanes, and the frame.

use anywarp_lanes::ir::{Inst, Row, Type, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Base, Index, Masking, Memory, Part, R11D, k, zmm};
use super::super::cluster::cluster;
use super::super::row::Place;
use super::super::stream::Storing;
use super::{Avx512, K7, ZMM31};

const LOAD: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
const STREAM: Code = Code::EVEX_Vmovntdq_m512_zmm;

impl Avx512<'_, '_> {
    /// Operands: pointer, index[, limit][, mask].
    pub(super) fn load_row(&mut self, row: Row, operands: &[Value], result: VReg) {
        let place = self.row(row, operands[0], operands[1], &operands[2..]);
        let mask = self.row_mask(row, operands);
        self.begin();
        let result = Part::Slot(self.def_slot(zmm(result)));
        self.access_row(place, mask, |s, memory, mask| match mask {
            None => s.item(LOAD, &[result, memory]),
            Some(mask) => s.masked_item(LOAD, &[result, memory], Masking::Zero(mask)),
        });
        self.end();
    }

    /// Operands: pointer, index, values[, limit][, mask].
    pub(super) fn store_row(&mut self, row: Row, storing: Storing, operands: &[Value]) {
        let place = self.row(row, operands[0], operands[1], &operands[3..]);
        let mask = self.row_mask(row, operands);
        let values = self.reg(operands[2]);
        self.begin();
        let values = Part::Slot(self.use_slot(zmm(values)));
        self.access_row(place, mask, |s, memory, mask| match mask {
            None if storing == Storing::Streamed => {
                s.stream([STORE, STREAM], operands[3], memory, values);
            }
            None => s.item(STORE, &[memory, values]),
            Some(mask) => s.masked_item(STORE, &[memory, values], Masking::FrameStore(mask)),
        });
        self.end();
    }

    /// The mask of a row, unless all lanes are active for sure.
    fn row_mask(&mut self, row: Row, operands: &[Value]) -> Option<VReg> {
        let mask = *operands.last().filter(|_| row.is_masked)?;
        (!self.is_everyone(mask)).then(|| self.reg(mask))
    }

    /// An access in the fast path, and in cold code the same access under a mask of the lanes that are in bounds.
    fn access_row(
        &mut self,
        place: Place,
        mask: Option<VReg>,
        access: impl Fn(&mut Self, Part, Option<Part>),
    ) {
        let mask = mask.map(|mask| Part::Slot(self.use_slot(k(mask))));
        let (memory, check) = self.begin_row(place);
        access(self, Part::Memory(memory), mask);
        let Some(check) = check else { return };
        let limit = Part::Memory(self.begin_partial(check).broadcast());
        let numbers: Vec<u32> = (0..16).collect();
        let numbers = Part::Memory(Memory::at(Base::Pool, self.pool.vector(&numbers)));
        self.item(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[ZMM31, R11D]);
        self.item(
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            &[ZMM31, ZMM31, numbers],
        );
        let code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        const LESS: u8 = 1;
        let parts = [K7, ZMM31, limit, Part::Imm8(LESS)];
        match mask {
            None => self.item(code, &parts),
            Some(mask) => self.masked_item(code, &parts, Masking::FrameStore(mask)),
        }
        access(self, Part::Memory(check.memory), Some(K7));
        self.end_partial(check);
    }

    /// Operands: pointer, index, mask. `vgatherdps` clears its mask, and needs three different vector registers.
    pub(super) fn gather(&mut self, offset: i32, operands: &[Value], result: VReg) {
        if let Some(cluster) = cluster(self.function, &self.facts, operands[1], offset) {
            return self.gather_cluster(&cluster, offset, operands, result);
        }
        let (memory, index) = self.far(operands[0], offset, operands[1]);
        let mask = self.reg(operands[2]);
        self.begin();
        let result = Part::Slot(self.early_def_slot(zmm(result)));
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, Part::Use(k(mask))]);
        self.item(
            Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            &[result, result, result],
        );
        let memory = Part::Memory(memory.indexed(index, 4));
        self.masked_item(
            Code::EVEX_Vgatherdps_zmm_k1_vm32z,
            &[result, memory],
            Masking::FrameStore(K7),
        );
        self.end();
    }

    /// Operands: pointer, index, values, mask. `vscatterdps` writes lanes in order.
    pub(super) fn scatter(&mut self, offset: i32, operands: &[Value]) {
        if let Some(cluster) = cluster(self.function, &self.facts, operands[1], offset) {
            return self.scatter_cluster(&cluster, offset, operands);
        }
        let (memory, index) = self.far(operands[0], offset, operands[1]);
        let (values, mask) = (self.reg(operands[2]), self.reg(operands[3]));
        self.begin();
        self.item(Code::VEX_Kmovw_kr_km16, &[K7, Part::Use(k(mask))]);
        let memory = Part::Memory(memory.indexed(index, 4));
        let parts = [memory, Part::Use(zmm(values))];
        self.masked_item(
            Code::EVEX_Vscatterdps_vm32z_k1_zmm,
            &parts,
            Masking::FrameStore(K7),
        );
        self.end();
    }

    fn far(&mut self, pointer: Value, offset: i32, index: Value) -> (Memory, Index) {
        let memory = self.displaced(pointer, offset.into());
        (memory, Index::Reg(zmm(self.reg(index))))
    }

    pub(super) fn keep_vector(&mut self, at: u32, inst: &Inst) {
        let (memory, Some(value)) = self.kept(at, inst) else {
            return;
        };
        let memory = Part::Memory(memory);
        let register = self.reg(value);
        match self.function.type_of(value) {
            Type::Mask => self.op(Code::VEX_Kmovw_m16_kr, &[memory, Part::Use(k(register))]),
            _ => self.op(STORE, &[memory, Part::Use(zmm(register))]),
        }
    }

    pub(super) fn recall_vector(&mut self, at: u32, inst: &Inst, result: VReg) {
        let memory = Part::Memory(self.kept(at, inst).0);
        match inst.result.map(|value| self.function.type_of(value)) {
            Some(Type::Mask) => {
                self.op(Code::VEX_Kmovw_kr_km16, &[Part::Def(k(result)), memory]);
            }
            _ => self.op(LOAD, &[Part::Def(zmm(result)), memory]),
        }
    }
}
