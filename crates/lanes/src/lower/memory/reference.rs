//! Pointers: what pointer expressions of the source refer to (lvalues).
//!
//! A pointer refers either to scalars of a promoted variable or to a location in memory. Every index that is not
//! known to be in bounds adds a bounds check to the location.

use std::rc::Rc;

use anywarp_program::units::Bytes;
use naga::TypeInner;
use smallvec::{SmallVec, smallvec};

use crate::ir::{
    AtomicOp, AtomicScope, LaneCompare, MaskBinary, Op, Type, Value, WordBinary, WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::bindings::SelectedBuffers;
use crate::lower::memory::layout::{MemoryLayout, ScalarType, Shape};
use crate::lower::memory::variables::VariableId;

/// Candidate scalars of a variable, each selected by a condition; the first one unconditionally.
pub(in crate::lower) type Choices = SmallVec<[(u32, Option<Scalar>); 1]>;

/// What a pointer refers to.
#[derive(Clone, Debug)]
pub(in crate::lower) enum Lvalue {
    /// Scalars of a promoted variable: one of several candidates.
    Variable {
        id: VariableId,
        choices: Choices,
        shape: Shape,
    },
    /// A location in memory.
    Memory(MemoryRef),
}

/// A location in memory.
#[derive(Clone, Debug)]
pub(in crate::lower) struct MemoryRef {
    /// Where the variable begins.
    pub(in crate::lower) base: Base,
    pub(in crate::lower) layout: MemoryLayout,
    pub(in crate::lower) shape: Shape,
    /// Constant offset in bytes.
    pub(in crate::lower) fixed: Bytes,
    /// Runtime offset, in words or half-words as the layout says.
    pub(in crate::lower) index: Scalar,
    /// Bounds checks that must pass for the location to exist.
    pub(in crate::lower) checks: SmallVec<[BoundsCheck; 1]>,
}

/// A bounds check `index < limit`, and the distance between elements; `None` where the address does not depend on
/// the index.
#[derive(Clone, Debug)]
pub(in crate::lower) struct BoundsCheck {
    pub(in crate::lower) index: Scalar,
    pub(in crate::lower) limit: Scalar,
    pub(in crate::lower) stride: Option<Bytes>,
}

/// The base of a memory location, and who shares the memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) enum Base {
    /// Memory that lanes share; for a buffer, also the source of its length.
    Shared {
        pointer: Value,
        sharing: AtomicScope,
        buffer: Option<Extent>,
    },
    /// A buffer that is selected lane by lane.
    SelectedBuffers(SelectedBuffers),
    /// Per-lane memory: one row of lanes for each word.
    Lanes { pointer: Value },
}

/// Where the word count of a buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Extent {
    /// From the bindings, by buffer number.
    Buffer(u32),
    /// From this word.
    Words(Value),
}

impl Lvalue {
    pub(in crate::lower) fn variable(id: VariableId, shape: Shape) -> Self {
        Self::Variable {
            id,
            choices: smallvec![(0, None)],
            shape,
        }
    }

    pub(in crate::lower) fn shape(&self) -> Shape {
        match self {
            Self::Variable { shape, .. } => *shape,
            Self::Memory(memory) => memory.shape,
        }
    }
}

