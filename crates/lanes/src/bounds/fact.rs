//! Facts: comparisons of integers that hold where a memory access takes place.
//!
//! In: the mask of an access, the condition of its address, its limit, and the branch conditions around it. Out: facts
//! over linear forms, each valid in every lane that accesses memory.

use smallvec::SmallVec;

use crate::ir::{LaneCompare, MaskBinary, Op, Type, Value, WordBinary, WordCompare};

use super::flow::Condition;
use super::linear::{Linear, LinearForms};
use super::value_ranges::opposite;

/// The most masks and conditions that one query analyzes.
const MAX_CONDITIONS: u32 = 40;

/// A comparison that holds.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    /// A form is below a word or a vector, or equal to it.
    Below {
        form: Linear,
        limit: Value,
        is_strict: bool,
    },
    /// The difference of two forms is zero.
    Equal(Linear),
    /// A word or every accessing lane of a vector is not zero.
    Nonzero(Value),
}

/// The facts that hold where an access takes place, and the lanes that may take part.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) list: SmallVec<[Fact; 8]>,
    /// The values that facts bound from above.
    pub(super) compared: SmallVec<[Value; 8]>,
    pub(super) lanes: u32,
    pub(super) fuel: u32,
}

impl Facts {
    pub(super) fn new(lanes: u32) -> Self {
        Self {
            list: SmallVec::new(),
            compared: SmallVec::new(),
            lanes,
            fuel: MAX_CONDITIONS,
        }
    }

    /// Adds the facts of a mask: a lane of it takes part.
    pub(super) fn add_mask(&mut self, forms: &LinearForms<'_, '_>, mask: Value) {
        // Breadth first: the nearest facts are the ones that matter, and masks of nested conditions are long chains.
        let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(&[mask]);
        let mut next = 0;
        while let Some(&mask) = open.get(next) {
            next += 1;
            let (Some(rest), Some(inst)) = (self.fuel.checked_sub(1), forms.flow.definition(mask))
            else {
                continue;
            };
            self.fuel = rest;
            match (inst.op, &inst.operands[..]) {
                (Op::Mask(bits), _) => self.lanes &= bits,
                (Op::MaskBinary(MaskBinary::And), &[a, b]) => open.extend([a, b]),
                (Op::MaskBinary(MaskBinary::AndNot), &[a, b]) => {
                    open.push(a);
                    self.add_outside(forms, b);
                }
                (Op::Compare(LaneCompare::Int(op)), &[a, b]) => self.add(forms, op, a, b),
                (Op::MaskedCompare(op), &[a, b, within]) => {
                    if let LaneCompare::Int(op) = op {
                        self.add(forms, op, a, b);
                    }
                    open.push(within);
                }
                (Op::FromBallot, &[word]) => self.add_word(forms, word),
                _ => {}
            }
        }
    }

    /// Adds the facts of a mask that a lane is not in.
    fn add_outside(&mut self, forms: &LinearForms<'_, '_>, mask: Value) {
        if let Some(inst) = forms.flow.definition(mask)
            && let (Op::Compare(LaneCompare::Int(op)), &[a, b]) = (inst.op, &inst.operands[..])
        {
            let (op, a, b) = opposite(op, a, b);
            self.add(forms, op, a, b);
        }
    }

    /// Adds the facts of a word that is not zero.
    pub(super) fn add_word(&mut self, forms: &LinearForms<'_, '_>, word: Value) {
        let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(&[word]);
        let mut next = 0;
        while let Some(&word) = open.get(next) {
            next += 1;
            let Some(rest) = self.fuel.checked_sub(1) else {
                return;
            };
            self.fuel = rest;
            self.list.push(Fact::Nonzero(forms.flow.resolve(word)));
            let Some(inst) = forms.flow.definition(word) else {
                continue;
            };
            if matches!(inst.op, Op::WordCompare(_) | Op::Any) {
                let one = forms.linear(word).difference(&forms.constant(1));
                self.list.push(Fact::Equal(one));
            }
            match (inst.op, &inst.operands[..]) {
                (Op::WordCompare(op), &[a, b]) => self.add(forms, op, a, b),
                (Op::WordBinary(WordBinary::And | WordBinary::MinU), &[a, b]) => {
                    open.extend([a, b]);
                }
                (Op::WordSelect, &[condition, a, b]) => {
                    if forms.flow.bits(b) == Some(0) {
                        open.extend([condition, a]);
                    } else if forms.flow.bits(a) == Some(0) {
                        self.add_zero(forms, condition);
                        open.push(b);
                    }
                }
                (Op::Any | Op::Ballot, &[mask]) => self.add_some_lane(forms, mask),
                (Op::Broadcast, &[word]) => open.push(word),
                _ => {}
            }
        }
    }

