//! Rows: accesses of consecutive words, one per lane, with a bounds check where the row has a limit.
//!
//! The fast path has one comparison, index + lanes <= limit. Where not all words are in bounds, cold code compares the
//! index of each lane with the limit and accesses the others under a mask. An index may be negative there, and where a
//! mask has inactive lanes: the first words are then out of bounds, or not accessed.

use anywarp_lanes::ir::{Row, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::group_builder::{Base, Index, Memory, Operand, R11, R11D, r64};
use super::machine_inst::{Condition, GroupItem, Label, Slot};
use super::select::Select;
use super::vector::VectorIsa;

/// The address of a row, before its group begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowAddress {
    memory: Memory,
    index: ScalarOperand,
    limit: Option<ScalarOperand>,
    /// Whether the index may be negative although the row has no limit.
    is_signed: bool,
}

/// A constant word, or a word in a register.
#[derive(Clone, Copy, Debug)]
enum ScalarOperand {
    Constant(u32),
    Reg(VReg),
}

/// A constant word, or a word in a slot of the group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScalarSlot {
    Constant(u32),
    Slot(Slot),
}

/// The bounds check of a row, inside its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundsCheck {
    /// The limit; its slot may be on the stack.
    pub(crate) limit: ScalarSlot,
    /// The row as accessed by the cold code.
    pub(crate) memory: Memory,
    index: ScalarSlot,
    partial: Label,
    done: Label,
}

/// The offset from the stack pointer of scratch memory in the red zone.
pub(crate) const RED_ZONE: i32 = -96;