impl Lowering<'_> {
    /// A member of a structure.
    pub(in crate::lower) fn member(&mut self, place: Lvalue, index: u32) -> Result<Lvalue> {
        let inner = self.shapes.inner(place.shape());
        if !matches!(inner, TypeInner::Struct { .. }) {
            return self.element(place, &Scalar::Known(index));
        }
        Ok(match place {
            Lvalue::Variable {
                id, mut choices, ..
            } => {
                let member = self.shapes.member(&inner, index, MemoryLayout::Packed)?;
                let (scalars, shape) = (member.scalars, member.shape);
                choices.iter_mut().for_each(|(first, _)| *first += scalars);
                Lvalue::Variable { id, choices, shape }
            }
            Lvalue::Memory(mut memory) => {
                let member = self.shapes.member(&inner, index, memory.layout)?;
                self.count_in(&mut memory, member.layout);
                memory.fixed = memory.fixed + member.offset;
                memory.shape = member.shape;
                Lvalue::Memory(memory)
            }
        })
    }

    /// An element at an index.
    pub(in crate::lower) fn element(&mut self, place: Lvalue, index: &Scalar) -> Result<Lvalue> {
        let inner = self.shapes.inner(place.shape());
        match place {
            Lvalue::Memory(memory) if matches!(inner, TypeInner::BindingArray { .. }) => {
                self.bound_element(memory, &inner, index)
            }
            Lvalue::Variable { id, choices, .. } => {
                let (elements, shape) = self.shapes.element(&inner, MemoryLayout::Packed)?;
                let count = elements.count.unwrap_or(0);
                let choices = self.choose_element(&choices, index, count, elements.scalars)?;
                Ok(Lvalue::Variable { id, choices, shape })
            }
            Lvalue::Memory(mut memory) => {
                let (elements, shape) = self.shapes.element(&inner, memory.layout)?;
                self.count_in(&mut memory, elements.layout);
                memory.shape = shape;
                match (index, elements.count) {
                    (&Scalar::Known(index), Some(count)) if index < count => {
                        memory.fixed = memory.fixed + elements.stride * index;
                    }
                    (_, count) => self.dynamic(&mut memory, index, elements.stride, count)?,
                }
                Ok(Lvalue::Memory(memory))
            }
        }
    }

    /// Converts the offset from words to half-words.
    pub(in crate::lower) fn count_in(&mut self, memory: &mut MemoryRef, layout: MemoryLayout) {
        if memory.layout != MemoryLayout::Shared || layout != MemoryLayout::Halves {
            return;
        }
        memory.layout = layout;
        memory.index = self.integer(WordBinary::Mul, &memory.index, &Scalar::Known(2));
    }

    fn choose_element(
        &mut self,
        choices: &[(u32, Option<Scalar>)],
        index: &Scalar,
        count: u32,
        scalars: u32,
    ) -> Result<Choices> {
        if let Scalar::Known(index) = *index {
            let exists = index < count;
            let moved = choices.iter().filter(|_| exists);
            return Ok(moved
                .map(|(first, condition)| (first + index * scalars, condition.clone()))
                .collect());
        }
        if choices.len() * count as usize > 256 {
            return unsupported("an index into a large value");
        }
        let mut all = SmallVec::new();
        for element in 0..count {
            let is_it = self.integer_compare(WordCompare::Eq, index, &Scalar::Known(element));
            for (first, condition) in choices {
                let condition = match condition {
                    Some(condition) => self.both(condition, &is_it),
                    None => is_it.clone(),
                };
                all.push((first + element * scalars, Some(condition)));
            }
        }
        Ok(all)
    }

    /// Logical and.
    pub(in crate::lower) fn both(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        match (a, b) {
            (Scalar::Known(0), _) | (_, Scalar::Known(0)) => Scalar::Known(0),
            (Scalar::Known(_), other) | (other, Scalar::Known(_)) => other.clone(),
            (Scalar::Word(a), Scalar::Word(b)) => {
                Scalar::Word(self.word_binary(WordBinary::And, *a, *b))
            }
            _ => {
                let (a, b) = (self.mask(a), self.mask(b));
                Scalar::Mask(self.mask_binary(MaskBinary::And, a, b))
            }
        }
    }

    /// Compares integers.
    pub(in crate::lower) fn integer_compare(
        &mut self,
        op: WordCompare,
        a: &Scalar,
        b: &Scalar,
    ) -> Scalar {
        if let (&Scalar::Known(a), &Scalar::Known(b)) = (a, b) {
            return Scalar::Known(crate::arithmetic::word_compare(op, a, b).into());
        }
        if a.is_uniform()
            && b.is_uniform()
            && let (Some(a), Some(b)) = (self.word(a), self.word(b))
        {
            return Scalar::Word(self.word_compare(op, a, b));
        }
        let (a, b) = (self.lanes(a), self.lanes(b));
        Scalar::Mask(self.compare(LaneCompare::Int(op), a, b))
    }

    /// Adds an index that is not known to be in bounds.
    fn dynamic(
        &mut self,
        memory: &mut MemoryRef,
        index: &Scalar,
        stride: Bytes,
        count: Option<u32>,
    ) -> Result {
        let limit = match (count, memory.base) {
            (Some(count), _) => Scalar::Known(count),
            (
                None,
                Base::Shared {
                    buffer: Some(buffer),
                    ..
                },
            ) => Scalar::Word(self.runtime_length(buffer, memory, stride)?),
            (None, Base::SelectedBuffers(selected)) => {
                self.elements_of(&Scalar::Lanes(selected.words), memory, stride)?
            }
            (None, _) => return unsupported("a runtime-sized array outside of a buffer"),
        };
        memory.checks.push(BoundsCheck {
            index: index.clone(),
            limit,
            stride: Some(stride),
        });
        let step = Scalar::Known(memory.layout.units(stride)?);
        let moved = self.integer(WordBinary::Mul, index, &step);
        let before = memory.index.clone();
        memory.index = self.add(&before, &moved);
        Ok(())
    }

    /// The length of a runtime-sized array in a buffer.
    pub(in crate::lower) fn runtime_length(
        &mut self,
        buffer: Extent,
        array: &MemoryRef,
        stride: Bytes,
    ) -> Result<Value> {
        let key = (buffer, array.fixed, stride);
        if let Some(known) = self.body.lengths.get(&key) {
            return Ok(*known);
        }
        let words = self.words_of(buffer);
        let is_early = matches!(buffer, Extent::Buffer(_));
        // A length from the bindings is uniform for the whole run: it is computed once, in the first block.
        let block = if is_early {
            std::mem::replace(&mut self.control.block, crate::ir::Function::ENTRY)
        } else {
            self.control.block
        };
        let length = self
            .elements_of(&Scalar::Word(words), array, stride)
            .map(|length| self.word(&length).unwrap_or(words));
        self.control.block = block;
        let length = length?;
        if is_early {
            self.body.lengths.insert(key, length);
        }
        Ok(length)
    }

    /// The word count of a buffer.
    pub(in crate::lower) fn words_of(&mut self, buffer: Extent) -> Value {
        match buffer {
            Extent::Buffer(number) => self.emit_early(Op::Length(number), &[], Type::Word),
            Extent::Words(words) => words,
        }
    }

    /// The length of a runtime-sized array in a buffer of `words` words. A count of half-words fits a word, since
    /// no binding is larger than [`MAX_BINDING_SIZE`](anywarp_program::units::MAX_BINDING_SIZE).
    pub(in crate::lower) fn elements_of(
        &mut self,
        words: &Scalar,
        array: &MemoryRef,
        stride: Bytes,
    ) -> Result<Scalar> {
        let units = match array.layout {
            MemoryLayout::Halves => self.add(words, words),
            MemoryLayout::Shared | MemoryLayout::Packed => words.clone(),
        };
        let start = Scalar::Known(array.layout.units(array.fixed)?);
        let stride = Scalar::Known(array.layout.units(stride)?);
        // A buffer that ends before the array begins has no elements.
        let least = self.integer(WordBinary::MaxU, &units, &start);
        let rest = self.integer(WordBinary::Sub, &least, &start);
        Ok(self.integer(WordBinary::DivU, &rest, &stride))
    }

    /// Loads the value that a pointer refers to.
    pub(in crate::lower) fn load(&mut self, place: &Lvalue) -> Result<Scalars> {
        let inner = self.shapes.inner(place.shape());
        let kinds = self.shapes.kinds(&inner)?;
        match place {
            Lvalue::Variable { id, choices, .. } => {
                let mut scalars = Scalars::new();
                for (number, kind) in kinds.iter().enumerate() {
                    scalars.push(self.load_choice(*id, choices, number as u32, *kind));
                }
                Ok(scalars)
            }
            // Both words in one atomic step.
            Lvalue::Memory(memory) if is_wide_atomic(&inner) => {
                let nothing = [Scalar::ZERO, Scalar::ZERO];
                self.wide_atomic(memory, AtomicOp::Or, &nothing)
            }
            Lvalue::Memory(memory) => {
                let positions = self.shapes.positions(&inner, memory.layout)?;
                self.load_scalars_at(memory, &positions)
            }
        }
    }

    fn load_choice(
        &mut self,
        id: VariableId,
        choices: &[(u32, Option<Scalar>)],
        number: u32,
        kind: ScalarType,
    ) -> Scalar {
        let mut found = Scalar::ZERO;
        for (first, condition) in choices {
            let scalar = self.slot((id, first + number)).clone();
            found = match condition {
                None => scalar,
                Some(condition) => self.choose_by(condition, &scalar, &found, kind),
            };
        }
        found
    }

    /// Selects by a truth value.
    pub(in crate::lower) fn choose_by(
        &mut self,
        condition: &Scalar,
        a: &Scalar,
        b: &Scalar,
        kind: ScalarType,
    ) -> Scalar {
        match *condition {
            Scalar::Known(0) => b.clone(),
            Scalar::Known(_) => a.clone(),
            Scalar::Word(word) if a.is_uniform() && b.is_uniform() => {
                let is_word = |it: &Scalar| matches!(it, Scalar::Known(_) | Scalar::Word(_));
                if kind == ScalarType::Float && !(is_word(a) && is_word(b)) {
                    let (mask, a, b) = (self.mask(condition), self.lanes(a), self.lanes(b));
                    return Scalar::UniformLanes(self.select(mask, a, b));
                }
                match (self.word(a), self.word(b)) {
                    (Some(a), Some(b)) => {
                        let chosen =
                            Scalar::Word(self.emit(Op::WordSelect, &[word, a, b], Type::Word));
                        if kind == ScalarType::Float {
                            Scalar::UniformLanes(self.lanes(&chosen))
                        } else {
                            chosen
                        }
                    }
                    _ => a.clone(),
                }
            }
            _ => {
                let mask = self.mask(condition);
                self.choose(mask, a, b, kind)
            }
        }
    }

    /// Stores through a pointer, in the active lanes.
    pub(in crate::lower) fn store(&mut self, place: &Lvalue, values: &[Scalar]) -> Result {
        match place {
            Lvalue::Variable { id, choices, .. } => {
                for (first, condition) in choices {
                    for (number, value) in values.iter().enumerate() {
                        let slot = (*id, first + number as u32);
                        let value = match condition {
                            None => value.clone(),
                            Some(condition) => {
                                let (before, kind) =
                                    (self.slot(slot).clone(), self.slot_kind(slot));
                                self.choose_by(condition, value, &before, kind)
                            }
                        };
                        self.assign(slot, value);
                    }
                }
                Ok(())
            }
            Lvalue::Memory(memory) => {
                let inner = self.shapes.inner(memory.shape);
                if is_wide_atomic(&inner) {
                    self.wide_atomic(memory, AtomicOp::Exchange, values)?;
                    return Ok(());
                }
                let positions = self.shapes.positions(&inner, memory.layout)?;
                self.store_scalars_at(memory, &positions, values)
            }
        }
    }

    /// The index of each lane.
    pub(in crate::lower) fn iota(&self) -> Rc<[u32]> {
        (0..self.function.lanes).collect()
    }
}

/// Whether a type is a 64-bit atomic.
fn is_wide_atomic(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Atomic(scalar) if scalar.width == 8)
}
