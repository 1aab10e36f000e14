//! Non-temporal stores of rows (`vmovntdq`), for buffers larger than the caches.
//!
//! A row of a small buffer is stored as usual, at the cost of one comparison. The non-temporal store is cold code:
//! memory latency hides the jumps. The store instruction needs an aligned address; unaligned rows are stored as usual.

use anywarp_lanes::ir::Value;
use iced_x86::Code;

use super::group_builder::{Base, Memory, Operand, R11, R11D, r64};
use super::machine_inst::{Condition, GroupItem};
use super::select::Select;
use super::vector::VectorIsa;

/// The size in words from which on a buffer is stored non-temporally: 32 MiB.
const LARGE_WORDS: u32 = 1 << 23;

/// The cache hint of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheHint {
    /// An ordinary store.
    Temporal,
    /// A non-temporal store if the buffer is large.
    NonTemporal,
}

impl<V: VectorIsa> Select<'_, V> {
    /// The hint for a row with this limit: temporal if the limit is a small constant.
    pub(crate) fn cache_hint(&self, limit: Value) -> CacheHint {
        match self.values.word(limit) {
            Some(limit) if limit < LARGE_WORDS => CacheHint::Temporal,
            _ => CacheHint::NonTemporal,
        }
    }

    /// Stores a row inside a group, non-temporally if the limit is large and the row is aligned.
    pub(crate) fn store_non_temporal(&mut self, limit: Value, memory: Operand, values: Operand) {
        let (store, non_temporal) = (V::INSTRUCTIONS.store, V::INSTRUCTIONS.store_non_temporal);
        let [large, unaligned, done] = [self.label(), self.label(), self.label()];
        match self.values.word(limit) {
            Some(_) => self.items.push(GroupItem::Jump(large)),
            None => {
                let limit = self.reg(limit);
                let limit = Operand::Slot(self.any_slot(r64(limit)).narrow());
                self.item(
                    Code::Cmp_rm32_imm32,
                    &[limit, Operand::Imm32(LARGE_WORDS as i32)],
                );
                self.jump_if(Condition::NotBelow, large);
                self.item(store, &[memory, values]);
            }
        }
        self.bind(done);
        self.items.push(GroupItem::Cold);
        self.bind(large);
        let here = Operand::Memory(Memory::at(Base::R11, 0));
        let within = Operand::Imm32(self.function.lanes as i32 * 4 - 1);
        self.item(Code::Lea_r64_m, &[R11, memory]);
        self.item(Code::Test_rm32_imm32, &[R11D, within]);
        self.jump_if(Condition::NotEqual, unaligned);
        self.item(non_temporal, &[here, values]);
        self.items.push(GroupItem::Jump(done));
        self.bind(unaligned);
        self.item(store, &[here, values]);
        self.items.push(GroupItem::Jump(done));
        self.items.push(GroupItem::EndCold);
    }
}
