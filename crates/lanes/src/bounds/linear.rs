//! Linear forms of integers: a sum of values times constants, plus a constant per lane, modulo 2^32.
//!
//! In: a word or a vector of lanes. Out: its linear form over values that are not sums themselves. Two values with the
//! same form are equal, however passes have reassociated them. A broadcast has the form of its word.

use smallvec::SmallVec;

use crate::ir::{LaneBinary, Op, Value, WordBinary};

use super::flow::Flow;

/// Instructions that one query visits; deeper operands become terms.
const FUEL: u32 = 48;

/// `sum of terms + constants`, modulo 2^32. A word has the same constant in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Values and their coefficients, ordered by value; no coefficient is 0.
    pub(super) terms: SmallVec<[(Value, u32); 4]>,
    /// A constant for each lane.
    pub(super) constants: SmallVec<[u32; 16]>,
}

impl Linear {
    pub(super) fn coefficient(&self, value: Value) -> u32 {
        let found = self.terms.iter().find(|it| it.0 == value);
        found.map_or(0, |it| it.1)
    }

    /// The constant of every lane, if they are equal and there are no terms.
    pub(super) fn as_constant(&self) -> Option<u32> {
        let first = self.constants[0];
        let is_constant = self.terms.is_empty() && self.constants.iter().all(|it| *it == first);
        is_constant.then_some(first)
    }

    /// Whether every lane has the same value, given which terms are vectors.
    pub(super) fn is_uniform(&self, is_vector: impl Fn(Value) -> bool) -> bool {
        let first = self.constants[0];
        self.constants.iter().all(|it| *it == first) && !self.terms.iter().any(|it| is_vector(it.0))
    }

    /// Adds a multiple of another form.
    pub(super) fn add(&mut self, other: &Self, factor: u32) {
        for &(value, coefficient) in &other.terms {
            let more = coefficient.wrapping_mul(factor);
            match self.terms.binary_search_by_key(&value, |it| it.0) {
                Ok(place) => {
                    let sum = self.terms[place].1.wrapping_add(more);
                    if sum == 0 {
                        self.terms.remove(place);
                    } else {
                        self.terms[place].1 = sum;
                    }
                }
                Err(place) if more != 0 => self.terms.insert(place, (value, more)),
                Err(_) => {}
            }
        }
        for (sum, constant) in self.constants.iter_mut().zip(&other.constants) {
            *sum = sum.wrapping_add(constant.wrapping_mul(factor));
        }
    }

    pub(super) fn sum(mut self, other: &Self) -> Self {
        self.add(other, 1);
        self
    }

    pub(super) fn difference(mut self, other: &Self) -> Self {
        self.add(other, u32::MAX);
        self
    }

    fn times(&self, factor: u32) -> Self {
        let mut product = Self {
            terms: SmallVec::new(),
            constants: SmallVec::from_elem(0, self.constants.len()),
        };
        product.add(self, factor);
        product
    }

    /// Whether it is exactly one value.
    pub(super) fn is_term(&self, value: Value) -> bool {
        self.terms[..] == [(value, 1)] && self.constants.iter().all(|it| *it == 0)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.as_constant() == Some(0)
    }
}

impl Flow<'_> {
    pub(super) fn constant(&self, value: u32) -> Linear {
        Linear {
            terms: SmallVec::new(),
            constants: SmallVec::from_elem(value, self.function.lanes as usize),
        }
    }

    /// The lane numbers.
    pub(super) fn iota(&self) -> Linear {
        Linear {
            terms: SmallVec::new(),
            constants: (0..self.function.lanes).collect(),
        }
    }

    fn term(&self, value: Value) -> Linear {
        Linear {
            terms: SmallVec::from_slice(&[(value, 1)]),
            ..self.constant(0)
        }
    }

    /// The linear form of a word or a vector of lanes.
    pub(super) fn linear(&self, value: Value) -> Linear {
        self.linear_with(value, &mut { FUEL })
    }

    fn linear_with(&self, value: Value, fuel: &mut u32) -> Linear {
        let value = self.resolve(value);
        let Some(rest) = fuel.checked_sub(1) else {
            return self.term(value);
        };
        *fuel = rest;
        let Some(inst) = self.definition(value) else {
            return self.term(value);
        };
        let operands = &inst.operands[..];
        match (inst.op, operands) {
            (Op::Word(bits) | Op::Splat(bits), _) => self.constant(bits),
            (Op::Pattern(id), _) => Linear {
                terms: SmallVec::new(),
                constants: SmallVec::from_slice(&self.function.patterns[id.0 as usize]),
            },
            (Op::Broadcast, &[word]) => self.linear_with(word, fuel),
            (Op::ShlBy(by), &[a]) => self.linear_with(a, fuel).times(1 << by),
            (
                Op::WordBinary(op @ (WordBinary::Add | WordBinary::Sub))
                | Op::Binary(LaneBinary::Int(op @ (WordBinary::Add | WordBinary::Sub))),
                &[a, b],
            ) => {
                let (a, b) = (self.linear_with(a, fuel), self.linear_with(b, fuel));
                if op == WordBinary::Add {
                    a.sum(&b)
                } else {
                    a.difference(&b)
                }
            }
            (
                Op::WordBinary(op @ (WordBinary::Mul | WordBinary::Shl))
                | Op::Binary(LaneBinary::Int(op @ (WordBinary::Mul | WordBinary::Shl))),
                &[a, b],
            ) => {
                let (a, b) = (self.linear_with(a, fuel), self.linear_with(b, fuel));
                match (op, a.as_constant(), b.as_constant()) {
                    (WordBinary::Shl, _, Some(by)) => a.times(1 << (by % 32)),
                    (WordBinary::Mul, _, Some(factor)) => a.times(factor),
                    (WordBinary::Mul, Some(factor), _) => b.times(factor),
                    _ => self.term(value),
                }
            }
            _ => self.term(value),
        }
    }
}
