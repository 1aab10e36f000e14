//! Accesses through pointers: each must be an access of an instruction of the vector IR, with its address, its width
//! and its mask.
//!
//! The bounds verifier of `lanes` has proven the accesses of the IR. The rules here show that the machine access
//! touches no word that the IR access does not.

use std::mem::offset_of;

use anywarp_lanes::ir::{
    BufferEntry, Context, Inst, LaneBinary, Op, PatternId, Row, Space, Value, WordBinary,
};

use super::domain::{
    AbstractValue, LaneChoice, LaneTest, PathCondition, PointerBase, Scalar, State,
};
use super::ir_view::IrView;

/// The largest stride of lanes that is followed. An index of the last lane below 2^31 has not wrapped.
const MAX_STRIDE: u32 = 1 << 16;

/// The index of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    None,
    /// A 64-bit general register.
    Register(AbstractValue),
    /// A vector of 32-bit numbers.
    Vector(AbstractValue),
}

/// A memory access of a machine instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryAccess {
    pub(super) base: PointerBase,
    pub(super) index: Index,
    pub(super) scale: u32,
    pub(super) bytes: i64,
    pub(super) width: u32,
    pub(super) is_write: bool,
    /// The mask of active lanes; `None` if the instruction has no mask.
    pub(super) mask: Option<AbstractValue>,
}

/// How a 32-bit index is extended to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    Zeros,
    Sign,
    /// The first lane is in bounds, so the index is below 2^31, and both extensions agree.
    Either,
}

/// The IR, the constant pool and the number of lanes that accesses are compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessRules<'a> {
    pub(super) ir: &'a IrView<'a>,
    pub(super) pool: &'a [u8],
    pub(super) lanes: u32,
}

impl<'a> AccessRules<'a> {
    /// Whether an access belongs to an instruction or to a load that is folded into it; returns the loaded value.
    pub(super) fn allows(
        &self,
        access: &MemoryAccess,
        inst: &Inst,
        state: &State,
    ) -> Option<AbstractValue> {
        if let Some(value) = self.own(access, inst, state) {
            return Some(value);
        }
        // A load with this instruction as its only use may be folded, also through a negation.
        let folded = |value: &Value| {
            let inner = self.ir.definition(*value)?;
            let is_load = |op: Op| matches!(op, Op::LoadRow(_) | Op::LoadSplat(_));
            if is_load(inner.op) {
                return self.own(access, inner, state);
            }
            inner.operands.iter().find_map(|operand| {
                let load = self
                    .ir
                    .definition(*operand)
                    .filter(|inst| is_load(inst.op))?;
                self.own(access, load, state)
            })
        };
        inst.operands.iter().find_map(folded)
    }

    /// Whether an access belongs to the instruction itself; returns the loaded value.
    fn own(&self, access: &MemoryAccess, inst: &Inst, state: &State) -> Option<AbstractValue> {
        let pointer = || inst.operands[0];
        let reaches =
            |offset| self.reaches(access, pointer(), words(offset), None, Extension::Zeros);
        let (bytes, is_there) = match inst.op {
            Op::LoadWord(offset) => (4, reaches(offset)),
            Op::LoadPointer(offset) => (8, reaches(offset)),
            Op::Base(Space::Buffer(number)) => {
                (8, is_entry(access, number, offset_of!(BufferEntry, start)))
            }
            Op::Length(number) => (4, is_entry(access, number, offset_of!(BufferEntry, words))),
            _ => {
                let is_allowed = self.is_lane_access(access, inst, state);
                return is_allowed.then_some(AbstractValue::Unknown);
            }
        };
        let result = inst.result?;
        let loaded = match bytes {
            4 => AbstractValue::Word(self.ir.scalar(result)),
            _ => AbstractValue::Pointer(PointerBase::Value(result), None, 0),
        };
        (!access.is_write && access.width == bytes && is_there).then_some(loaded)
    }

