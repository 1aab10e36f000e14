//! Loads, stores and atomic operations.
//!
//! Chooses the access by the uniformity of the address: one scalar load (uniform), a row access (consecutive words,
//! one for each lane), or a gather or scatter.
//!
//! What always holds: an index that is not known to be in bounds is checked. Out-of-bounds reads give zero,
//! out-of-bounds writes are dropped. Inactive lanes may read but never write. An index is computed modulo 2^32 and
//! used only where all of its parts are below their limits: then it lies in the variable, which has less than 2^32
//! units, and has not wrapped.

use anywarp_program::units::Bytes;
use naga::{AtomicFunction, Expression, Handle};
use smallvec::SmallVec;

use crate::ir::{
    AtomicOp, AtomicScope, Context, LaneCompare, MaskBinary, Op, Row, Type, Value, WordBinary,
    WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::reference::{Base, MemoryRef};

/// The distance between consecutive lanes.
const WORD: Bytes = Bytes(4);

/// A row access: consecutive words, one for each lane.
struct RowAccess {
    pointer: Value,
    index: Value,
    limit: Value,
    offset: u32,
}

/// A gather, scatter or atomic access: an address for each lane.
pub(in crate::lower) struct LaneAccess {
    pub(in crate::lower) pointer: Value,
    pub(in crate::lower) index: Value,
    pub(in crate::lower) mask: Value,
    pub(in crate::lower) offset: u32,
}

/// What an atomic statement does.
pub(in crate::lower) enum AtomicAction {
    Op(AtomicOp),
    /// Compare-exchange with this expected value.
    IfEqual(Handle<Expression>),
}

impl AtomicAction {
    pub(in crate::lower) fn of(function: AtomicFunction, is_signed: bool) -> Self {
        Self::Op(match function {
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::Subtract => AtomicOp::Sub,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::ExclusiveOr => AtomicOp::Xor,
            AtomicFunction::Min if is_signed => AtomicOp::MinS,
            AtomicFunction::Min => AtomicOp::MinU,
            AtomicFunction::Max if is_signed => AtomicOp::MaxS,
            AtomicFunction::Max => AtomicOp::MaxU,
            AtomicFunction::Exchange { compare: None } => AtomicOp::Exchange,
            AtomicFunction::Exchange {
                compare: Some(expected),
            } => return Self::IfEqual(expected),
        })
    }
}

/// The first of consecutive increasing integers; `None` if they are not.
pub(in crate::lower) fn counts_from(pattern: &[u32]) -> Option<u32> {
    let first = *pattern.first()?;
    let mut counted = pattern.iter().zip(0u32..);
    counted
        .all(|(word, number)| *word == first.wrapping_add(number))
        .then_some(first)
}

impl Lowering<'_> {
    /// Whether all bounds checks pass.
    pub(in crate::lower) fn exists<'c>(
        &mut self,
        checks: impl Iterator<Item = &'c crate::lower::memory::reference::BoundsCheck>,
    ) -> Scalar {
        let mut exists = Scalar::Known(1);
        for check in checks {
            let is_below = self.integer_compare(WordCompare::LtU, &check.index, &check.limit);
            exists = self.both(&exists, &is_below);
        }
        exists
    }

    pub(in crate::lower) fn load_memory(
        &mut self,
        memory: &MemoryRef,
        offsets: &[u32],
        kinds: &[ScalarType],
    ) -> Result<Scalars> {
        let (pointer, sharing) = match memory.base {
            Base::Shared {
                pointer, sharing, ..
            } => (pointer, Some(sharing)),
            Base::Lanes { pointer } => (pointer, None),
            Base::SelectedBuffers(selected) => {
                return self.waterfall_loop(selected, memory, offsets.len(), |lowering, memory| {
                    lowering.load_memory(memory, offsets, kinds)
                });
            }
        };
        if sharing.is_none() {
            return self.load_own(pointer, memory, offsets, kinds);
        }
        if memory.index.is_uniform() {
            return self.load_same(pointer, memory, offsets, kinds);
        }
        if let Some(row) = self.row_access(pointer, memory)? {
            return Ok(self.each(offsets, kinds, |lowering, offset| {
                lowering.load_row(&row, offset)
            }));
        }
        let access = self.lane_access(pointer, memory)?;
        Ok(self.each(offsets, kinds, |lowering, offset| {
            let op = Op::Gather((access.offset + offset).cast_signed());
            lowering.emit(
                op,
                &[access.pointer, access.index, access.mask],
                Type::Lanes,
            )
        }))
    }

    /// Loads varying scalars.
    fn each(
        &mut self,
        offsets: &[u32],
        kinds: &[ScalarType],
        mut load: impl FnMut(&mut Self, u32) -> Value,
    ) -> Scalars {
        let mut scalars = Scalars::new();
        for (offset, kind) in offsets.iter().zip(kinds) {
            let lanes = Scalar::Lanes(load(self, *offset));
            scalars.push(match kind {
                ScalarType::Bool => Scalar::Mask(self.mask(&lanes)),
                _ => lanes,
            });
        }
        scalars
    }

    fn load_row(&mut self, row: &RowAccess, offset: u32) -> Value {
        let op = Op::LoadRow(Row {
            offset: (row.offset + offset).cast_signed(),
            is_limited: true,
            is_masked: false,
        });
        self.emit(op, &[row.pointer, row.index, row.limit], Type::Lanes)
    }

    /// Loads from a uniform address.
    fn load_same(
        &mut self,
        pointer: Value,
        memory: &MemoryRef,
        offsets: &[u32],
        kinds: &[ScalarType],
    ) -> Result<Scalars> {
        let exists = self.exists(memory.checks.iter());
        let fixed = memory.layout.units(memory.fixed)?;
        let (mut fixed, mut index) = (fixed, memory.index.clone());
        let furthest = offsets.iter().max().copied().unwrap_or(0);
        let zeros = Context::ZEROS as u32 / 4;
        if fixed + furthest >= zeros {
            index = self.add(&index, &Scalar::Known(fixed));
            fixed = 0;
        }
        let place = match exists {
            Scalar::Known(0) => return Ok(kinds.iter().map(|_| Scalar::ZERO).collect()),
            Scalar::Known(_) => match index {
                Scalar::Known(0) => pointer,
                _ => {
                    let Some(index) = self.word(&index) else {
                        return unsupported("an index that was taken for uniform");
                    };
                    self.emit(Op::Advance, &[pointer, index], Type::Pointer)
                }
            },
            _ => {
                if furthest >= zeros {
                    return unsupported("a huge value at an index");
                }
                let (Some(index), Some(exists)) = (self.word(&index), self.word(&exists)) else {
                    return unsupported("an index that was taken for uniform");
                };
                self.emit(Op::AdvanceOrZeros, &[pointer, index, exists], Type::Pointer)
            }
        };
        let mut scalars = Scalars::new();
        for (offset, kind) in offsets.iter().zip(kinds) {
            let offset = (fixed + offset).cast_signed();
            scalars.push(match kind {
                ScalarType::Float => {
                    Scalar::UniformLanes(self.emit(Op::LoadSplat(offset), &[place], Type::Lanes))
                }
                ScalarType::Sint | ScalarType::Uint => {
                    Scalar::Word(self.emit(Op::LoadWord(offset), &[place], Type::Word))
                }
                ScalarType::Bool => {
                    let word = self.emit(Op::LoadWord(offset), &[place], Type::Word);
                    let zero = self.word_const(0);
                    Scalar::Word(self.word_compare(WordCompare::Ne, word, zero))
                }
            });
        }
        Ok(scalars)
    }

    /// Recognizes a row access: the only varying index increases by one from lane to lane, with a stride of one
    /// word.
    fn row_access(&mut self, pointer: Value, memory: &MemoryRef) -> Result<Option<RowAccess>> {
        let mut varying = memory
            .checks
            .iter()
            .filter(|check| !check.index.is_uniform());
        let (Some(check), None) = (varying.next(), varying.next()) else {
            return Ok(None);
        };
        if check.stride != Some(WORD) {
            return Ok(None);
        }
        let first = self.first_of_row(&check.index);
        let Some(index) = first.and_then(|first| self.word(&first)) else {
            return Ok(None);
        };
        let same: SmallVec<[_; 2]> = memory
            .checks
            .iter()
            .filter(|check| check.index.is_uniform())
            .cloned()
            .collect();
        let mut pointer = pointer;
        let mut moved = Scalar::ZERO;
        for check in &same {
            let Some(stride) = check.stride else { continue };
            let stride = Scalar::Known(memory.layout.units(stride)?);
            let more = self.integer(WordBinary::Mul, &check.index, &stride);
            moved = self.add(&moved, &more);
        }
        if !matches!(moved, Scalar::Known(0)) {
            let Some(moved) = self.word(&moved) else {
                return Ok(None);
            };
            pointer = self.emit(Op::Advance, &[pointer, moved], Type::Pointer);
        }
        let exists = self.exists(same.iter());
        let limit = self.choose_by(&exists, &check.limit, &Scalar::ZERO, ScalarType::Uint);
        let Some(limit) = self.word(&limit) else {
            return Ok(None);
        };
        Ok(Some(RowAccess {
            pointer,
            index,
            limit,
            offset: memory.layout.units(memory.fixed)?,
        }))
    }

    pub(in crate::lower) fn lane_access(
        &mut self,
        pointer: Value,
        memory: &MemoryRef,
    ) -> Result<LaneAccess> {
        let exists = self.exists(memory.checks.iter());
        let mask = self.mask(&exists);
        Ok(LaneAccess {
            pointer,
            index: self.lanes(&memory.index),
            mask: self.active(mask),
            offset: memory.layout.units(memory.fixed)?,
        })
    }

    /// The addresses of words in per-lane memory.
    fn own_access(&mut self, pointer: Value, memory: &MemoryRef) -> Result<LaneAccess> {
        let lanes = Scalar::Known(self.function.lanes);
        let rows = self.integer(WordBinary::Mul, &memory.index, &lanes);
        let index = self.add(&rows, &Scalar::Affine(None, self.iota()));
        let exists = self.exists(memory.checks.iter());
        let mask = self.mask(&exists);
        Ok(LaneAccess {
            pointer,
            index: self.lanes(&index),
            mask: self.active(mask),
            offset: memory.layout.units(memory.fixed)? * self.function.lanes,
        })
    }

    fn own_row(&self, fixed: u32, offset: u32, is_masked: bool) -> Row {
        Row {
            offset: ((fixed + offset) * self.function.lanes).cast_signed(),
            is_limited: false,
            is_masked,
        }
    }

    /// The row index in per-lane memory, if it is uniform and in bounds.
    fn own_index(&mut self, memory: &MemoryRef) -> Option<Value> {
        let exists = self.exists(memory.checks.iter());
        if !memory.index.is_uniform() || !matches!(exists, Scalar::Known(1)) {
            return None;
        }
        let lanes = Scalar::Known(self.function.lanes);
        let index = self.integer(WordBinary::Mul, &memory.index, &lanes);
        self.word(&index)
    }

    fn load_own(
        &mut self,
        pointer: Value,
        memory: &MemoryRef,
        offsets: &[u32],
        kinds: &[ScalarType],
    ) -> Result<Scalars> {
        if let Some(index) = self.own_index(memory) {
            let fixed = memory.layout.units(memory.fixed)?;
            return Ok(self.each(offsets, kinds, |lowering, offset| {
                let row = lowering.own_row(fixed, offset, false);
                lowering.emit(Op::LoadRow(row), &[pointer, index], Type::Lanes)
            }));
        }
        let access = self.own_access(pointer, memory)?;
        let lanes = self.function.lanes;
        Ok(self.each(offsets, kinds, |lowering, offset| {
            let op = Op::Gather((access.offset + offset * lanes).cast_signed());
            lowering.emit(
                op,
                &[access.pointer, access.index, access.mask],
                Type::Lanes,
            )
        }))
    }

    pub(in crate::lower) fn store_memory(
        &mut self,
        memory: &MemoryRef,
        offsets: &[u32],
        values: &[Scalar],
    ) -> Result {
        match memory.base {
            Base::Lanes { pointer } => {
                if let Some(index) = self.own_index(memory) {
                    let fixed = memory.layout.units(memory.fixed)?;
                    for (offset, value) in offsets.iter().zip(values) {
                        let row = self.own_row(fixed, *offset, self.control.exec.is_some());
                        let value = self.lanes(value);
                        let operands: SmallVec<[_; 4]> = [pointer, index, value]
                            .into_iter()
                            .chain(self.control.exec)
                            .collect();
                        self.effect(Op::StoreRow(row), &operands);
                    }
                    return Ok(());
                }
                let access = self.own_access(pointer, memory)?;
                self.scatter(&access, offsets, values, self.function.lanes);
            }
            Base::Shared { pointer, .. } => {
                if let Some(row) = self.row_access(pointer, memory)? {
                    for (offset, value) in offsets.iter().zip(values) {
                        self.store_row(&row, *offset, value);
                    }
                    return Ok(());
                }
                let access = self.lane_access(pointer, memory)?;
                self.scatter(&access, offsets, values, 1);
            }
            Base::SelectedBuffers(_) => return unsupported("a store to several buffers at once"),
        }
        Ok(())
    }

    fn store_row(&mut self, row: &RowAccess, offset: u32, value: &Scalar) {
        let op = Op::StoreRow(Row {
            offset: (row.offset + offset).cast_signed(),
            is_limited: true,
            is_masked: self.control.exec.is_some(),
        });
        let value = self.lanes(value);
        let operands: SmallVec<[_; 5]> = [row.pointer, row.index, value, row.limit]
            .into_iter()
            .chain(self.control.exec)
            .collect();
        self.effect(op, &operands);
    }

    fn scatter(&mut self, access: &LaneAccess, offsets: &[u32], values: &[Scalar], step: u32) {
        for (offset, value) in offsets.iter().zip(values) {
            let op = Op::Scatter((access.offset + offset * step).cast_signed());
            let value = self.lanes(value);
            self.effect(op, &[access.pointer, access.index, value, access.mask]);
        }
    }

    /// Performs an atomic operation lane by lane. Returns the old values.
    pub(in crate::lower) fn atomic(
        &mut self,
        memory: &MemoryRef,
        op: AtomicOp,
        value: &Scalar,
    ) -> Result<Value> {
        if let Base::SelectedBuffers(selected) = memory.base {
            return self.waterfall_atomic(selected, memory, |lowering, memory| {
                lowering.atomic(memory, op, value)
            });
        }
        let (access, sharing) = self.atomic_access(memory)?;
        let value = self.lanes(value);
        let op = Op::Atomic(op, sharing, access.offset.cast_signed());
        let operands = [access.pointer, access.index, value, access.mask];
        Ok(self.emit(op, &operands, Type::Lanes))
    }

    /// Compare-exchange, lane by lane. Returns the old values and the lanes that exchanged.
    pub(in crate::lower) fn compare_exchange(
        &mut self,
        memory: &MemoryRef,
        expected: &Scalar,
        value: &Scalar,
    ) -> Result<(Value, Value)> {
        if let Base::SelectedBuffers(selected) = memory.base {
            let both = self.waterfall_loop(selected, memory, 2, |lowering, memory| {
                let (old, is_exchanged) = lowering.compare_exchange(memory, expected, value)?;
                Ok(Scalars::from_iter([
                    Scalar::Lanes(old),
                    Scalar::Mask(is_exchanged),
                ]))
            })?;
            let [old, is_exchanged] = [0, 1].map(|index| self.lanes(&both[index]));
            let zero = self.splat(0);
            let not_zero = LaneCompare::Int(WordCompare::Ne);
            return Ok((old, self.compare(not_zero, is_exchanged, zero)));
        }
        let (access, sharing) = self.atomic_access(memory)?;
        let (expected, value) = (self.lanes(expected), self.lanes(value));
        let op = Op::CompareExchange(sharing, access.offset.cast_signed());
        let operands = [access.pointer, access.index, expected, value, access.mask];
        let old = self.emit(op, &operands, Type::Lanes);
        let is_expected = self.compare(LaneCompare::Int(WordCompare::Eq), old, expected);
        // An out-of-bounds word reads as 0, but is not exchanged.
        let is_exchanged = self.mask_binary(MaskBinary::And, is_expected, access.mask);
        Ok((old, is_exchanged))
    }

    pub(in crate::lower) fn atomic_access(
        &mut self,
        memory: &MemoryRef,
    ) -> Result<(LaneAccess, AtomicScope)> {
        match memory.base {
            Base::Shared {
                pointer, sharing, ..
            } => Ok((self.lane_access(pointer, memory)?, sharing)),
            Base::Lanes { .. } | Base::SelectedBuffers(_) => {
                unsupported("an atomic of a lane's own")
            }
        }
    }
}
