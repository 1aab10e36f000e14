//! Affine indices: sums of words times constants, a constant, and a constant stride times the lane number.

use smallvec::SmallVec;

use crate::ir::{Function, LaneBinary, Op, Value, WordBinary};
use crate::pass::value_def::{ValueDef, definition};

/// The maximum depth of index expressions that are analyzed.
const MAX_DEPTH: u32 = 8;

/// The most words of an affine index.
const MAX_WORDS: usize = 3;

/// The index `sum of words times their factors + constant + stride * lane`, modulo 2^32.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AffineForm {
    /// Words and their factors, sorted by word; each word once.
    pub(super) words: SmallVec<[(Value, u32); MAX_WORDS]>,
    pub(super) constant: u32,
    pub(super) stride: u32,
}

impl AffineForm {
    fn constant(constant: u32) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    fn is_constant(&self) -> bool {
        self.words.is_empty() && self.stride == 0
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        for &(word, factor) in &other.words {
            match self.words.iter_mut().find(|known| known.0 == word) {
                Some(known) => known.1 = known.1.wrapping_add(factor),
                None => self.words.push((word, factor)),
            }
        }
        self.words.sort_unstable();
        self.constant = self.constant.wrapping_add(other.constant);
        self.stride = self.stride.wrapping_add(other.stride);
        (self.words.len() <= MAX_WORDS).then_some(self)
    }

    fn times(mut self, factor: u32) -> Self {
        for (_, own) in &mut self.words {
            *own = own.wrapping_mul(factor);
        }
        self.constant = self.constant.wrapping_mul(factor);
        self.stride = self.stride.wrapping_mul(factor);
        self
    }

    fn product(self, other: Self) -> Option<Self> {
        match (self.is_constant(), other.is_constant()) {
            (_, true) => Some(self.times(other.constant)),
            (true, _) => Some(other.times(self.constant)),
            _ => None,
        }
    }

    /// Whether two indices have no element in common, in any lanes. The stride is a power of two, so that divisibility
    /// is preserved modulo 2^32.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        let is_even = self.stride.is_power_of_two() && self.stride == other.stride;
        let distance = self.constant.wrapping_sub(other.constant);
        is_even && self.words == other.words && !distance.is_multiple_of(self.stride)
    }
}

/// Analyzes values under the assumption that a word has a known value.
pub(super) struct AffineAnalysis<'a> {
    pub(super) function: &'a Function,
    pub(super) value_defs: &'a [ValueDef],
    pub(super) word: Value,
    pub(super) number: u32,
}

impl AffineAnalysis<'_> {
    /// The affine form of lanes.
    pub(super) fn lanes(&self, value: Value) -> Option<AffineForm> {
        self.lanes_in(value, MAX_DEPTH)
    }

    fn parts(&self, value: Value) -> Option<(Op, &[Value])> {
        let inst = definition(self.function, self.value_defs, value)?;
        Some((inst.op, &inst.operands))
    }

    fn lanes_in(&self, value: Value, depth: u32) -> Option<AffineForm> {
        let depth = depth.checked_sub(1)?;
        let of = |value| self.lanes_in(value, depth);
        match self.parts(value)? {
            (Op::Splat(bits), _) => Some(AffineForm::constant(bits)),
            (Op::Pattern(id), _) => arithmetic_sequence(&self.function.patterns[id.0 as usize]),
            (Op::Broadcast, &[word]) => self.word_in(word, depth),
            (Op::ShlBy(by), &[a]) => Some(of(a)?.times(1 << by)),
            (Op::Binary(LaneBinary::Int(op)), &[a, b]) => match op {
                WordBinary::Add => of(a)?.plus(&of(b)?),
                WordBinary::Sub => of(a)?.plus(&of(b)?.times(u32::MAX)),
                WordBinary::Mul => of(a)?.product(of(b)?),
                _ => None,
            },
            _ => None,
        }
    }

    /// The affine form of a word. Sums with constants are followed, so that adjacent indices are recognized.
    fn word_in(&self, word: Value, depth: u32) -> Option<AffineForm> {
        let itself = || AffineForm {
            words: SmallVec::from_slice(&[(word, 1)]),
            ..AffineForm::default()
        };
        if word == self.word {
            return Some(AffineForm::constant(self.number));
        }
        let (Some(depth), Some(parts)) = (depth.checked_sub(1), self.parts(word)) else {
            return Some(itself());
        };
        match parts {
            (Op::Word(bits), _) => Some(AffineForm::constant(bits)),
            (Op::WordBinary(WordBinary::Add), &[a, b]) => {
                let sum = self.word_in(a, depth)?.plus(&self.word_in(b, depth)?);
                Some(sum.unwrap_or_else(itself))
            }
            _ => Some(itself()),
        }
    }
}

/// The affine form of a pattern that is an arithmetic sequence.
fn arithmetic_sequence(words: &[u32]) -> Option<AffineForm> {
    let stride = words[1].wrapping_sub(words[0]);
    let mut pairs = words.iter().zip(&words[1..]);
    let is_even = pairs.all(|(one, next)| one.wrapping_add(stride) == *next);
    is_even.then(|| AffineForm {
        constant: words[0],
        stride,
        ..AffineForm::default()
    })
}
