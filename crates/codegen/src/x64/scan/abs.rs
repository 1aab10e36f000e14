//! The abstract domain of the interpretation of a group: symbolic values of registers and memory cells, and their meet.
//!
//! A symbol is a value of the vector IR, so two facts about one symbol are about the same run-time value. The meet of
//! two states keeps the facts that both have.

use anywarp_lanes::ir::Value;

/// A word: an IR value or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Value(Value),
    Const(u32),
}

/// The base of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A pointer of the vector IR.
    Value(Value),
    /// The frame.
    Frame,
    /// The pointer that the context holds at an offset.
    Field(u32),
}

/// The lane that an element was extracted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Some active lane of the mask.
    In(Value),
    Lane(u32),
}

/// The abstract value of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abs {
    Unknown,
    /// A zero-extended word.
    Word(Scalar),
    /// A sign-extended word.
    Signed(Scalar),
    /// A zero-extended word plus a constant, in 64 bits.
    Sum(Scalar, i32),
    /// A word plus a constant modulo 2^32, zero-extended.
    Low(Scalar, u32),
    /// An address: root + 4 * zero-extended word + bytes.
    Pointer(Root, Option<Scalar>, i64),
    /// A subset of the active lanes of a mask, as bits, and whether it is not empty for sure.
    Lanes(Value, bool),
    /// The number of an active lane of a mask.
    Lane(Value),
    /// A lane of a vector.
    Element(Value, Chosen),

    /// Lanes, or a mask, of the vector IR.
    Vector(Value),
    /// The constant at this offset of the pool.
    Pool(u32),
    /// A word in the first lane.
    First(Scalar),
    /// A word in every lane.
    Splat(Scalar),
    /// A word in every lane plus the vector at this offset of the pool.
    Offset(Scalar, u32),
    /// [`Self::Splat`] with the sign bits inverted.
    InvertedSplat(Scalar),
    /// [`Self::SplatPlusConstant`] with the sign bits inverted.
    InvertedOffset(Scalar, u32),
    /// The mask of lanes with an index (the first word plus the lane number) below a limit (the second word). It is a
    /// subset of the IR mask, if there is one.
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

    /// The zero-extended word that it is, if any.
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

/// The abstract value of the flags: the operands of the last comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    Unknown,
    /// A comparison of two operands of 32 or 64 bits.
    Compare(Abs, Abs, Width),
    /// A test of a mask register: zero flag if it is empty, carry flag if it is full.
    Mask(Value),
    /// A test of a vector mask: zero flag if it is empty.
    AnyLane(Value),
    /// The zero flag says whether this register, which holds bits of a mask, is 0.
    Zero(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Narrow,
    Wide,
}

/// A path condition, learnt from a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// All words of a row are in bounds: index + lanes <= limit.
    Row(Scalar, Scalar),
    /// All lanes of the mask are active.
    AllLanes(Value),
}

/// A cell of memory that only this code accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// At an offset from the stack pointer, in the red zone.
    Stack(i64),
    /// At an offset from the frame.
    Frame(i64),
}

/// The abstract state at a point of a group. States are reused from group to group, to reuse their memory.
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

    /// The value of a cell that was stored with this width.
    pub(super) fn cell(&self, cell: Cell, bytes: u32) -> Abs {
        let known = self.cells.iter().find(|it| it.0 == cell && it.1 == bytes);
        known.map_or(Abs::Unknown, |it| it.2)
    }

    /// The vector cell that contains a word, and the index of the word.
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

    /// Removes the cells that a store overlaps, and records the stored value.
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

    /// The meet with another state; returns whether this one has changed.
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
