//! Binding arrays: one of several buffers, selected by an index.
//!
//! A `binding_array` is a buffer of entries ([`BufferEntry`](crate::ir::BufferEntry)), one for each bound buffer,
//! followed by one entry of zero words. With a uniform index, the entry gives the base pointer. With a varying
//! index, a waterfall loop accesses one buffer per iteration, for the lanes that selected it.
//!
//! What always holds: an index that is out of bounds selects the last, empty entry, so every access in it is out of
//! bounds.

use naga::TypeInner;

use crate::ir::{
    AtomicScope, Edge, LaneCompare, LaneUnary, MaskBinary, Op, Terminator, Type, Value, WordBinary,
    WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::{ScalarType, Shape};
use crate::lower::memory::reference::{Base, BoundsCheck, Extent, Lvalue, MemoryRef};

/// Words of an entry.
const ENTRY_WORDS: u32 = 4;

/// Word offset of a buffer's word count in its entry.
const COUNT: i32 = 2;

/// A buffer that is selected lane by lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct SelectedBuffers {
    /// The buffer of entries.
    table: Value,
    /// The number of buffers, a word.
    count: Value,
    /// The entry selected by each lane, at most the count.
    number: Value,
    /// The word count of each lane's buffer.
    pub(in crate::lower) words: Value,
}

