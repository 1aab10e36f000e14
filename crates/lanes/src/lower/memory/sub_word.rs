//! Scalars in host-shareable memory, where two 16-bit numbers share a word (sub-word accesses).
//!
//! What always holds: a half-word that is not written keeps its value, even if another lane or thread writes it at
//! the same time. Rows are limited by the words of their buffer, whatever the mask is. The index of a half-word
//! that exists is below 2^31 ([`MAX_BINDING_SIZE`](anywarp_program::units::MAX_BINDING_SIZE)), so an arithmetic shift
//! gives its word; for half-words before the first one it gives an index that wraps, and the first lanes of its row
//! are out of bounds.

use anywarp_program::units::Bytes;

use crate::ir::{MaskBinary, Op, Row, Type, Value, WordBinary, WordCompare};

use crate::lower::Lowering;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::access::counts_from;
use crate::lower::memory::layout::{MemoryLayout, ScalarEncoding, ScalarPosition, ScalarType};
use crate::lower::memory::reference::{Base, Extent, MemoryRef};

/// Consecutive words, each written by a pair of lanes.
struct PairRow {
    pointer: Value,
    /// The index of the first word.
    start: Value,
    /// The word count of the buffer.
    limit: Value,
    /// All lanes if the first half-word is the low half of a word, otherwise none.
    is_even: Value,
}

