//! Rows and frame slots of lanes and masks.

use anywarp_lanes::ir::{Inst, Row, Type, Value};
use regalloc2::VReg;

use super::super::group_builder::Operand;
use super::super::non_temporal::CacheHint;
use super::super::row::RowAddress;
use super::super::select::Select;
use super::{VectorIsa, mask as mask_reg, vector};

impl<V: VectorIsa> Select<'_, V> {
    /// Operands: pointer, index[, limit][, mask].
    pub(super) fn load_row(&mut self, row: Row, operands: &[Value], result: VReg) {
        let address = self.row(row, operands[0], operands[1], &operands[2..]);
        let mask = self.row_mask(row, operands);
        self.begin();
        // The cold code reads the mask again, before it writes the result.
        let result = Operand::Slot(self.def_slot(vector::<V>(result)));
        self.access_row(address, mask, |s, memory, mask| match mask {
            None => s.item(V::INSTRUCTIONS.load, &[result, memory]),
            Some(mask) => V::masked_load(s, result, memory, mask),
        });
        self.end();
    }

    /// Operands: pointer, index, values[, limit][, mask].
    pub(super) fn store_row(&mut self, row: Row, cache_hint: CacheHint, operands: &[Value]) {
        let address = self.row(row, operands[0], operands[1], &operands[3..]);
        let mask = self.row_mask(row, operands);
        let values = self.reg(operands[2]);
        self.begin();
        let values = Operand::Slot(self.use_slot(vector::<V>(values)));
        self.access_row(address, mask, |s, memory, mask| match mask {
            None if cache_hint == CacheHint::NonTemporal => {
                s.store_non_temporal(operands[3], memory, values);
            }
            None => s.item(V::INSTRUCTIONS.store, &[memory, values]),
            Some(mask) => V::masked_store(s, memory, values, mask),
        });
        self.end();
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
        let mask = mask.map(|mask| Operand::Slot(self.use_slot(mask_reg::<V>(mask))));
        let (memory, check) = self.begin_row(address);
        access(self, Operand::Memory(memory), mask);
        let Some(check) = check else { return };
        let limit = self.begin_partial(check);
        let in_bounds = V::bounds_mask(self, limit, mask);
        access(self, Operand::Memory(check.memory), Some(in_bounds));
        self.end_partial(check);
    }

    /// Stores lanes or a mask to the frame.
    pub(super) fn frame_store_vector(&mut self, at: u32, inst: &Inst) {
        let (memory, Some(value)) = self.frame_operand(at, inst) else {
            return;
        };
        let (memory, register) = (Operand::Memory(memory), self.reg(value));
        match self.function.type_of(value) {
            Type::Mask => V::store_mask(self, memory, register),
            _ => self.op(
                V::INSTRUCTIONS.store,
                &[memory, Operand::Use(vector::<V>(register))],
            ),
        }
    }

    /// Loads lanes or a mask from the frame.
    pub(super) fn frame_load_vector(&mut self, at: u32, inst: &Inst, result: VReg) {
        let memory = Operand::Memory(self.frame_operand(at, inst).0);
        match inst.result.map(|value| self.function.type_of(value)) {
            Some(Type::Mask) => V::load_mask(self, memory, result),
            _ => self.unary_op(V::INSTRUCTIONS.load, memory, result),
        }
    }
}
