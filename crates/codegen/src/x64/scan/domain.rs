//! The abstract domain of the interpretation of a group: symbolic values of registers and memory cells, and their meet.
//!
//! A symbol is a value of the vector IR, so two conditions on one symbol are about the same run-time value. The meet of
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
pub(super) enum PointerBase {
    /// A pointer of the vector IR.
    Value(Value),
    /// The frame.
    Frame,
    /// The pointer that the context holds at an offset.
    ContextField(u32),
}

/// The lane that an element was extracted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneChoice {
    /// Some active lane of the mask.
    Active(Value),
    Lane(u32),
}

/// What a test at run time compares the lanes of an index with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneTest {
    /// The first lane plus this number times the lane number.
    Stride(u32),
    /// The first lane.
    Equal,
}

/// The abstract value of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbstractValue {
    Unknown,
    /// A zero-extended word.
    Word(Scalar),
    /// A sign-extended word.
    Signed(Scalar),
    /// A zero-extended word plus a constant, in 64 bits.
    WordPlusConstant(Scalar, i32),
    /// A word plus a constant modulo 2^32, zero-extended.
    WrappingSum(Scalar, u32),
    /// An address: base + 4 * zero-extended word + bytes.
    Pointer(PointerBase, Option<Scalar>, i64),
    /// A subset of the active lanes of a mask, as bits, and whether it is not empty for sure.
    MaskBits(Value, bool),
    /// The number of an active lane of a mask.
    ActiveLane(Value),
    /// A lane of a vector.
    Element(Value, LaneChoice),
    /// The first lane of a vector, sign-extended.
    SignedFirst(Value),

    /// Lanes, or a mask, of the vector IR.
    Vector(Value),
    /// The constant at this offset of the pool.
    Pool(u32),
    /// A word in the first lane.
    FirstLane(Scalar),
    /// A word in every lane.
    Splat(Scalar),
    /// A word in every lane plus the vector at this offset of the pool.
    SplatPlusConstant(Scalar, u32),
    /// [`Self::Splat`] with the sign bits inverted.
    InvertedSplat(Scalar),
    /// [`Self::SplatPlusConstant`] with the sign bits inverted.
    InvertedSplatPlusConstant(Scalar, u32),
    /// The mask of lanes with an index (the first word plus the lane number) below a limit (the second word). It is a
    /// subset of the IR mask, if there is one.
    BoundsMask(Scalar, Scalar, Option<Value>),
    /// A vector with the first lane of this vector in its first lane.
    FirstOf(Value),
    /// What the lanes of a vector are compared with.
    Expected(LaneTest, Value),
    /// The mask of lanes of a vector that are as expected.
    AsExpected(LaneTest, Value),
    /// The mask of active lanes of the mask (the second value) in which a vector is not as expected.
    Unexpected(LaneTest, Value, Value),
}

impl AbstractValue {
    /// The lower 32 bits.
    pub(super) fn narrow(self) -> Self {
        match self {
            Self::Signed(word) => Self::Word(word),
            Self::SignedFirst(vector) => Self::Element(vector, LaneChoice::Lane(0)),
            Self::WordPlusConstant(..) | Self::Pointer(..) => Self::Unknown,
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
            (Self::MaskBits(a, _), Self::MaskBits(b, _)) if a == b => Self::MaskBits(a, false),
            _ => Self::Unknown,
        }
    }
}

/// The abstract value of the flags: the operands of the last comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    Unknown,
    /// A comparison of two operands of 32 or 64 bits.
    Compare(AbstractValue, AbstractValue, Width),
    /// A test of a mask register: zero flag if it is empty, carry flag if it is full.
    Mask(Value),
    /// A test of a vector mask: zero flag if it is empty.
    AnyLane(Value),
    /// A test of a vector in the active lanes of a mask: zero flag if all are as expected.
    Unexpected(LaneTest, Value, Value),
    /// The same with vector masks: carry flag if all are as expected.
    AllExpected(LaneTest, Value, Value),
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
pub(super) enum PathCondition {
    /// All words of a row are in bounds: index + lanes <= limit.
    Row(Scalar, Scalar),
    /// All lanes of the mask are active.
    AllLanes(Value),
    /// Some lane of the mask is active.
    AnyLane(Value),
    /// A vector is as expected in the active lanes of the mask (the second value).
    Expected(LaneTest, Value, Value),
}