impl Lowering<'_> {
    pub(in crate::lower) fn load_scalars_at(
        &mut self,
        memory: &MemoryRef,
        positions: &[ScalarPosition],
    ) -> Result<Scalars> {
        match memory.layout {
            MemoryLayout::Halves => self.load_halves(memory, positions),
            MemoryLayout::Shared | MemoryLayout::Packed => self.load_words(memory, positions),
        }
    }

    /// Loads every word once and extracts the scalars.
    fn load_words(&mut self, memory: &MemoryRef, positions: &[ScalarPosition]) -> Result<Scalars> {
        let mut offsets: Vec<u32> = Vec::with_capacity(positions.len());
        let mut kinds = Vec::with_capacity(positions.len());
        for position in positions {
            let at = MemoryLayout::Shared.units(position.at)?;
            if offsets.last() != Some(&at) {
                offsets.push(at);
                kinds.push(match position.code {
                    ScalarEncoding::Word(kind) => kind,
                    ScalarEncoding::Half(_) => ScalarType::Uint,
                });
            }
        }
        let words = self.load_memory(memory, &offsets, &kinds)?;
        let mut scalars = Scalars::new();
        let mut word = 0;
        for position in positions {
            if offsets[word] != MemoryLayout::Shared.units(position.at)? {
                word += 1;
            }
            scalars.push(match position.code {
                ScalarEncoding::Word(_) => words[word].clone(),
                ScalarEncoding::Half(number) => {
                    let shift = Scalar::Known(if position.at.is_whole_words() { 0 } else { 16 });
                    self.half_in(number, &words[word], &shift)
                }
            });
        }
        Ok(scalars)
    }

    /// The 16-bit number at a bit offset in a word.
    fn half_in(&mut self, number: Number, word: &Scalar, shift: &Scalar) -> Scalar {
        let low = self.integer(WordBinary::ShrU, word, shift);
        match number {
            Number::F16 => self.half_from_bits(&low),
            _ => self.extended(number, &low),
        }
    }

    /// Loads 16-bit numbers whose position in their word may be unknown.
    fn load_halves(&mut self, memory: &MemoryRef, positions: &[ScalarPosition]) -> Result<Scalars> {
        let mut scalars = Scalars::new();
        for position in positions {
            let ScalarEncoding::Half(number) = position.code else {
                return unsupported("a word at half of one");
            };
            let fixed = Scalar::Known(MemoryLayout::Halves.units(memory.fixed + position.at)?);
            let index = self.add(&memory.index, &fixed);
            let odd = self.integer(WordBinary::And, &index, &Scalar::Known(1));
            let shift = self.integer(WordBinary::Shl, &odd, &Scalar::Known(4));
            let word = match self.load_row_of_halves(memory, &index) {
                Some(word) => word,
                None => self.load_word_of(memory, &index)?,
            };
            scalars.push(self.half_in(number, &word, &shift));
        }
        Ok(scalars)
    }

    /// Loads the word that contains a half-word.
    fn load_word_of(&mut self, memory: &MemoryRef, half: &Scalar) -> Result<Scalar> {
        let mut word = memory.clone();
        word.layout = MemoryLayout::Shared;
        word.index = self.integer(WordBinary::ShrU, half, &Scalar::Known(1));
        word.fixed = Bytes(0);
        // Two lanes may access the same word, so the words are not a row.
        word.checks.iter_mut().for_each(|check| check.stride = None);
        let words = self.load_memory(&word, &[0], &[ScalarType::Uint])?;
        Ok(words[0].clone())
    }

    /// Loads the words of consecutive half-words as a row; `None` if they are not consecutive.
    fn load_row_of_halves(&mut self, memory: &MemoryRef, half: &Scalar) -> Option<Scalar> {
        let Base::Shared {
            pointer,
            buffer: Some(buffer),
            ..
        } = memory.base
        else {
            return None;
        };
        let first = self.first_of_row(half)?;
        let start = self.integer(WordBinary::ShrS, &first, &Scalar::Known(1));
        let start = self.word(&start)?;
        let limit = self.words_of(buffer);
        let row = Op::LoadRow(Row::limited(0));
        let row = self.emit(row, &[pointer, start, limit], Type::Lanes);
        let odd = self.integer(WordBinary::And, &first, &Scalar::Known(1));
        let iota = Scalar::Affine(None, self.iota());
        let from = self.add(&odd, &iota);
        let from = self.integer(WordBinary::ShrU, &from, &Scalar::Known(1));
        let from = self.lanes(&from);
        let words = self.emit(Op::Permute, &[row, from], Type::Lanes);
        let exists = self.exists(memory.checks.iter());
        let (words, zero) = (Scalar::Lanes(words), Scalar::ZERO);
        Some(self.choose_by(&exists, &words, &zero, ScalarType::Uint))
    }

    pub(in crate::lower) fn store_scalars_at(
        &mut self,
        memory: &MemoryRef,
        positions: &[ScalarPosition],
        values: &[Scalar],
    ) -> Result {
        if let Base::SelectedBuffers(selected) = memory.base {
            self.waterfall_loop(selected, memory, 0, |lowering, memory| {
                lowering.store_scalars_at(memory, positions, values)?;
                Ok(Scalars::new())
            })?;
            return Ok(());
        }
        let (mut offsets, mut words) = (Vec::new(), Scalars::new());
        let mut halves_left: Vec<(ScalarPosition, Value)> = Vec::new();
        let mut next_index = 0;
        while let Some(&position) = positions.get(next_index) {
            let value = &values[next_index];
            next_index += 1;
            let ScalarEncoding::Half(number) = position.code else {
                offsets.push(MemoryLayout::Shared.units(position.at)?);
                words.push(value.clone());
                continue;
            };
            let low = self.half_of(number, value);
            let next = positions.get(next_index).copied();
            match next {
                // Both halves of a word are stored.
                Some(ScalarPosition {
                    at,
                    code: ScalarEncoding::Half(number),
                }) if memory.layout == MemoryLayout::Shared
                    && position.at.is_whole_words()
                    && at == position.at + Bytes(2) =>
                {
                    let high = self.half_of(number, &values[next_index]);
                    next_index += 1;
                    let low = self.integer(WordBinary::And, &low, &Scalar::Known(0xffff));
                    let high = self.integer(WordBinary::Shl, &high, &Scalar::Known(16));
                    offsets.push(MemoryLayout::Shared.units(position.at)?);
                    words.push(self.integer(WordBinary::Or, &low, &high));
                }
                _ => halves_left.push((position, self.lanes(&low))),
            }
        }
        if !words.is_empty() {
            self.store_memory(memory, &offsets, &words)?;
        }
        if halves_left.is_empty() {
            Ok(())
        } else {
            self.store_halves(memory, halves_left)
        }
    }

    /// Stores 16-bit numbers whose words keep their other half.
    fn store_halves(&mut self, memory: &MemoryRef, values: Vec<(ScalarPosition, Value)>) -> Result {
        let mut halves = memory.clone();
        self.count_in(&mut halves, MemoryLayout::Halves);
        let Base::Shared {
            pointer,
            buffer: Some(buffer),
            ..
        } = halves.base
        else {
            return unsupported("halves of words outside a buffer");
        };
        let access = self.lane_access(pointer, &halves)?;
        for (position, value) in values {
            let offset = MemoryLayout::Halves.units(halves.fixed + position.at)?;
            let half = self.add(&halves.index, &Scalar::Known(offset));
            let first = self.first_of_row(&half);
            let mask = match first.and_then(|first| self.row_of_pairs(pointer, buffer, &first)) {
                Some(row) => self.store_pairs(&row, value, access.mask),
                None => access.mask,
            };
            let op = Op::ScatterHalves(offset.cast_signed());
            self.effect(op, &[pointer, access.index, value, mask]);
        }
        Ok(())
    }

    /// The first of numbers that increase by one from lane to lane; `None` if they do not.
    pub(in crate::lower) fn first_of_row(&mut self, number: &Scalar) -> Option<Scalar> {
        let Scalar::Affine(base, pattern) = number else {
            return None;
        };
        let first = Scalar::Known(counts_from(pattern)?);
        let base = base.map_or(Scalar::ZERO, Scalar::Word);
        Some(self.add(&base, &first))
    }

    /// The words that contain the consecutive half-words from `first` on.
    fn row_of_pairs(&mut self, pointer: Value, buffer: Extent, first: &Scalar) -> Option<PairRow> {
        let start = self.integer(WordBinary::ShrS, first, &Scalar::Known(1));
        // If this is odd, every half-word shares its word with one of another pair.
        let odd = self.integer(WordBinary::And, first, &Scalar::Known(1));
        let is_even = self.integer_compare(WordCompare::Eq, &odd, &Scalar::ZERO);
        Some(PairRow {
            pointer,
            start: self.word(&start)?,
            limit: self.words_of(buffer),
            is_even: self.mask(&is_even),
        })
    }

    /// Stores the words that pairs of lanes fill, as a row. Returns the lanes that still have to store their
    /// half-word.
    fn store_pairs(&mut self, row: &PairRow, halves: Value, mask: Value) -> Value {
        let lanes = self.function.lanes;
        let (even, odd) = (|lane| 2 * lane % lanes, |lane| (2 * lane + 1) % lanes);
        let are_there = self.lanes(&Scalar::Mask(mask));
        let [low, low_is_there] = [halves, are_there].map(|values| self.lanes_from(values, even));
        let [high, high_is_there] = [halves, are_there].map(|values| self.lanes_from(values, odd));
        let both = self.int(WordBinary::And, low_is_there, high_is_there);
        let both = self.mask(&Scalar::Lanes(both));
        let words = self.mask_const(u32::MAX >> (32 - lanes / 2));
        let both = self.mask_binary(MaskBinary::And, both, words);
        let both = self.mask_binary(MaskBinary::And, both, row.is_even);
        let lower = self.splat(0xffff);
        let low = self.int(WordBinary::And, low, lower);
        let high = self.emit(Op::ShlBy(16), &[high], Type::Lanes);
        let word = self.int(WordBinary::Or, low, high);
        let op = Op::StoreRow(Row {
            is_masked: true,
            ..Row::limited(0)
        });
        self.effect(op, &[row.pointer, row.start, word, row.limit, both]);
        let stored = self.lanes(&Scalar::Mask(both));
        let stored = self.lanes_from(stored, |lane| lane / 2);
        let stored = self.mask(&Scalar::Lanes(stored));
        self.without(mask, stored)
    }

    /// Permutes lanes: lane `i` gets the value of lane `from(i)`.
    fn lanes_from(&mut self, values: Value, from: impl Fn(u32) -> u32) -> Value {
        let from: Vec<u32> = (0..self.function.lanes).map(from).collect();
        let from = self.pattern(&from);
        self.emit(Op::Permute, &[values, from], Type::Lanes)
    }

    /// The bits of a 16-bit number; the upper bits are undefined.
    fn half_of(&mut self, number: Number, value: &Scalar) -> Scalar {
        match number {
            Number::F16 => self.half_bits(value),
            _ => value.clone(),
        }
    }
}
