//! Rows that are streamed: they go past the caches where the buffer is too large to be found there later.
//!
//! In a small buffer they are stored as others are, for one comparison more. In a large one the code is out of line: the
//! time of memory hides the jumps.

use anywarp_lanes::ir::Value;
use iced_x86::Code;

use super::build::{Base, Memory, Part, R11, R11D, r64};
use super::item::{Condition, Item};
use super::select::Select;

/// Words of a buffer that is too large for caches: 32 MiB.
const LARGE: u32 = 1 << 23;

/// How a row is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storing {
    /// To a cache.
    Near,
    /// Past the caches, where the buffer is large.
    Streamed,
}

impl Select<'_> {
    /// How a row with this limit is streamed: not at all in a buffer that is known to be small.
    pub(crate) fn storing(&self, limit: Value) -> Storing {
        match self.facts.word(limit) {
            Some(limit) if limit < LARGE => Storing::Near,
            _ => Storing::Streamed,
        }
    }

    /// Stores a row inside of a group, past the caches if the limit says so and the row is aligned.
    pub(crate) fn stream(
        &mut self,
        [store, stream]: [Code; 2],
        limit: Value,
        memory: Part,
        values: Part,
    ) {
        let [large, unaligned, done] = [self.label(), self.label(), self.label()];
        match self.facts.word(limit) {
            Some(_) => self.items.push(Item::Jump(large)),
            None => {
                let limit = self.reg(limit);
                let limit = Part::Slot(self.any_slot(r64(limit)).narrow());
                self.item(Code::Cmp_rm32_imm32, &[limit, Part::Imm32(LARGE as i32)]);
                self.jump_if(Condition::NotBelow, large);
                self.item(store, &[memory, values]);
            }
        }
        self.bind(done);
        self.items.push(Item::Cold);
        self.bind(large);
        let here = Part::Memory(Memory::at(Base::R11, 0));
        let within = Part::Imm32(self.function.lanes as i32 * 4 - 1);
        self.item(Code::Lea_r64_m, &[R11, memory]);
        self.item(Code::Test_rm32_imm32, &[R11D, within]);
        self.jump_if(Condition::NotEqual, unaligned);
        self.item(stream, &[here, values]);
        self.items.push(Item::Jump(done));
        self.bind(unaligned);
        self.item(store, &[here, values]);
        self.items.push(Item::Jump(done));
        self.items.push(Item::Warm);
    }
}