    /// Whether an access belongs to an instruction that does not load words or pointers.
    fn is_lane_access(&self, access: &MemoryAccess, inst: &Inst, state: &State) -> bool {
        let at = &inst.operands;
        let is_read = !access.is_write;
        match inst.op {
            Op::Poll(_) => {
                let cancelled = PointerBase::ContextField(offset_of!(Context, cancelled) as u32);
                is_read && access.width == 4 && is_at(access, cancelled, 0)
            }
            Op::LoadSplat(offset) => {
                is_read
                    && access.width == 4
                    && self.reaches(access, at[0], words(offset), None, Extension::Zeros)
            }
            Op::LoadRow(row) => is_read && self.row(access, row, at, 2, state),
            Op::StoreRow(row) => access.is_write && self.row(access, row, at, 3, state),
            Op::StoreRowNonTemporal(offset) => {
                access.is_write && self.row(access, Row::limited(offset), at, 3, state)
            }
            Op::Gather(offset) => {
                is_read
                    && (self.scattered(access, at, at[2], offset)
                        || self.coalesced(access, at, at[2], offset, state)
                        || self.tested(access, at, at[2], offset, state))
            }
            Op::Scatter(offset) => {
                access.is_write
                    && (self.scattered(access, at, at[3], offset)
                        || self.coalesced(access, at, at[3], offset, state)
                        || self.tested(access, at, at[3], offset, state)
                        || self.element(access, (at[0], at[1]), at[3], (offset, 4, 4), state))
            }
            Op::ScatterHalves(offset) => {
                access.is_write
                    && self.element(access, (at[0], at[1]), at[3], (offset, 2, 2), state)
            }
            Op::Atomic(_, _, offset) => {
                self.element(access, (at[0], at[1]), at[3], (offset, 4, 4), state)
            }
            Op::CompareExchange(_, offset) => {
                self.element(access, (at[0], at[1]), at[4], (offset, 4, 4), state)
            }
            Op::Atomic64(_, _, offset) | Op::CompareExchange64(_, offset) => {
                let mask = at[at.len() - 1];
                self.element(access, (at[0], at[2]), mask, (offset, 4, 8), state)
                    || access.is_write && self.found(access, at[1], 4 * self.lanes)
            }
            _ => false,
        }
    }

    /// Whether an address is pointer + bytes + 4 * index. Pointers may be replaced by the operands of their
    /// [`Op::Advance`].
    fn reaches(
        &self,
        access: &MemoryAccess,
        mut pointer: Value,
        mut bytes: i64,
        mut index: Option<Scalar>,
        mut extension: Extension,
    ) -> bool {
        loop {
            if let Some(Scalar::Const(word)) = index {
                bytes += match extension {
                    Extension::Sign | Extension::Either => words(word as i32),
                    Extension::Zeros => 4 * i64::from(word),
                };
                index = None;
            }
            let is_here = access.base == PointerBase::Value(pointer) && access.bytes == bytes;
            if is_here && is_index(access, index, extension) {
                return true;
            }
            let advance = self.ir.definition(pointer);
            let Some(advance) = advance.filter(|inst| inst.op == Op::Advance) else {
                return false;
            };
            match (self.ir.scalar(advance.operands[1]), index) {
                (Scalar::Const(word), _) => bytes += 4 * i64::from(word),
                (value, None) => (index, extension) = (Some(value), Extension::Zeros),
                _ => return false,
            }
            pointer = advance.operands[0];
        }
    }

    /// Whether an address is that of an [`Op::Advance`] or [`Op::AdvanceOrZeros`].
    pub(super) fn is_advanced(&self, value: AbstractValue, pointer: Value, offset: Value) -> bool {
        let AbstractValue::Pointer(base, index, bytes) = value else {
            return false;
        };
        let access = MemoryAccess {
            base,
            index: index.map_or(Index::None, |word| {
                Index::Register(AbstractValue::Word(word))
            }),
            scale: 4,
            bytes,
            width: 0,
            is_write: false,
            mask: None,
        };
        let offset = Some(self.ir.scalar(offset));
        self.reaches(&access, pointer, 0, offset, Extension::Zeros)
    }

    /// Whether an access belongs to a row; the operands from `rest` on are the limit and the mask, where it has them.
    fn row(
        &self,
        access: &MemoryAccess,
        row: Row,
        operands: &[Value],
        rest: usize,
        state: &State,
    ) -> bool {
        let index = self.ir.scalar(operands[1]);
        let limit = row.is_limited.then(|| self.ir.scalar(operands[rest]));
        let mask = row.is_masked.then(|| operands[operands.len() - 1]);
        let exists = limit.is_some_and(|limit| self.row_exists(index, limit, state));
        let lanes_exist = |value: AbstractValue| match value {
            AbstractValue::BoundsMask(from, below, _) => from == index && Some(below) == limit,
            _ => false,
        };
        let is_limited = limit.is_none() || exists || access.mask.is_some_and(lanes_exist);
        let all = mask.is_some_and(|mask| self.has_all_lanes(mask, state));
        let is_masked = mask.is_none_or(|mask| all || self.is_mask(access.mask, mask));
        let extension = match (limit, mask) {
            (None, None) => Extension::Zeros,
            _ if exists || all && limit.is_none() => Extension::Either,
            _ => Extension::Sign,
        };
        let bytes = words(row.offset);
        access.width <= 4 * self.lanes
            && is_limited
            && is_masked
            && self.reaches(access, operands[0], bytes, Some(index), extension)
    }