    /// Adds the facts of a word that is zero.
    fn add_zero(&mut self, forms: &LinearForms<'_, '_>, word: Value) {
        self.list.push(Fact::Equal(forms.linear(word)));
        if let Some(inst) = forms.flow.definition(word)
            && let (Op::WordCompare(op), &[a, b]) = (inst.op, &inst.operands[..])
        {
            let (op, a, b) = opposite(op, a, b);
            self.add(forms, op, a, b);
        }
    }

    /// Adds the uniform facts of a mask that is not empty: those that are the same in every lane.
    fn add_some_lane(&mut self, forms: &LinearForms<'_, '_>, mask: Value) {
        let mut facts = Self {
            fuel: self.fuel,
            ..Self::new(u32::MAX)
        };
        facts.add_mask(forms, mask);
        self.fuel = facts.fuel;
        let is_uniform = |form: &Linear| form.is_uniform(|value| forms.flow.is_vector(value));
        let uniform = facts.list.into_iter().filter(|fact| match fact {
            Fact::Below { form, limit, .. } => {
                is_uniform(form) && is_uniform(&forms.linear(*limit))
            }
            Fact::Equal(form) => is_uniform(form),
            Fact::Nonzero(value) => !forms.flow.is_vector(*value),
        });
        self.list.extend(uniform);
        self.compared.extend(facts.compared);
    }

    /// Adds the facts of a branch condition.
    pub(super) fn add_condition(&mut self, forms: &LinearForms<'_, '_>, condition: Condition) {
        let Condition { value, side } = condition;
        match (forms.flow.function.type_of(value), side) {
            (Type::Word, true) => self.add_word(forms, value),
            (Type::Word, false) => self.add_zero(forms, value),
            (Type::Mask, true) => self.add_some_lane(forms, value),
            _ => {}
        }
    }

    /// Adds a comparison that holds.
    fn add(&mut self, forms: &LinearForms<'_, '_>, op: WordCompare, a: Value, b: Value) {
        self.compared.push(a);
        let below = |is_strict| Fact::Below {
            form: forms.linear(a),
            limit: forms.flow.resolve(b),
            is_strict,
        };
        match op {
            WordCompare::LtU => self.list.push(below(true)),
            WordCompare::LeU => self.list.push(below(false)),
            WordCompare::Eq => {
                self.list
                    .push(Fact::Equal(forms.linear(a).difference(&forms.linear(b))));
                self.list.push(below(false));
                self.list.push(Fact::Below {
                    form: forms.linear(b),
                    limit: forms.flow.resolve(a),
                    is_strict: false,
                });
            }
            WordCompare::Ne if forms.flow.bits(b) == Some(0) => self.add_nonzero(forms, a),
            WordCompare::Ne if forms.flow.bits(a) == Some(0) => self.add_nonzero(forms, b),
            // Signed comparisons bound only what ranges show not to be negative.
            WordCompare::Ne | WordCompare::LtS | WordCompare::LeS => {}
        }
    }

    /// Replaces values, and sums of values, that equal a constant by it, in all facts and in other forms.
    pub(super) fn substitute<'l>(&mut self, forms: impl Iterator<Item = &'l mut Linear>) {
        let equal = self.list.iter().filter_map(|fact| match fact {
            Fact::Equal(form) => match form.terms[..] {
                [(value, 1), ..] => Some((value, form.clone())),
                _ => None,
            },
            _ => None,
        });
        let equal: SmallVec<[(Value, Linear); 4]> = equal.collect();
        let known = self.list.iter_mut().filter_map(|fact| match fact {
            Fact::Below { form, .. } => Some(form),
            _ => None,
        });
        let replace = |form: &mut Linear| {
            for (value, zero) in &equal {
                let mut replaced = form.clone();
                replaced.add(zero, form.coefficient(*value).wrapping_neg());
                if replaced.terms.len() < form.terms.len() {
                    *form = replaced;
                }
            }
        };
        known.for_each(replace);
        forms.for_each(replace);
    }

    fn add_nonzero(&mut self, forms: &LinearForms<'_, '_>, value: Value) {
        if forms.flow.is_vector(value) {
            // A truth value of lanes: a selection of 1 or 0 by a mask.
            if let Some(inst) = forms.flow.definition(value)
                && let (Op::Select, &[mask, _, other]) = (inst.op, &inst.operands[..])
                && forms.flow.bits(other) == Some(0)
            {
                self.add_mask(forms, mask);
            } else {
                self.list.push(Fact::Nonzero(forms.flow.resolve(value)));
            }
        } else {
            self.add_word(forms, value);
        }
    }
}
