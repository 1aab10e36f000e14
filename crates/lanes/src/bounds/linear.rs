//! Linear forms of integers: a sum of values times constants, plus a constant per lane, modulo 2^32.
//!
//! In: a word or a vector of lanes. Out: its linear form over values that are not sums themselves. Two values with the
//! same form are equal, however passes have reassociated them. A broadcast has the form of its word.

use std::cell::RefCell;

use anywarp_program::work::Meter;
use smallvec::SmallVec;

use crate::ir::{LaneBinary, Op, Value, WordBinary};
use crate::pass::hash::Map;

use super::flow::Flow;

/// Terms of one form; a longer sum becomes a term itself, so that the time stays linear.
const MAX_TERMS: usize = 16;

/// `sum of terms + constants`, modulo 2^32. A word has the same constant in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Values and their coefficients, ordered by value; no coefficient is 0.
    pub(super) terms: SmallVec<[(Value, u32); 4]>,
    /// A constant for each lane.
    pub(super) constants: SmallVec<[u32; 16]>,
}

/// The linear forms of a function's values, each computed once.
pub(super) struct LinearForms<'a, 'f> {
    pub(super) flow: &'a Flow<'f>,
    meter: &'a Meter,
    known: RefCell<Map<Value, Linear>>,
}

/// Multiples of operands, plus a constant for each lane.
struct WeightedSum {
    summands: SmallVec<[(Value, u32); 2]>,
    constants: Linear,
}

impl Linear {
    pub(super) fn coefficient(&self, value: Value) -> u32 {
        let found = self.terms.iter().find(|term| term.0 == value);
        found.map_or(0, |term| term.1)
    }

    /// The constant of every lane, if they are equal and there are no terms.
    pub(super) fn as_constant(&self) -> Option<u32> {
        let first = self.constants[0];
        let is_constant =
            self.terms.is_empty() && self.constants.iter().all(|constant| *constant == first);
        is_constant.then_some(first)
    }

    /// Whether every lane has the same value, given which terms are vectors.
    pub(super) fn is_uniform(&self, is_vector: impl Fn(Value) -> bool) -> bool {
        let first = self.constants[0];
        self.constants.iter().all(|constant| *constant == first)
            && !self.terms.iter().any(|term| is_vector(term.0))
    }

    /// Adds a multiple of another form.
    pub(super) fn add(&mut self, other: &Self, factor: u32) {
        for &(value, coefficient) in &other.terms {
            let more = coefficient.wrapping_mul(factor);
            match self.terms.binary_search_by_key(&value, |term| term.0) {
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

    /// Whether it is exactly one value.
    pub(super) fn is_term(&self, value: Value) -> bool {
        self.terms[..] == [(value, 1)] && self.constants.iter().all(|constant| *constant == 0)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.as_constant() == Some(0)
    }
}

impl<'a, 'f> LinearForms<'a, 'f> {
    pub(super) fn new(flow: &'a Flow<'f>, meter: &'a Meter) -> Self {
        let known = RefCell::default();
        Self { flow, meter, known }
    }

    /// The forms in which some values are terms, whatever they are sums of.
    pub(super) fn with_terms(&self, terms: impl Iterator<Item = Value>) -> Self {
        let terms = terms.map(|value| (value, self.term(value)));
        Self {
            known: RefCell::new(terms.collect()),
            ..*self
        }
    }

    pub(super) fn constant(&self, value: u32) -> Linear {
        Linear {
            terms: SmallVec::new(),
            constants: SmallVec::from_elem(value, self.flow.function.lanes as usize),
        }
    }

    /// The lane numbers.
    pub(super) fn iota(&self) -> Linear {
        Linear {
            terms: SmallVec::new(),
            constants: (0..self.flow.function.lanes).collect(),
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
        let value = self.flow.resolve(value);
        let mut forms = self.known.borrow_mut();
        // Post-order over the operands, without recursion: sums may be as long as a function.
        let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(&[value]);
        while let Some(&at) = open.last() {
            if forms.contains_key(&at) {
                open.pop();
                continue;
            }
            // Over the budget, values are terms, which proves less.
            let sum = self.meter.tick(1).ok().and_then(|()| self.sum(at));
            let Some(sum) = sum else {
                forms.insert(at, self.term(at));
                continue;
            };
            let is_open = |summand: &&(Value, u32)| !forms.contains_key(&summand.0);
            let missing = sum.summands.iter().filter(is_open).map(|summand| summand.0);
            let before = open.len();
            open.extend(missing);
            if open.len() == before {
                let mut form = sum.constants;
                for (operand, factor) in sum.summands {
                    form.add(&forms[&operand], factor);
                }
                if form.terms.len() > MAX_TERMS {
                    form = self.term(at);
                }
                forms.insert(at, form);
            }
        }
        forms[&value].clone()
    }

    /// The sum of multiples of operands that an instruction computes; `None` if it computes something else.
    fn sum(&self, value: Value) -> Option<WeightedSum> {
        let inst = self.flow.definition(value)?;
        let of = |summands: &[(Value, u32)]| {
            let resolved = summands
                .iter()
                .map(|summand| (self.flow.resolve(summand.0), summand.1));
            Some(WeightedSum {
                summands: resolved.collect(),
                constants: self.constant(0),
            })
        };
        match (inst.op, &inst.operands[..]) {
            (Op::Word(bits) | Op::Splat(bits), _) => Some(WeightedSum {
                summands: SmallVec::new(),
                constants: self.constant(bits),
            }),
            (Op::Pattern(id), _) => Some(WeightedSum {
                summands: SmallVec::new(),
                constants: Linear {
                    terms: SmallVec::new(),
                    constants: SmallVec::from_slice(&self.flow.function.patterns[id.0 as usize]),
                },
            }),
            (Op::Broadcast, &[word]) => of(&[(word, 1)]),
            (Op::ShlBy(by), &[a]) => of(&[(a, 1 << by)]),
            (Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)), &[a, b]) => match op {
                WordBinary::Add => of(&[(a, 1), (b, 1)]),
                WordBinary::Sub => of(&[(a, 1), (b, u32::MAX)]),
                WordBinary::Shl => of(&[(a, 1 << (self.flow.bits(b)? % 32))]),
                WordBinary::Mul => match (self.flow.bits(a), self.flow.bits(b)) {
                    (_, Some(factor)) => of(&[(a, factor)]),
                    (Some(factor), _) => of(&[(b, factor)]),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}
