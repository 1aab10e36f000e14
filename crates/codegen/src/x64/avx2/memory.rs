//! Loads, stores and gathers of lanes, and the frame. Scatters are in `atomic`.

use anywarp_lanes::ir::{Inst, Row, Type, Value};
use iced_x86::{Code, Register};
use regalloc2::VReg;

use super::super::group::{Base, Index, Memory, Operand, R11D, ymm};
use super::super::item::{Condition, Item};
use super::super::non_temporal::CacheHint;
use super::super::row::{RED_ZONE, RowAddress};
use super::{Avx2, SIGN, XMM15, YMM15};

const LOAD: Code = Code::VEX_Vmovdqu_ymm_ymmm256;
const STORE: Code = Code::VEX_Vmovdqu_ymmm256_ymm;
const STORE_NON_TEMPORAL: Code = Code::VEX_Vmovntdq_m256_ymm;
const MASKED_LOAD: Code = Code::VEX_Vpmaskmovd_ymm_ymm_m256;
const MASKED_STORE: Code = Code::VEX_Vpmaskmovd_m256_ymm_ymm;
const BROADCAST: Code = Code::VEX_Vpbroadcastd_ymm_xmmm32;

impl Avx2<'_, '_> {
    /// Operands: pointer, index[, limit][, mask].
    pub(super) fn load_row(&mut self, row: Row, operands: &[Value], result: VReg) {
        let address = self.row(row, operands[0], operands[1], &operands[2..]);
        let mask = self.row_mask(row, operands);
        self.begin();
        // The cold code reads the mask again, before it writes the result.
        let result = Operand::Slot(self.def_slot(ymm(result)));
        self.access_row(address, mask, |s, memory, mask| match mask {
            None => s.item(LOAD, &[result, memory]),
            Some(mask) => s.item(MASKED_LOAD, &[result, mask, memory]),
        });
        self.end();
    }

    /// Operands: pointer, index, values[, limit][, mask].
    pub(super) fn store_row(&mut self, row: Row, cache_hint: CacheHint, operands: &[Value]) {
        let address = self.row(row, operands[0], operands[1], &operands[3..]);
        let mask = self.row_mask(row, operands);
        let values = self.reg(operands[2]);
        self.begin();
        let values = Operand::Slot(self.use_slot(ymm(values)));
        self.access_row(address, mask, |s, memory, mask| match mask {
            None if cache_hint == CacheHint::NonTemporal => {
                s.store_non_temporal([STORE, STORE_NON_TEMPORAL], operands[3], memory, values);
            }
            None => s.item(STORE, &[memory, values]),
            Some(mask) => s.store_some(memory, mask, values),
        });
        self.end();
    }

    /// A masked store. `vpmaskmovd` is slow on some CPUs, so it is only used where the mask has inactive lanes.
    fn store_some(&mut self, memory: Operand, mask: Operand, values: Operand) {
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
        self.items.push(Item::Cold);
        self.bind(some);
        self.item(MASKED_STORE, &[memory, mask, values]);
        self.items.push(Item::Jump(done));
        self.items.push(Item::EndCold);
    }

    /// The mask of a row, unless all lanes are active for sure.
    fn row_mask(&mut self, row: Row, operands: &[Value]) -> Option<VReg> {
        let mask = *operands.last().filter(|_| row.is_masked)?;
        (!self.has_all_lanes(mask)).then(|| self.reg(mask))
    }

    /// An access in the fast path, and in cold code the same access under a mask of the lanes that are in bounds.
    fn access_row(
        &mut self,
        address: RowAddress,
        mask: Option<VReg>,
        access: impl Fn(&mut Self, Operand, Option<Operand>),
    ) {
        let mask = mask.map(|mask| Operand::Slot(self.use_slot(ymm(mask))));
        let (memory, check) = self.begin_row(address);
        access(self, Operand::Memory(memory), mask);
        let Some(check) = check else { return };
        let limit = Operand::Memory(self.begin_partial(check));
        self.existing(limit);
        if let Some(mask) = mask {
            self.item(Code::VEX_Vpand_ymm_ymm_ymmm256, &[YMM15, YMM15, mask]);
        }
        access(self, Operand::Memory(check.memory), Some(YMM15));
        self.end_partial(check);
    }

    /// The mask of lanes with an index below the limit, from the index in `r11`. `vpcmpgtd` compares signed numbers, so
    /// the sign bits of both operands are flipped. There is one scratch register, so the indices are spilled.
    fn existing(&mut self, limit: Operand) {
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
    }

    /// Operands: pointer, index, mask. `vgatherdps` clears its mask, and needs three different vector registers.
    pub(super) fn gather(&mut self, offset: i32, operands: &[Value], result: VReg) {
        let memory = self.displaced(operands[0], offset.into());
        let index = Index::Reg(ymm(self.reg(operands[1])));
        let mask = self.operand(operands[2]);
        self.begin();
        let result = Operand::Slot(self.early_def_slot(ymm(result)));
        self.item(Code::VEX_Vmovdqu_ymm_ymmm256, &[YMM15, mask]);
        self.item(Code::VEX_Vpxor_ymm_ymm_ymmm256, &[result, result, result]);
        let memory = Operand::Memory(memory.indexed(index, 4));
        self.item(Code::VEX_Vgatherdps_ymm_vm32y_ymm, &[result, memory, YMM15]);
        self.end();
    }

    pub(super) fn frame_store_vector(&mut self, at: u32, inst: &Inst) {
        let (memory, Some(value)) = self.frame_operand(at, inst) else {
            return;
        };
        let memory = Operand::Memory(memory);
        let register = Operand::Use(ymm(self.reg(value)));
        if self.function.type_of(value) == Type::Lanes {
            return self.op(STORE, &[memory, register]);
        }
        self.begin();
        self.item(Code::VEX_Vmovmskps_r32_ymm, &[R11D, register]);
        self.item(
            Code::Mov_rm32_r32,
            &[memory, Operand::Fixed(Register::R11D)],
        );
        self.end();
    }

    pub(super) fn frame_load_vector(&mut self, at: u32, inst: &Inst, result: VReg) {
        let memory = Operand::Memory(self.frame_operand(at, inst).0);
        match inst.result.map(|value| self.function.type_of(value)) {
            Some(Type::Mask) => {
                let bits = self.new_lanes();
                self.unary_op(BROADCAST, memory, bits);
                self.mask_of_bits(bits, result);
            }
            _ => self.unary_op(LOAD, memory, result),
        }
    }
}