    /// Whether index + lanes <= limit.
    fn row_exists(&self, index: Scalar, limit: Scalar, state: &State) -> bool {
        if let (Scalar::Const(index), Scalar::Const(limit)) = (index, limit)
            && index.saturating_add(self.lanes) <= limit
        {
            return true;
        }
        state
            .path_conditions()
            .contains(&PathCondition::Row(index, limit))
    }

    fn has_all_lanes(&self, mask: Value, state: &State) -> bool {
        let all = self.ir.function.all_lanes();
        state
            .path_conditions()
            .contains(&PathCondition::AllLanes(mask))
            || self
                .ir
                .known_mask(mask)
                .is_some_and(|lanes| lanes & all == all)
    }

    /// Whether an access touches only active lanes of a mask.
    fn is_mask(&self, found: Option<AbstractValue>, mask: Value) -> bool {
        match found {
            Some(AbstractValue::Vector(value) | AbstractValue::BoundsMask(_, _, Some(value))) => {
                value == mask
            }
            Some(AbstractValue::Pool(at)) => self.ir.known_mask(mask).is_some_and(|known| {
                let lanes = self.pool_words(at);
                lanes.is_some_and(|words| {
                    let mut lanes = words.enumerate();
                    lanes.all(|(lane, word)| word >> 31 == 0 || known >> lane & 1 == 1)
                })
            }),
            _ => false,
        }
    }