/// A cell of memory that only this code accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrivateWord {
    /// At an offset from the stack pointer, in the red zone.
    Stack(i64),
    /// At an offset from the frame.
    Frame(i64),
}

/// The abstract state at a point of a group. States are reused from group to group, to reuse their memory.
#[derive(Debug)]
pub(super) struct State {
    registers: Vec<(u8, AbstractValue)>,
    cells: Vec<(PrivateWord, u32, AbstractValue)>,
    pub(super) flags: Flags,
    path_conditions: Vec<PathCondition>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            registers: Vec::new(),
            cells: Vec::new(),
            flags: Flags::Unknown,
            path_conditions: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.registers.clear();
        self.cells.clear();
        self.flags = Flags::Unknown;
        self.path_conditions.clear();
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.registers.clone_from(&other.registers);
        self.cells.clone_from(&other.cells);
        self.flags = other.flags;
        self.path_conditions.clone_from(&other.path_conditions);
    }

    pub(super) fn get(&self, register: u8) -> AbstractValue {
        let known = self.registers.iter().find(|known| known.0 == register);
        known.map_or(AbstractValue::Unknown, |known| known.1)
    }

    pub(super) fn set(&mut self, register: u8, value: AbstractValue) {
        match self.registers.iter_mut().find(|known| known.0 == register) {
            Some(known) => known.1 = value,
            None if value == AbstractValue::Unknown => {}
            None => self.registers.push((register, value)),
        }
        if self.flags == Flags::Zero(register) {
            self.flags = Flags::Unknown;
        }
    }

    /// The value of a cell that was stored with this width.
    pub(super) fn cell(&self, cell: PrivateWord, bytes: u32) -> AbstractValue {
        let known = self
            .cells
            .iter()
            .find(|known| known.0 == cell && known.1 == bytes);
        known.map_or(AbstractValue::Unknown, |known| known.2)
    }

    /// The vector cell that contains a word, and the index of the word.
    pub(super) fn vector_cell(&self, at: i64, lanes: u32) -> Option<(AbstractValue, u32)> {
        let bytes = 4 * lanes;
        self.cells.iter().find_map(|(cell, width, value)| {
            let PrivateWord::Frame(start) = *cell else {
                return None;
            };
            let inside = (start..start + i64::from(bytes)).contains(&at);
            let word = (at - start) as u32 / 4;
            let is_word = (at - start) % 4 == 0;
            (*width == bytes && inside && is_word).then_some((*value, word))
        })
    }

    /// Removes the cells that a store overlaps, and records the stored value.
    pub(super) fn store(&mut self, cell: PrivateWord, bytes: u32, value: AbstractValue) {
        let range = |cell: PrivateWord, bytes: u32| match cell {
            PrivateWord::Stack(at) => (0, at, at + i64::from(bytes)),
            PrivateWord::Frame(at) => (1, at, at + i64::from(bytes)),
        };
        let (space, first, end) = range(cell, bytes);
        self.cells.retain(|known| {
            let (other, start, stop) = range(known.0, known.1);
            other != space || stop <= first || end <= start
        });
        if value != AbstractValue::Unknown {
            self.cells.push((cell, bytes, value));
        }
    }

    pub(super) fn assume(&mut self, fact: PathCondition) {
        if !self.path_conditions.contains(&fact) {
            self.path_conditions.push(fact);
        }
    }

    pub(super) fn path_conditions(&self) -> &[PathCondition] {
        &self.path_conditions
    }

    /// The meet with another state; returns whether this one has changed.
    pub(super) fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (register, value) in &mut self.registers {
            let met = value.meet(other.get(*register));
            changed |= met != *value;
            *value = met;
        }
        let (cells, path_conditions) = (self.cells.len(), self.path_conditions.len());
        self.cells.retain(|known| other.cells.contains(known));
        self.path_conditions
            .retain(|condition| other.path_conditions.contains(condition));
        changed |= cells != self.cells.len() || path_conditions != self.path_conditions.len();
        if self.flags != other.flags && self.flags != Flags::Unknown {
            self.flags = Flags::Unknown;
            changed = true;
        }
        changed
    }
}
