//! Pointers: what pointer expressions of the source refer to (lvalues).
//!
//! A pointer refers either to scalars of a promoted variable or to a location in memory. Every index that is not
//! known to be in bounds adds a bounds check to the location.

use std::rc::Rc;

use anywarp_program::units::Bytes;
use naga::TypeInner;
use smallvec::{SmallVec, smallvec};

use crate::ir::{
    AtomicOp, LaneCompare, MaskBinary, Op, Sharing, Type, Value, WordBinary, WordCompare,
};

use super::Lowering;
use super::bindings::Chosen;
use super::error::{Result, unsupported};
use super::scalar::{Scalar, Scalars};
use super::shape::{Kind, Layout, Shape};
use super::variables::VariableId;

/// Candidate scalars of a variable, each selected by a condition; the first one unconditionally.
pub(super) type Choices = SmallVec<[(u32, Option<Scalar>); 1]>;

/// What a pointer refers to.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Scalars of a promoted variable: one of several candidates.
    Variable {
        id: VariableId,
        choices: Choices,
        shape: Shape,
    },
    /// A location in memory.
    Memory(Memory),
}

/// A location in memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Where the variable begins.
    pub(super) base: Base,
    pub(super) layout: Layout,
    pub(super) shape: Shape,
    /// Constant offset in bytes.
    pub(super) fixed: Bytes,
    /// Runtime offset, in words or half-words as the layout says.
    pub(super) index: Scalar,
    /// Bounds checks that must pass for the location to exist.
    pub(super) checks: SmallVec<[Check; 1]>,
}

/// A bounds check `index < limit`, and the distance between elements; `None` where the address does not depend on
/// the index.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) index: Scalar,
    pub(super) limit: Scalar,
    pub(super) stride: Option<Bytes>,
}

/// The base of a memory location, and who shares the memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// Memory that lanes share; for a buffer, also the source of its length.
    Shared {
        pointer: Value,
        sharing: Sharing,
        buffer: Option<Extent>,
    },
    /// A buffer that is selected lane by lane.
    Chosen(Chosen),
    /// Per-lane memory: one row of lanes for each word.
    Lanes { pointer: Value },
}

/// Where the word count of a buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Extent {
    /// From the bindings, by buffer number.
    Buffer(u32),
    /// From this word.
    Words(Value),
}

impl Place {
    pub(super) fn variable(id: VariableId, shape: Shape) -> Self {
        Self::Variable {
            id,
            choices: smallvec![(0, None)],
            shape,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Variable { shape, .. } => *shape,
            Self::Memory(memory) => memory.shape,
        }
    }
}