    /// The vector at an offset of the pool.
    pub(super) fn pool_words(&self, at: u32) -> Option<impl Iterator<Item = u32> + 'a> {
        let end = at as usize + 4 * self.lanes as usize;
        let bytes = self.pool.get(at as usize..end)?;
        let words = bytes.chunks_exact(4);
        Some(words.map(|words| u32::from_le_bytes([words[0], words[1], words[2], words[3]])))
    }

    /// Whether an access is a gather or scatter instruction: indices in a vector, under a mask.
    fn scattered(
        &self,
        access: &MemoryAccess,
        operands: &[Value],
        mask: Value,
        offset: i32,
    ) -> bool {
        let is_index = match access.index {
            Index::Vector(AbstractValue::Vector(value)) => value == operands[1],
            Index::Vector(AbstractValue::SplatPlusConstant(word, at)) => self
                .broadcast_plus_pattern(operands[1])
                .is_some_and(|(first, id)| {
                    let pattern = &self.ir.function.patterns[id.0 as usize];
                    let found = self.pool_words(at);
                    word == first && found.is_some_and(|words| words.eq(pattern.iter().copied()))
                }),
            _ => false,
        };
        is_index
            && access.base == PointerBase::Value(operands[0])
            && access.bytes == words(offset)
            && access.scale == 4
            && access.width == 4
            && self.is_mask(access.mask, mask)
    }

    /// The uniform word and the pattern of an index that can be coalesced.
    fn broadcast_plus_pattern(&self, index: Value) -> Option<(Scalar, PatternId)> {
        let sum = self.ir.definition(index)?;
        let Op::Binary(LaneBinary::Int(WordBinary::Add)) = sum.op else {
            return None;
        };
        let parts = |a: Value, b: Value| {
            let (a, b) = (self.ir.definition(a)?, self.ir.definition(b)?);
            match (a.op, b.op) {
                (Op::Broadcast, Op::Pattern(id)) => Some((self.ir.scalar(a.operands[0]), id)),
                _ => None,
            }
        };
        let (a, b) = (sum.operands[0], sum.operands[1]);
        parts(a, b).or_else(|| parts(b, a))
    }

    /// Whether an access is a row of a coalesced gather or scatter, between the first and the last word of its lanes,
    /// while all lanes are active. Their indices are in bounds and below 2^31, so they differ as the pattern does, and
    /// every word between two words in bounds is in bounds, too.
    fn coalesced(
        &self,
        access: &MemoryAccess,
        operands: &[Value],
        mask: Value,
        offset: i32,
        state: &State,
    ) -> bool {
        let Some((word, id)) = self.broadcast_plus_pattern(operands[1]) else {
            return false;
        };
        let pattern = &self.ir.function.patterns[id.0 as usize];
        let is_first = match access.index {
            Index::Register(AbstractValue::Word(found)) => found == word && pattern[0] == 0,
            Index::Register(AbstractValue::WrappingSum(found, first)) => {
                found == word && first == pattern[0]
            }
            _ => false,
        };
        if !is_first {
            return false;
        }
        let offsets = || {
            let offset = |word: &u32| i64::from(word.wrapping_sub(pattern[0]) as i32);
            pattern.iter().map(offset)
        };
        let (Some(min), Some(max)) = (offsets().min(), offsets().max()) else {
            return false;
        };
        let start = access.bytes - words(offset);
        let end = start + i64::from(access.width);
        access.base == PointerBase::Value(operands[0])
            && access.scale == 4
            && start >= 4 * min
            && end <= 4 * (max + 1)
            && self.has_all_lanes(mask, state)
    }

    /// Whether an access is one at the index of the first lane, where the code has tested that the indices of the active
    /// lanes count up from it, or are equal to it. Active lanes have indices below 2^31, so that in each of them the
    /// sum of the sign-extended first index and the lane number is the index. With a stride, all lanes are active, the
    /// first one included, and no sum exceeds 2^31.
    fn tested(
        &self,
        access: &MemoryAccess,
        operands: &[Value],
        mask: Value,
        offset: i32,
        state: &State,
    ) -> bool {
        let index = operands[1];
        let start = access.bytes - words(offset);
        let end = start + i64::from(access.width);
        let is_masked = self.is_mask(access.mask, mask);
        let is_inside = |condition: &PathCondition| match *condition {
            PathCondition::Expected(test, vector, of) if (vector, of) == (index, mask) => {
                match test {
                    LaneTest::Equal => {
                        let has_lane = PathCondition::AnyLane(mask);
                        let has_lane = is_masked || state.path_conditions().contains(&has_lane);
                        start == 0 && access.width == 4 && has_lane
                    }
                    LaneTest::Stride(1) if is_masked => {
                        start == 0 && access.width <= 4 * self.lanes
                    }
                    // Every word between two words in bounds is in bounds, too.
                    LaneTest::Stride(stride) => {
                        let last = i64::from(stride) * i64::from(self.lanes - 1);
                        let is_near = stride <= MAX_STRIDE && self.has_all_lanes(mask, state);
                        is_near && start >= 0 && end <= 4 * (last + 1)
                    }
                }
            }
            _ => false,
        };
        access.index == Index::Register(AbstractValue::SignedFirst(index))
            && access.base == PointerBase::Value(operands[0])
            && access.scale == 4
            && state.path_conditions().iter().any(is_inside)
    }

    /// Whether an access is that of one lane. The last tuple has the offset in units, bytes of a unit, and the access
    /// width.
    fn element(
        &self,
        access: &MemoryAccess,
        (pointer, index): (Value, Value),
        mask: Value,
        (offset, unit, width): (i32, u32, u32),
        state: &State,
    ) -> bool {
        let Index::Register(AbstractValue::Element(vector, chosen)) = access.index else {
            return false;
        };
        let takes_part = match chosen {
            LaneChoice::Active(found) => found == mask,
            LaneChoice::Lane(lane) => {
                let known = self.ir.known_mask(mask);
                self.has_all_lanes(mask, state) || known.is_some_and(|lanes| lanes >> lane & 1 == 1)
            }
        };
        vector == index
            && takes_part
            && access.base == PointerBase::Value(pointer)
            && access.bytes == i64::from(offset) * i64::from(unit)
            && access.scale == unit
            && access.width == width
    }

    /// Whether an access is to the two result rows of an atomic instruction on 64 bits, or to a word of them.
    fn found(&self, access: &MemoryAccess, pointer: Value, row: u32) -> bool {
        let is_row = [0, i64::from(row)].contains(&access.bytes);
        let is_inside = match access.index {
            Index::None => access.width <= row,
            Index::Register(AbstractValue::ActiveLane(_)) => access.scale == 4 && access.width == 4,
            _ => false,
        };
        access.base == PointerBase::Value(pointer) && is_row && is_inside
    }
}

/// Whether an access has this index of words.
fn is_index(access: &MemoryAccess, index: Option<Scalar>, extension: Extension) -> bool {
    match (index, access.index) {
        (None, Index::None) => true,
        (Some(index), Index::Register(AbstractValue::Word(found))) => {
            found == index && access.scale == 4 && extension != Extension::Sign
        }
        (Some(index), Index::Register(AbstractValue::Signed(found))) => {
            found == index && access.scale == 4 && extension != Extension::Zeros
        }
        _ => false,
    }
}

fn is_at(access: &MemoryAccess, base: PointerBase, bytes: i64) -> bool {
    access.base == base && access.bytes == bytes && access.index == Index::None
}

/// Whether an access is to a field of a buffer's entry.
fn is_entry(access: &MemoryAccess, number: u32, part: usize) -> bool {
    let buffers = PointerBase::ContextField(offset_of!(Context, buffers) as u32);
    let at = i64::from(number) * size_of::<BufferEntry>() as i64 + part as i64;
    is_at(access, buffers, at)
}

fn words(count: i32) -> i64 {
    4 * i64::from(count)
}