impl<V: VectorIsa> Select<'_, V> {
    /// The address of a row; `rest` begins with the limit, if there is one.
    pub(crate) fn row(
        &mut self,
        row: Row,
        pointer: Value,
        index: Value,
        rest: &[Value],
    ) -> RowAddress {
        let limit = rest
            .first()
            .filter(|_| row.is_limited)
            .map(|limit| self.word_or_reg(*limit));
        let address = |memory, index| RowAddress {
            memory,
            index,
            limit,
            is_signed: row.is_masked && !row.is_limited,
        };
        match self.values.word(index) {
            Some(word) => {
                let offset = i64::from(row.offset) + i64::from(word as i32);
                let memory = self.pointed(pointer, offset);
                let limit = match limit {
                    Some(ScalarOperand::Constant(limit))
                        if word.saturating_add(self.function.lanes) <= limit =>
                    {
                        None
                    }
                    limit => limit,
                };
                RowAddress {
                    limit,
                    is_signed: false,
                    ..address(memory, ScalarOperand::Constant(word))
                }
            }
            None => {
                let memory = self.displaced(pointer, row.offset.into());
                address(memory, ScalarOperand::Reg(self.reg(index)))
            }
        }
    }

    /// The memory operand of a row without limit and mask.
    pub(crate) fn plain_row(&mut self, row: Row, pointer: Value, index: Value) -> Memory {
        self.element(pointer, index, row.offset.into())
    }

    fn word_or_reg(&mut self, value: Value) -> ScalarOperand {
        match self.values.word(value) {
            Some(word) => ScalarOperand::Constant(word),
            None => ScalarOperand::Reg(self.reg(value)),
        }
    }

    fn count(&mut self, word: ScalarOperand) -> ScalarSlot {
        match word {
            ScalarOperand::Constant(word) => ScalarSlot::Constant(word),
            ScalarOperand::Reg(vreg) => ScalarSlot::Slot(self.use_slot(r64(vreg))),
        }
    }

    /// Begins the access of a row inside a group. Returns the memory operand of the fast path, and the check if there
    /// is one.
    pub(crate) fn begin_row(&mut self, address: RowAddress) -> (Memory, Option<BoundsCheck>) {
        let memory = self.hold(address.memory);
        let index = self.count(address.index);
        let with = |index: Index| memory.indexed(index, 4);
        let fast = match index {
            ScalarSlot::Constant(_) => memory,
            ScalarSlot::Slot(slot) if address.is_signed => {
                self.item(Code::Movsxd_r64_rm32, &[R11, Operand::Slot(slot.narrow())]);
                with(Index::R11)
            }
            ScalarSlot::Slot(slot) => with(Index::Slot(slot)),
        };
        let Some(limit) = address.limit else {
            return (fast, None);
        };
        let check = BoundsCheck {
            limit: match limit {
                ScalarOperand::Constant(word) => ScalarSlot::Constant(word),
                ScalarOperand::Reg(vreg) => ScalarSlot::Slot(self.any_slot(r64(vreg))),
            },
            memory: match index {
                ScalarSlot::Constant(_) => memory,
                ScalarSlot::Slot(_) => with(Index::R11),
            },
            index,
            partial: self.label(),
            done: self.label(),
        };
        self.check_row(check);
        (fast, Some(check))
    }

    /// Puts the registers of an address into slots, so that several items of the group can use it.
    pub(crate) fn hold(&mut self, memory: Memory) -> Memory {
        let base = match memory.base {
            Base::Reg(vreg) => Base::Slot(self.use_slot(r64(vreg))),
            base => base,
        };
        let index = match memory.index {
            Some(Index::Reg(reg)) => Some(Index::Slot(self.use_slot(reg))),
            index => index,
        };
        Memory {
            base,
            index,
            ..memory
        }
    }

    /// Jumps to the cold code unless all words are in bounds.
    fn check_row(&mut self, check: BoundsCheck) {
        let lanes = self.function.lanes as i32;
        let condition = match (check.index, check.limit) {
            (ScalarSlot::Constant(index), ScalarSlot::Slot(limit)) if index < 1 << 30 => {
                let end = Operand::Imm64(index as i32 + lanes);
                self.item(Code::Cmp_rm64_imm32, &[Operand::Slot(limit), end]);
                Some(Condition::Below)
            }
            (ScalarSlot::Slot(index), ScalarSlot::Constant(limit)) if limit >= lanes as u32 => {
                let last = Operand::Imm32((limit as i32).wrapping_sub(lanes));
                self.item(Code::Cmp_rm32_imm32, &[Operand::Slot(index.narrow()), last]);
                Some(Condition::Above)
            }
            (ScalarSlot::Slot(index), ScalarSlot::Slot(limit)) => {
                let end = Operand::Memory(Memory::at(Base::Slot(index), lanes));
                self.item(Code::Lea_r64_m, &[R11, end]);
                self.item(Code::Cmp_r64_rm64, &[R11, Operand::Slot(limit)]);
                Some(Condition::Above)
            }
            // Some words are out of bounds for sure, or the constants are too large for an immediate.
            _ => None,
        };
        match condition {
            Some(condition) => self.jump_if(condition, check.partial),
            None => self.items.push(GroupItem::Jump(check.partial)),
        }
    }

    /// After the fast path: begins the cold code, with the sign-extended index in `r11`. Returns the limit as a memory
    /// operand.
    pub(crate) fn begin_partial(&mut self, check: BoundsCheck) -> Memory {
        self.bind(check.done);
        self.items.push(GroupItem::Cold);
        self.bind(check.partial);
        let limit = match check.limit {
            ScalarSlot::Constant(word) => Memory::at(Base::Pool, self.pool.word(word)),
            ScalarSlot::Slot(slot) => {
                let memory = Memory::at(Base::Stack, RED_ZONE);
                self.item(Code::Mov_r32_rm32, &[R11D, Operand::Slot(slot.narrow())]);
                self.item(Code::Mov_rm32_r32, &[Operand::Memory(memory), R11D]);
                memory
            }
        };
        match check.index {
            ScalarSlot::Constant(index) => {
                self.item(Code::Mov_rm64_imm32, &[R11, Operand::Imm64(index as i32)]);
            }
            ScalarSlot::Slot(index) => {
                self.item(Code::Movsxd_r64_rm32, &[R11, Operand::Slot(index.narrow())]);
            }
        }
        limit
    }

    /// Ends the cold code.
    pub(crate) fn end_partial(&mut self, check: BoundsCheck) {
        self.items.push(GroupItem::Jump(check.done));
        self.items.push(GroupItem::EndCold);
    }
}