impl Lowering<'_> {
    /// A member of a structure.
    pub(super) fn member(&mut self, place: Place, index: u32) -> Result<Place> {
        let inner = self.shapes.inner(place.shape());
        if !matches!(inner, TypeInner::Struct { .. }) {
            return self.element(place, &Scalar::Known(index));
        }
        Ok(match place {
            Place::Variable {
                id, mut choices, ..
            } => {
                let member = self.shapes.member(&inner, index, Layout::Packed)?;
                let (scalars, shape) = (member.scalars, member.shape);
                choices.iter_mut().for_each(|(first, _)| *first += scalars);
                Place::Variable { id, choices, shape }
            }
            Place::Memory(mut memory) => {
                let member = self.shapes.member(&inner, index, memory.layout)?;
                self.count_in(&mut memory, member.layout);
                memory.fixed = memory.fixed + member.offset;
                memory.shape = member.shape;
                Place::Memory(memory)
            }
        })
    }

    /// An element at an index.
    pub(super) fn element(&mut self, place: Place, index: &Scalar) -> Result<Place> {
        let inner = self.shapes.inner(place.shape());
        match place {
            Place::Memory(memory) if matches!(inner, TypeInner::BindingArray { .. }) => {
                self.bound_element(memory, &inner, index)
            }
            Place::Variable { id, choices, .. } => {
                let (elements, shape) = self.shapes.element(&inner, Layout::Packed)?;
                let count = elements.count.unwrap_or(0);
                let choices = self.choose_element(&choices, index, count, elements.scalars)?;
                Ok(Place::Variable { id, choices, shape })
            }
            Place::Memory(mut memory) => {
                let (elements, shape) = self.shapes.element(&inner, memory.layout)?;
                self.count_in(&mut memory, elements.layout);
                memory.shape = shape;
                match (index, elements.count) {
                    (&Scalar::Known(index), Some(count)) if index < count => {
                        memory.fixed = memory.fixed + elements.stride * index;
                    }
                    (_, count) => self.dynamic(&mut memory, index, elements.stride, count)?,
                }
                Ok(Place::Memory(memory))
            }
        }
    }

    /// Converts the offset from words to half-words.
    pub(super) fn count_in(&mut self, memory: &mut Memory, layout: Layout) {
        if memory.layout != Layout::Shared || layout != Layout::Halves {
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
    pub(super) fn both(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
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
    pub(super) fn integer_compare(&mut self, op: WordCompare, a: &Scalar, b: &Scalar) -> Scalar {
        if let (&Scalar::Known(a), &Scalar::Known(b)) = (a, b) {
            return Scalar::Known(crate::arithmetic::word_compare(op, a, b).into());
        }
        if a.is_same()
            && b.is_same()
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
        memory: &mut Memory,
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
            (None, Base::Chosen(chosen)) => {
                self.elements_of(&Scalar::Lanes(chosen.words), memory, stride)?
            }
            (None, _) => return unsupported("a runtime-sized array outside of a buffer"),
        };
        memory.checks.push(Check {
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
    pub(super) fn runtime_length(
        &mut self,
        buffer: Extent,
        array: &Memory,
        stride: Bytes,
    ) -> Result<Value> {
        let key = (buffer, array.fixed, stride);
        if let Some(known) = self.lengths.get(&key) {
            return Ok(*known);
        }
        let words = self.words_of(buffer);
        let is_early = matches!(buffer, Extent::Buffer(_));
        // A length from the bindings is uniform for the whole run: it is computed once, in the first block.
        let block = match is_early {
            true => std::mem::replace(&mut self.block, crate::ir::Function::ENTRY),
            false => self.block,
        };
        let length = self.elements_of(&Scalar::Word(words), array, stride);
        let length = length.map(|it| self.word(&it).unwrap_or(words));
        self.block = block;
        let length = length?;
        if is_early {
            self.lengths.insert(key, length);
        }
        Ok(length)
    }

    /// The word count of a buffer.
    pub(super) fn words_of(&mut self, buffer: Extent) -> Value {
        match buffer {
            Extent::Buffer(number) => self.emit_early(Op::Length(number), &[], Type::Word),
            Extent::Words(words) => words,
        }
    }

    /// The length of a runtime-sized array in a buffer of `words` words. A count of half-words fits a word, since
    /// no binding is larger than [`MAX_BINDING_SIZE`](anywarp_program::units::MAX_BINDING_SIZE).
    pub(super) fn elements_of(
        &mut self,
        words: &Scalar,
        array: &Memory,
        stride: Bytes,
    ) -> Result<Scalar> {
        let units = match array.layout {
            Layout::Halves => self.add(words, words),
            Layout::Shared | Layout::Packed => words.clone(),
        };
        let start = Scalar::Known(array.layout.units(array.fixed)?);
        let stride = Scalar::Known(array.layout.units(stride)?);
        // A buffer that ends before the array begins has no elements.
        let least = self.integer(WordBinary::MaxU, &units, &start);
        let rest = self.integer(WordBinary::Sub, &least, &start);
        Ok(self.integer(WordBinary::DivU, &rest, &stride))
    }

    /// Loads the value that a pointer refers to.
    pub(super) fn load(&mut self, place: &Place) -> Result<Scalars> {
        let inner = self.shapes.inner(place.shape());
        let kinds = self.shapes.kinds(&inner)?;
        match place {
            Place::Variable { id, choices, .. } => {
                let mut scalars = Scalars::new();
                for (number, kind) in kinds.iter().enumerate() {
                    scalars.push(self.load_choice(*id, choices, number as u32, *kind));
                }
                Ok(scalars)
            }
            // Both words in one atomic step.
            Place::Memory(memory) if is_wide_atomic(&inner) => {
                let nothing = [Scalar::ZERO, Scalar::ZERO];
                self.wide_atomic(memory, AtomicOp::Or, &nothing)
            }
            Place::Memory(memory) => {
                let cells = self.shapes.cells(&inner, memory.layout)?;
                self.load_cells(memory, &cells)
            }
        }
    }

    fn load_choice(
        &mut self,
        id: VariableId,
        choices: &[(u32, Option<Scalar>)],
        number: u32,
        kind: Kind,
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
    pub(super) fn choose_by(
        &mut self,
        condition: &Scalar,
        a: &Scalar,
        b: &Scalar,
        kind: Kind,
    ) -> Scalar {
        match *condition {
            Scalar::Known(0) => b.clone(),
            Scalar::Known(_) => a.clone(),
            Scalar::Word(word) if a.is_same() && b.is_same() => {
                if kind == Kind::Float {
                    let (mask, a, b) = (self.mask(condition), self.lanes(a), self.lanes(b));
                    return Scalar::Same(self.select(mask, a, b));
                }
                match (self.word(a), self.word(b)) {
                    (Some(a), Some(b)) => {
                        Scalar::Word(self.emit(Op::WordSelect, &[word, a, b], Type::Word))
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
    pub(super) fn store(&mut self, place: &Place, values: &[Scalar]) -> Result {
        match place {
            Place::Variable { id, choices, .. } => {
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
            Place::Memory(memory) => {
                let inner = self.shapes.inner(memory.shape);
                if is_wide_atomic(&inner) {
                    self.wide_atomic(memory, AtomicOp::Exchange, values)?;
                    return Ok(());
                }
                let cells = self.shapes.cells(&inner, memory.layout)?;
                self.store_cells(memory, &cells, values)
            }
        }
    }

    /// The index of each lane.
    pub(super) fn iota(&self) -> Rc<[u32]> {
        (0..self.function.lanes).collect()
    }
}

/// Whether a type is a 64-bit atomic.
fn is_wide_atomic(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Atomic(scalar) if scalar.width == 8)
}
