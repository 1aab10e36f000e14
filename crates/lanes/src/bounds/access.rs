//! The memory accesses of each instruction, with the operands that position and guard them.

use smallvec::SmallVec;

use crate::ir::{Inst, Op, Row, Value};

/// The unit in which an access counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Words,
    /// 16-bit units.
    Halves,
}

impl Unit {
    pub(super) fn per_word(self) -> u32 {
        match self {
            Self::Words => 1,
            Self::Halves => 2,
        }
    }
}

/// The position of an access relative to its pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// At the pointer.
    None,
    /// A word plus the lane number.
    Row(Value),
    /// An index for each lane.
    Lanes(Value),
}

/// One access to memory: `width` units from `pointer + index + offset` on, in the lanes of a mask, where the index is
/// below a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) pointer: Value,
    pub(super) index: Index,
    pub(super) offset: i64,
    pub(super) unit: Unit,
    pub(super) width: u32,
    pub(super) limit: Option<Value>,
    pub(super) mask: Option<Value>,
    pub(super) is_write: bool,
}

impl Access {
    /// The accesses of an instruction to memory that a pointer points to. Slots of the frame are not among them.
    pub(super) fn of(inst: &Inst, lanes: u32) -> SmallVec<[Self; 2]> {
        let at = |place: usize| inst.operands[place];
        let access = |index, offset: i32| Self {
            pointer: at(0),
            index,
            offset: i64::from(offset),
            unit: Unit::Words,
            width: 1,
            limit: None,
            mask: None,
            is_write: inst.op.has_effect(),
        };
        let last = inst.operands.last().copied();
        // The rows that receive the old values of a wide atomic.
        let found = || Self {
            pointer: at(1),
            width: 2 * lanes,
            ..access(Index::None, 0)
        };
        match inst.op {
            Op::LoadWord(offset) | Op::LoadSplat(offset) => {
                SmallVec::from_slice(&[access(Index::None, offset)])
            }
            Op::LoadRow(row) => SmallVec::from_slice(&[Self {
                limit: row.is_limited.then(|| at(2)),
                ..access(Index::Row(at(1)), row.offset).masked(row, last)
            }]),
            Op::StoreRow(row) => SmallVec::from_slice(&[Self {
                limit: row.is_limited.then(|| at(3)),
                ..access(Index::Row(at(1)), row.offset).masked(row, last)
            }]),
            Op::StoreRowNonTemporal(offset) => SmallVec::from_slice(&[Self {
                limit: Some(at(3)),
                ..access(Index::Row(at(1)), offset)
            }]),
            Op::Gather(offset)
            | Op::Scatter(offset)
            | Op::Atomic(_, _, offset)
            | Op::CompareExchange(_, offset) => SmallVec::from_slice(&[Self {
                mask: last,
                ..access(Index::Lanes(at(1)), offset)
            }]),
            Op::ScatterHalves(offset) => SmallVec::from_slice(&[Self {
                mask: last,
                unit: Unit::Halves,
                ..access(Index::Lanes(at(1)), offset)
            }]),
            Op::Atomic64(_, _, offset) | Op::CompareExchange64(_, offset) => {
                let wide = Self {
                    mask: last,
                    width: 2,
                    ..access(Index::Lanes(at(2)), offset)
                };
                SmallVec::from_slice(&[wide, found()])
            }
            // Accesses to frame slots and buffer entries have rules of their own (`is_proven`); other instructions do
            // not access memory.
            Op::LoadPointer(_)
            | Op::FrameStore(_)
            | Op::FrameLoad(_)
            | Op::FrameStoreAt(_)
            | Op::FrameLoadAt(_)
            | Op::Poll(_)
            | Op::Call(..)
            | Op::ActiveLanes
            | Op::Word(_)
            | Op::ContextField(_)
            | Op::Base(_)
            | Op::Length(_)
            | Op::WordBinary(_)
            | Op::WordCompare(_)
            | Op::WordSelect
            | Op::Any
            | Op::Ballot
            | Op::Extract(_)
            | Op::Advance
            | Op::AdvanceOrZeros
            | Op::Splat(_)
            | Op::Pattern(_)
            | Op::Broadcast
            | Op::Binary(_)
            | Op::Unary(_)
            | Op::ShlBy(_)
            | Op::ShrBy(_)
            | Op::SarBy(_)
            | Op::RotateBy(_)
            | Op::Fma
            | Op::F64(..)
            | Op::F64ToF32
            | Op::Ternary(_)
            | Op::Select
            | Op::Masked(_)
            | Op::MaskedFma
            | Op::Permute
            | Op::Compare(_)
            | Op::MaskedCompare(_)
            | Op::Mask(_)
            | Op::MaskBinary(_)
            | Op::FromBallot => SmallVec::new(),
        }
    }

    fn masked(self, row: Row, last: Option<Value>) -> Self {
        Self {
            mask: last.filter(|_| row.is_masked),
            ..self
        }
    }
}
