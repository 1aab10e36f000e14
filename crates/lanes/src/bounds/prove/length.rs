//! Run-time lengths: recognizes the number of elements that fit into a memory.
//!
//! In: a value that an index is compared with. Out: the memory whose length it is computed from, and the start and the
//! stride of the elements that it counts.

use crate::ir::{LaneBinary, Op, Space, Value, WordBinary};

use crate::bounds::extent::{BufferExtent, ENTRY_LENGTH, ENTRY_WORDS, Length};
use crate::bounds::linear::Linear;

use super::Prover;
use super::pointer::MemoryRoot;

/// Recognizes run-time lengths in expressions of at most this depth.
pub(super) const MAX_DEPTH: u32 = 8;

/// A value that is at most `(scale * length - start) / stride`, rounded down, or 0.
#[derive(Clone, Debug)]
pub(super) struct ElementCount {
    pub(super) length: Length,
    pub(super) scale: u32,
    pub(super) start: Start,
    pub(super) stride: u32,
}

/// The start of the counted elements.
#[derive(Clone, Debug)]
pub(super) enum Start {
    At(u32),
    /// At a place that is known at run time.
    Form(Linear),
}

impl Prover<'_, '_> {
    /// Recognizes the number of elements that fit into a length.
    pub(super) fn count(&self, value: Value, depth: u32) -> Option<ElementCount> {
        let flow = self.flow;
        let depth = depth.checked_sub(1)?;
        let inst = flow.definition(value)?;
        let of = |value: Value| self.count(value, depth);
        match (inst.op, &inst.operands[..]) {
            (Op::Length(number), _) => Some(ElementCount::all(Length::Buffer(number))),
            (Op::LoadWord(offset) | Op::LoadSplat(offset), &[pointer]) => {
                self.entry_length(pointer, None, offset)
            }
            (Op::Gather(offset), &[pointer, index, _]) => {
                self.entry_length(pointer, Some(index), offset)
            }
            (Op::Broadcast, &[a]) => of(a),
            (Op::ShrBy(by), &[a]) => of(a)?.divided(1 << by),
            (Op::ShlBy(1), &[a]) => of(a)?.doubled(),
            (Op::WordSelect, &[_, a, b]) | (Op::Select, &[_, a, b]) if flow.bits(b) == Some(0) => {
                of(a)
            }
            (Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)), &[a, b]) => match op {
                WordBinary::DivU => of(a)?.divided(flow.bits(b)?),
                WordBinary::ShrU => of(a)?.divided(1u32.checked_shl(flow.bits(b)?)?),
                WordBinary::Shl if flow.bits(b) == Some(1) => of(a)?.doubled(),
                WordBinary::Add if flow.resolve(a) == flow.resolve(b) => of(a)?.doubled(),
                WordBinary::MinU => of(a).or_else(|| of(b)),
                WordBinary::Add | WordBinary::Sub => self.max_less_start(value, depth),
                _ => None,
            },
            _ => None,
        }
    }

    /// Recognizes `max(a, start) - start`.
    fn max_less_start(&self, value: Value, depth: u32) -> Option<ElementCount> {
        let flow = self.flow;
        let form = self.forms.linear(value);
        let largest = |value: Value| {
            let inst = flow.definition(value)?;
            match (inst.op, &inst.operands[..]) {
                (
                    Op::WordBinary(WordBinary::MaxU)
                    | Op::Binary(LaneBinary::Int(WordBinary::MaxU)),
                    &[a, b],
                ) => Some((a, b)),
                _ => None,
            }
        };
        form.terms.iter().find_map(|&(term, coefficient)| {
            let (a, b) = largest(term).filter(|_| coefficient == 1)?;
            let start = self.forms.linear(b);
            let mut remainder = form.clone();
            remainder.add(&start, 1);
            // Recursion only for a match, which only one of the terms can be.
            let count = remainder.is_term(term).then(|| self.count(a, depth))??;
            let is_whole = matches!(count.start, Start::At(0)) && count.stride == 1;
            let start = match start.as_constant() {
                Some(start) => Start::At(start),
                None => Start::Form(start),
            };
            is_whole.then_some(ElementCount { start, ..count })
        })
    }

    /// The length in an entry of an array of bindings.
    fn entry_length(
        &self,
        pointer: Value,
        index: Option<Value>,
        offset: i32,
    ) -> Option<ElementCount> {
        let target = self
            .target(pointer)
            .filter(|target| target.exists.is_none())?;
        let MemoryRoot::Space(Space::Buffer(number)) = target.root else {
            return None;
        };
        let BufferExtent::Entries(_) = self.extents.buffers.get(number as usize)? else {
            return None;
        };
        let mut form = self.entry_form(&target, offset);
        if let Some(index) = index {
            form.add(&self.forms.linear(index), 1);
        }
        form.add(&self.forms.constant(ENTRY_LENGTH), u32::MAX);
        let is_start = |number: u32| number.is_multiple_of(ENTRY_WORDS);
        let is_aligned = form.terms.iter().all(|term| is_start(term.1))
            && form.constants.iter().all(|constant| is_start(*constant));
        is_aligned.then(|| ElementCount::all(Length::Entry(number, form)))
    }
}

impl ElementCount {
    fn all(length: Length) -> Self {
        Self {
            length,
            scale: 1,
            start: Start::At(0),
            stride: 1,
        }
    }

    /// The count with a stride of at least a factor: if necessary, of the same elements in 16-bit units.
    pub(super) fn scaled(self, factor: u32) -> Option<Self> {
        if factor <= self.stride {
            return Some(self);
        }
        let is_double = factor <= self.stride.checked_mul(2)? && self.scale == 1;
        let start = match self.start {
            Start::At(start) => Start::At(start.checked_mul(2)?),
            Start::Form(_) => return None,
        };
        is_double.then_some(Self {
            scale: 2,
            stride: 2 * self.stride,
            start,
            ..self
        })
    }

    fn divided(self, by: u32) -> Option<Self> {
        let stride = self.stride.checked_mul(by)?;
        (by > 0).then_some(Self { stride, ..self })
    }

    fn doubled(self) -> Option<Self> {
        let is_whole = matches!(self.start, Start::At(0)) && self.stride == 1 && self.scale == 1;
        is_whole.then_some(Self { scale: 2, ..self })
    }
}
