//! Run-time rows: gathers and scatters whose lanes are, in fact, consecutive words or one word.
//!
//! In: a gather or scatter with a guess of its lanes (`lane_stride`). Out: a group that tests the guess for the active
//! lanes and accesses a masked row, or loads one word and broadcasts it. Where the test fails, cold code gathers or
//! scatters. Inactive lanes may have any index: they are not tested, and masked instructions do not access their words.
//! The first lane gives the address. If it is inactive and does not continue the row, the test fails.
//!
//! The test is a part of the group rather than a branch of the vector IR: it takes five instructions without any
//! dependency but on the index, needs no additional blocks, and `scan` follows it.

use anywarp_lanes::ir::Value;
use regalloc2::VReg;

use super::group_builder::{Index, Memory, Operand};
use super::lane_stride::LaneGuess;
use super::machine_inst::{GroupItem, Label, Slot};
use super::select::Select;
use super::vector::{VectorIsa, mask as mask_reg, vector};

/// Index and mask of a tested access, inside its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestedLanes {
    pub(crate) guess: LaneGuess,
    pub(crate) index: Slot,
    pub(crate) mask: Slot,
}

impl<V: VectorIsa> Select<'_, V> {
    /// Guesses what the lanes of an index are.
    pub(crate) fn guess(&mut self, index: Value) -> LaneGuess {
        self.strides.guess(self.function, &self.values, index)
    }

    /// Puts an index and a mask into slots of the group.
    pub(crate) fn tested_lanes(
        &mut self,
        guess: LaneGuess,
        index: VReg,
        mask: VReg,
    ) -> TestedLanes {
        TestedLanes {
            guess,
            index: self.use_slot(vector::<V>(index)),
            mask: self.use_slot(mask_reg::<V>(mask)),
        }
    }

    /// A gather that tests a guess. Operands: pointer, index, mask.
    pub(crate) fn gather_tested(
        &mut self,
        guess: LaneGuess,
        offset: i32,
        operands: &[Value],
        result: VReg,
    ) {
        let memory = self.displaced(operands[0], offset.into());
        let (index, mask) = (self.reg(operands[1]), self.reg(operands[2]));
        self.begin();
        let memory = self.hold(memory);
        let result = Operand::Slot(self.early_def_slot(vector::<V>(result)));
        let lanes = self.tested_lanes(guess, index, mask);
        let (far, done) = (self.label(), self.label());
        V::test_lanes(self, lanes, far);
        let near = memory.indexed(Index::R11, 4);
        let mask = Operand::Slot(lanes.mask);
        match guess {
            LaneGuess::Row => V::masked_load(self, result, Operand::Memory(near), mask),
            LaneGuess::Pairs => V::load_pairs(self, result, near),
            _ => V::masked_splat(self, result, Operand::Memory(near), mask),
        }
        self.bind(done);
        self.begin_cold(far);
        let memory = memory.indexed(Index::Slot(lanes.index), 4);
        V::gather_lanes(self, result, memory, mask);
        self.end_cold(done);
        self.end();
    }

    /// Inside a group: stores a row if the lanes are one. Otherwise jumps to the label.
    pub(crate) fn store_tested_row(
        &mut self,
        lanes: TestedLanes,
        memory: Memory,
        values: Operand,
        far: Label,
    ) {
        V::test_lanes(self, lanes, far);
        let near = Operand::Memory(memory.indexed(Index::R11, 4));
        V::masked_store(self, near, values, Operand::Slot(lanes.mask));
    }

    pub(crate) fn begin_cold(&mut self, label: Label) {
        self.items.push(GroupItem::Cold);
        self.bind(label);
    }

    pub(crate) fn end_cold(&mut self, done: Label) {
        self.items.push(GroupItem::Jump(done));
        self.items.push(GroupItem::EndCold);
    }
}
