//! What registers and memory cells are known to hold inside a group: a small lattice of symbolic values.
//!
//! Every symbol is a value of the form, so that two facts about one symbol are about the same run-time value. The meet of
//! two states keeps what both know.

use anywarp_lanes::ir::Value;

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Value(Value),
    Const(u32),
}

/// What an address begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A pointer of the form.
    Value(Value),
    /// The frame.
    Frame,
    /// The pointer that the context has at an offset.
    Field(u32),
}

/// The lane of a vector that an element was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// A lane that is in the mask.
    In(Value),
    Lane(u32),
}

/// What a location holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abs {
    Unknown,
    /// A word, its upper 32 bits 0.
    Word(Scalar),
    /// A word, its sign extended to 64 bits.
    Signed(Scalar),
    /// A word, its upper 32 bits 0, plus a constant in 64 bits.
    Sum(Scalar, i32),
    /// A word plus a constant, modulo 2^32, the upper 32 bits 0.
    Low(Scalar, u32),
    /// An address: root + 4 * word + bytes; the word's upper 32 bits are 0.
    Pointer(Root, Option<Scalar>, i64),
    /// Some of the lanes of a mask as bits; whether there is one for sure.
    Lanes(Value, bool),
    /// The number of a lane that is in a mask.
    Lane(Value),
    /// A lane of a vector.
    Element(Value, Chosen),

    /// Lanes, or a mask, of the form.
    Vector(Value),
    /// The constant at this place of the pool.
    Pool(u32),
    /// A word in the first lane.
    First(Scalar),
    /// A word in every lane.
    Splat(Scalar),
    /// A word in every lane plus the vector at this place of the pool.
    Offset(Scalar, u32),
    /// [`Self::Splat`] with the signs inverted.
    InvertedSplat(Scalar),
    /// [`Self::Offset`] with the signs inverted.
    InvertedOffset(Scalar, u32),
    /// The mask of lanes whose index, a word plus the number of the lane, is below a limit; they are in the other mask,
    /// too, if there is one.
    Existing(Scalar, Scalar, Option<Value>),
}

impl Abs {
    /// The lower 32 bits.
    pub(super) fn narrow(self) -> Self {
        match self {
            Self::Signed(word) => Self::Word(word),
            Self::Sum(..) | Self::Pointer(..) => Self::Unknown,
            other => other,
        }
    }

    /// What it is as a word.
    pub(super) fn scalar(self) -> Option<Scalar> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Lanes(a, _), Self::Lanes(b, _)) if a == b => Self::Lanes(a, false),
            _ => Self::Unknown,
        }
    }
}

/// What the last comparison compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    Unknown,
    /// Two words, or 64 bits.
    Compare(Abs, Abs, Width),
    /// A mask: zero where it has no lane, carry where it has all.
    Mask(Value),
    /// A vector mask: zero where it has no lane.
    AnyLane(Value),
    /// Whether a register, which has bits of a mask, is 0.
    Zero(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Narrow,
    Wide,
}

/// The state of registers and stack slots on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// All words of a row exist: index + lanes <= limit.
    Row(Scalar, Scalar),
    /// All lanes are in the mask.
    AllLanes(Value),
}

/// A cell of memory that only this code reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Below the stack pointer.
    Stack(i64),
    /// From the frame on.
    Frame(i64),
}

/// The state at a point of a group. States are kept from group to group, so that their memory is.
#[derive(Debug)]
pub(super) struct State {
    registers: Vec<(u8, Abs)>,
    cells: Vec<(Cell, u32, Abs)>,
    pub(super) flags: Flags,
    facts: Vec<Fact>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            registers: Vec::new(),
            cells: Vec::new(),
            flags: Flags::Unknown,
            facts: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.registers.clear();
        self.cells.clear();
        self.flags = Flags::Unknown;
        self.facts.clear();
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.registers.clone_from(&other.registers);
        self.cells.clone_from(&other.cells);
        self.flags = other.flags;
        self.facts.clone_from(&other.facts);
    }

    pub(super) fn get(&self, register: u8) -> Abs {
        let known = self.registers.iter().find(|it| it.0 == register);
        known.map_or(Abs::Unknown, |it| it.1)
    }

    pub(super) fn set(&mut self, register: u8, abs: Abs) {
        match self.registers.iter_mut().find(|it| it.0 == register) {
            Some(known) => known.1 = abs,
            None if abs == Abs::Unknown => {}
            None => self.registers.push((register, abs)),
        }
        if self.flags == Flags::Zero(register) {
            self.flags = Flags::Unknown;
        }
    }

    /// What a cell holds that was stored with this width.
    pub(super) fn cell(&self, cell: Cell, bytes: u32) -> Abs {
        let known = self.cells.iter().find(|it| it.0 == cell && it.1 == bytes);
        known.map_or(Abs::Unknown, |it| it.2)
    }

    /// The cell that a word of a vector lies in, and which word it is.
    pub(super) fn vector_cell(&self, at: i64, lanes: u32) -> Option<(Abs, u32)> {
        let bytes = 4 * lanes;
        self.cells.iter().find_map(|(cell, width, abs)| {
            let Cell::Frame(start) = *cell else {
                return None;
            };
            let inside = (start..start + i64::from(bytes)).contains(&at);
            let word = (at - start) as u32 / 4;
            let is_word = (at - start) % 4 == 0;
            (*width == bytes && inside && is_word).then_some((*abs, word))
        })
    }

    /// Forgets the cells that a store overlaps, and keeps what it stores.
    pub(super) fn store(&mut self, cell: Cell, bytes: u32, abs: Abs) {
        let range = |cell: Cell, bytes: u32| match cell {
            Cell::Stack(at) => (0, at, at + i64::from(bytes)),
            Cell::Frame(at) => (1, at, at + i64::from(bytes)),
        };
        let (space, first, end) = range(cell, bytes);
        self.cells.retain(|it| {
            let (other, start, stop) = range(it.0, it.1);
            other != space || stop <= first || end <= start
        });
        if abs != Abs::Unknown {
            self.cells.push((cell, bytes, abs));
        }
    }

    pub(super) fn learn(&mut self, fact: Fact) {
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    pub(super) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Keeps what another state knows, too; tells whether this one has changed.
    pub(super) fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (register, abs) in &mut self.registers {
            let met = abs.meet(other.get(*register));
            changed |= met != *abs;
            *abs = met;
        }
        let (cells, facts) = (self.cells.len(), self.facts.len());
        self.cells.retain(|it| other.cells.contains(it));
        self.facts.retain(|it| other.facts.contains(it));
        changed |= cells != self.cells.len() || facts != self.facts.len();
        if self.flags != other.flags && self.flags != Flags::Unknown {
            self.flags = Flags::Unknown;
            changed = true;
        }
        changed
    }
}