impl Lowering<'_> {
    /// An element of a binding array, which is a buffer.
    pub(in crate::lower) fn bound_element(
        &mut self,
        memory: MemoryRef,
        array: &TypeInner,
        index: &Scalar,
    ) -> Result<Lvalue> {
        let (
            Base::Shared {
                pointer: table,
                buffer: Some(extent),
                ..
            },
            &TypeInner::BindingArray { base: ty, .. },
        ) = (memory.base, array)
        else {
            return unsupported("an array of bindings that is not bound");
        };
        let words = Scalar::Word(self.words_of(extent));
        let count = self.integer(WordBinary::ShrU, &words, &Scalar::Known(2));
        let Some(count) = self.word(&count) else {
            return unsupported("an array of bindings without a length");
        };
        let number = self.integer(WordBinary::MinU, index, &Scalar::Word(count));
        let memory = MemoryRef {
            shape: Shape::Handle(ty),
            ..memory
        };
        if number.is_uniform()
            && let Some(number) = self.word(&number)
        {
            return Ok(Lvalue::Memory(
                self.buffer_of(table, count, number, &memory),
            ));
        }
        let number = self.lanes(&number);
        let entry = self.splat(ENTRY_WORDS);
        let entry = self.int(WordBinary::Mul, number, entry);
        let all = self.full_mask();
        let words = self.emit(Op::Gather(COUNT), &[table, entry, all], Type::Lanes);
        Ok(Lvalue::Memory(MemoryRef {
            base: Base::SelectedBuffers(SelectedBuffers {
                table,
                count,
                number,
                words,
            }),
            ..memory
        }))
    }

    /// A location in one buffer of a binding array.
    fn buffer_of(
        &mut self,
        table: Value,
        count: Value,
        number: Value,
        memory: &MemoryRef,
    ) -> MemoryRef {
        let entry = Scalar::Known(ENTRY_WORDS);
        let entry = self.integer(WordBinary::Mul, &Scalar::Word(number), &entry);
        let entry = match self.word(&entry) {
            Some(offset) => self.emit(Op::Advance, &[table, offset], Type::Pointer),
            None => table,
        };
        let pointer = self.emit(Op::LoadPointer(0), &[entry], Type::Pointer);
        let words = self.emit(Op::LoadWord(COUNT), &[entry], Type::Word);
        let mut memory = memory.clone();
        memory.base = Base::Shared {
            pointer,
            sharing: AtomicScope::Threads,
            buffer: Some(Extent::Words(words)),
        };
        memory.checks.push(BoundsCheck {
            index: Scalar::Word(number),
            limit: Scalar::Word(count),
            stride: None,
        });
        memory
    }

    /// Waterfall loop: accesses memory for each distinct buffer in turn, with the lanes that selected it. Returns
    /// the results of the accesses as lanes; 0 in inactive lanes.
    pub(in crate::lower) fn waterfall_loop(
        &mut self,
        selected: SelectedBuffers,
        memory: &MemoryRef,
        results: usize,
        mut access: impl FnMut(&mut Self, &MemoryRef) -> Result<Scalars>,
    ) -> Result<Scalars> {
        let around = self.control.exec;
        let (head, exit) = (self.function.add_block(), self.function.add_block());
        let (first, zero) = (self.exec_mask(), self.splat(0));
        let begin = std::iter::once(first).chain(std::iter::repeat_n(zero, results));
        self.end(Terminator::Jump(Edge {
            block: head,
            arguments: begin.collect(),
        }));
        self.control.block = head;
        let rest = self.function.add_parameter(head, Type::Mask);
        let mut accumulated = Vec::with_capacity(results);
        for _ in 0..results {
            accumulated.push(self.function.add_parameter(head, Type::Lanes));
        }
        let number = self.of_first_lane(rest, selected.number);
        // It is at most the count already, but the bounds verifier does not see through the permutation.
        let number = self.word_binary(WordBinary::MinU, number, selected.count);
        let same = self.emit(Op::Broadcast, &[number], Type::Lanes);
        let is_here = LaneCompare::Int(WordCompare::Eq);
        let here = self.compare(is_here, selected.number, same);
        let here = self.mask_binary(MaskBinary::And, here, rest);
        self.control.exec = Some(here);
        let place = self.buffer_of(selected.table, selected.count, number, memory);
        let loaded = access(self, &place)?;
        for (accumulated, loaded) in accumulated.iter_mut().zip(&loaded) {
            let merged = self.choose(here, loaded, &Scalar::Lanes(*accumulated), ScalarType::Uint);
            *accumulated = self.lanes(&merged);
        }
        let rest = self.mask_binary(MaskBinary::AndNot, rest, here);
        let back_edge = std::iter::once(rest).chain(accumulated.iter().copied());
        let back_edge = Edge {
            block: head,
            arguments: back_edge.collect(),
        };
        let done = Edge {
            block: exit,
            arguments: accumulated,
        };
        self.end(Terminator::Branch(rest, back_edge, done));
        self.control.block = exit;
        self.control.exec = around;
        let mut scalars = Scalars::new();
        for _ in 0..results {
            let result = self.function.add_parameter(exit, Type::Lanes);
            scalars.push(Scalar::Lanes(result));
        }
        Ok(scalars)
    }

    /// Performs an atomic operation on each lane's buffer. Returns the old values.
    pub(in crate::lower) fn waterfall_atomic(
        &mut self,
        selected: SelectedBuffers,
        memory: &MemoryRef,
        mut change: impl FnMut(&mut Self, &MemoryRef) -> Result<Value>,
    ) -> Result<Value> {
        let old = self.waterfall_loop(selected, memory, 1, |lowering, memory| {
            Ok(Scalars::from_iter([Scalar::Lanes(change(
                lowering, memory,
            )?)]))
        })?;
        Ok(self.lanes(&old[0]))
    }

    /// The value of the first lane of a mask; if the mask is empty, that of any lane.
    fn of_first_lane(&mut self, mask: Value, lanes: Value) -> Value {
        let bits = self.emit(Op::Ballot, &[mask], Type::Word);
        let zero = self.word_const(0);
        let minus = self.word_binary(WordBinary::Sub, zero, bits);
        let lowest = self.word_binary(WordBinary::And, bits, minus);
        let lowest = self.emit(Op::Broadcast, &[lowest], Type::Lanes);
        let zeros = self.emit(Op::Unary(LaneUnary::LeadingZeros), &[lowest], Type::Lanes);
        let last = self.splat(31);
        let lane = self.int(WordBinary::Sub, last, zeros);
        let first = self.emit(Op::Permute, &[lanes, lane], Type::Lanes);
        self.emit(Op::Extract(0), &[first], Type::Word)
    }
}
