//! Upper bounds of linear forms, by a depth-first search over facts.
//!
//! In: the parts of a position and the facts that hold there. Out: upper bounds, each a constant or a run-time length
//! less a constant. A step of the search subtracts a multiple of a fact's form and adds that multiple of its limit; the
//! terms that are left add the largest value of their range. The number of steps is limited.

use smallvec::SmallVec;

use crate::ir::{BlockId, LaneBinary, Op, Value, WordBinary};

use crate::bounds::extent::Length;
use crate::bounds::fact::{Fact, Facts};
use crate::bounds::linear::Linear;

use super::length::{MAX_DEPTH, Start};
use super::{Prover, ScaledForm};

/// Nested right shifts of an index that are followed: from 16-bit units to words.
pub(super) const MAX_SHIFTS: u32 = 2;

/// Steps of one search, so that the time stays linear.
const MAX_STEPS: u32 = 200;

/// The largest multiple of a fact: elements are smaller.
const MAX_FACTOR: u32 = 1 << 30;

/// Facts that each step of a search tries.
const MAX_FACTS: usize = 6;

/// An upper bound: `constant`, plus a multiple of a length, less the integer that a form is.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) constant: i64,
    pub(super) length: Option<(Length, u32)>,
    pub(super) less: Option<Linear>,
}

/// The kind of bounds that are used for terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundKind {
    /// Facts, first those whose limit is a run-time length.
    Lengths,
    /// Facts whose limit is a constant.
    Constants,
    /// Ranges alone.
    Ranges,
}

pub(super) const BOUND_KINDS: [BoundKind; 3] =
    [BoundKind::Ranges, BoundKind::Lengths, BoundKind::Constants];

/// A search for the bounds of a form.
struct Search<'x> {
    facts: &'x Facts,
    block: BlockId,
    kind: BoundKind,
    shifts: u32,
    fuel: u32,
    /// The facts on the current path, by number. No fact helps twice.
    used: SmallVec<[usize; 4]>,
    is_enough: &'x mut dyn FnMut(Bound) -> bool,
}

/// A fact that shares a term with a form.
struct UsableFact<'x> {
    /// The cost of the form that remains: its terms, with a penalty for negative ones.
    remaining_cost: usize,
    number: usize,
    form: &'x Linear,
    factor: u32,
    /// The bound of this multiple.
    bound: Bound,
}

impl Prover<'_, '_> {
    /// Whether an upper bound of the sum of some forms passes a test.
    pub(super) fn some_bound(
        &self,
        parts: &[ScaledForm],
        facts: &Facts,
        (block, kind): (BlockId, BoundKind),
        is_enough: impl Fn(&Bound) -> bool,
    ) -> bool {
        let Some((index, distances)) = parts.split_last() else {
            return is_enough(&Bound::ZERO);
        };
        let around = (block, kind);
        let context = (block, kind, MAX_SHIFTS);
        self.has_bound(&index.form, facts, context, &mut |bound| {
            let sum = bound
                .times(index.factor)
                .and_then(|sum| self.with_distances(sum, distances, facts, around));
            sum.is_some_and(|sum| is_enough(&sum))
        })
    }

    /// Adds upper bounds of distances. A form that the sum is less than a length by is gone with the distance that it is.
    fn with_distances(
        &self,
        mut sum: Bound,
        distances: &[ScaledForm],
        facts: &Facts,
        (block, kind): (BlockId, BoundKind),
    ) -> Option<Bound> {
        for ScaledForm { form, factor } in distances.iter().rev() {
            if sum.less.as_ref() == Some(form) && *factor == 1 {
                sum.less = None;
                continue;
            }
            let bound = self
                .largest_of(form, facts, block, kind, MAX_SHIFTS)?
                .times(*factor)?;
            sum.constant = sum.constant.checked_add(bound.constant)?;
            sum.less = sum.less.or(bound.less);
            sum.length = match (sum.length, bound.length) {
                (None, length) | (length, None) => length,
                (Some(_), Some(_)) => return None,
            };
        }
        Some(sum)
    }

    /// Finds an upper bound of a form that is enough, and shows that the form's parts do not wrap.
    fn has_bound(
        &self,
        form: &Linear,
        facts: &Facts,
        (block, kind, shifts): (BlockId, BoundKind, u32),
        is_enough: &mut dyn FnMut(Bound) -> bool,
    ) -> bool {
        let mut search = Search {
            facts,
            block,
            kind,
            shifts,
            fuel: MAX_STEPS,
            used: SmallVec::new(),
            is_enough,
        };
        self.remove_facts(&mut search, form, Bound::ZERO, true)
    }

    /// Removes multiples of facts from a form, depth first, until the bound of what is left is enough.
    fn remove_facts(
        &self,
        search: &mut Search<'_>,
        form: &Linear,
        bound: Bound,
        is_first: bool,
    ) -> bool {
        let Some(fuel) = search.fuel.checked_sub(1) else {
            return false;
        };
        search.fuel = fuel;
        if !self.budget.step(search.facts.list.len()) {
            return false;
        }
        // Constants alone are worth a fact only if there was nothing else.
        if is_first || !form.terms.is_empty() {
            for usable in self.usable_facts(search, form) {
                let more = usable.bound;
                if bound.length.is_some() && more.length.is_some() {
                    continue;
                }
                let mut remainder = form.clone();
                remainder.add(usable.form, usable.factor.wrapping_neg());
                let Some(constant) = bound.constant.checked_add(more.constant) else {
                    continue;
                };
                let sum = Bound {
                    constant,
                    length: bound.length.clone().or(more.length),
                    less: bound.less.clone().or(more.less),
                };
                search.used.push(usable.number);
                if self.remove_facts(search, &remainder, sum, false) {
                    return true;
                }
                search.used.pop();
            }
        }
        let bound = self.with_ranges(search, form, bound);
        bound.is_some_and(|bound| (search.is_enough)(bound))
    }

    /// Adds the largest values of the terms and constants that are left.
    fn with_ranges(
        &self,
        search: &Search<'_>,
        remainder: &Linear,
        mut bound: Bound,
    ) -> Option<Bound> {
        let &Search {
            facts,
            block,
            kind,
            shifts,
            ..
        } = search;
        for &(value, coefficient) in &remainder.terms {
            // A number of elements is itself bounded by the length that it is computed from.
            if bound.length.is_none()
                && let Some(counted) = self.multiple(value, false, coefficient, block, kind)
                && counted.length.is_some()
            {
                bound.constant = bound.constant.checked_add(counted.constant)?;
                bound.length = counted.length;
                continue;
            }
            let max = self.ranges.of(value, block).max;
            let shifted = self.largest_shifted(value, facts, block, kind, shifts);
            if let Some(shifted) = shifted.filter(|shifted| shifted.is_better(max)) {
                if shifted.length.is_some() && (bound.length.is_some() || coefficient != 1) {
                    return None;
                }
                let most = shifted.constant.checked_mul(coefficient.into())?;
                bound.constant = bound.constant.checked_add(most)?;
                bound.length = bound.length.or(shifted.length);
                continue;
            }
            let most = i64::from(max).checked_mul(coefficient.into())?;
            bound.constant = bound.constant.checked_add(most)?;
        }
        let constant = active(remainder, facts.lanes).max();
        bound.constant = bound.constant.checked_add(constant.unwrap_or(0).into())?;
        // Lengths are at most 2^31 words, which are 2^32 16-bit units.
        let does_not_wrap = match bound.length {
            None => bound.constant <= i64::from(u32::MAX),
            Some(_) => bound.constant <= 0,
        };
        does_not_wrap.then_some(bound)
    }

    /// The best of the upper bounds of a form.
    pub(super) fn largest_of(
        &self,
        form: &Linear,
        facts: &Facts,
        block: BlockId,
        kind: BoundKind,
        shifts: u32,
    ) -> Option<Bound> {
        self.largest_where(form, facts, (block, kind, shifts), |_| true)
    }

    /// The best of the upper bounds of a form that pass a test.
    fn largest_where(
        &self,
        form: &Linear,
        facts: &Facts,
        context: (BlockId, BoundKind, u32),
        is_usable: impl Fn(&Bound) -> bool,
    ) -> Option<Bound> {
        let mut best: Option<Bound> = None;
        let scale = |bound: &Bound| bound.length.as_ref().map_or(u32::MAX, |length| length.1);
        let key = |bound: &Bound| (scale(bound), bound.constant);
        self.has_bound(form, facts, context, &mut |bound| {
            if is_usable(&bound) && best.as_ref().is_none_or(|best| key(&bound) < key(best)) {
                best = Some(bound);
            }
            false
        });
        best
    }

    /// An upper bound of a value that is shifted to the right, by that of the value before.
    fn largest_shifted(
        &self,
        value: Value,
        facts: &Facts,
        block: BlockId,
        kind: BoundKind,
        shifts: u32,
    ) -> Option<Bound> {
        let shifts = shifts.checked_sub(1)?;
        let inst = self.flow.definition(value)?;
        let (inner, by) = match (inst.op, &inst.operands[..]) {
            (Op::ShrBy(by), &[inner]) => (inner, u32::from(by)),
            (
                Op::WordBinary(WordBinary::ShrU) | Op::Binary(LaneBinary::Int(WordBinary::ShrU)),
                &[inner, by],
            ) => (inner, self.flow.bits(by).filter(|by| *by < 32)?),
            _ => return None,
        };
        let form = self.forms.linear(inner);
        // The length must be a whole number after the shift, too.
        let is_whole = |bound: &Bound| {
            let scale = bound.length.as_ref().map_or(0, |length| length.1);
            bound.less.is_none() && scale.is_multiple_of(1 << by)
        };
        let bound = self.largest_where(&form, facts, (block, kind, shifts), is_whole)?;
        let length = match bound.length {
            None => None,
            Some((length, scale)) if scale.is_multiple_of(1 << by) => Some((length, scale >> by)),
            Some(_) => return None,
        };
        // An arithmetic shift rounds down, as the shift of the sum does.
        bound.less.is_none().then_some(Bound {
            constant: bound.constant >> by,
            length,
            less: None,
        })
    }

    /// The facts that share a term with a form. Those that remove the most terms come first.
    fn usable_facts<'x>(
        &self,
        search: &Search<'x>,
        form: &Linear,
    ) -> SmallVec<[UsableFact<'x>; 4]> {
        let &Search {
            facts, block, kind, ..
        } = search;
        let mut usable: SmallVec<[UsableFact<'x>; 4]> = SmallVec::new();
        if kind == BoundKind::Ranges {
            return SmallVec::new();
        }
        for (number, fact) in facts.list.iter().enumerate() {
            let Fact::Below {
                form: below,
                limit,
                is_strict,
            } = fact
            else {
                continue;
            };
            if search.used.contains(&number) {
                continue;
            }
            let stride = match kind {
                BoundKind::Lengths => self.count(*limit, MAX_DEPTH).map(|count| count.stride),
                _ => None,
            };
            for factor in factors_of(form, below, facts.lanes, stride) {
                let Some(bound) = self.multiple(*limit, *is_strict, factor, block, kind) else {
                    continue;
                };
                let mut remainder = form.clone();
                remainder.add(below, factor.wrapping_neg());
                // A negative coefficient is left where the multiple is too large.
                let is_negative = |coefficient: &u32| *coefficient > i32::MAX as u32;
                let coefficients = remainder.terms.iter().map(|term| term.1);
                let negative = coefficients.filter(is_negative).count()
                    + active(&remainder, facts.lanes)
                        .filter(is_negative)
                        .count()
                        .min(1);
                usable.push(UsableFact {
                    remaining_cost: 4 * negative + remainder.terms.len(),
                    number,
                    form: below,
                    factor,
                    bound,
                });
            }
        }
        usable.sort_by_key(|fact| {
            (
                fact.remaining_cost,
                fact.bound.length.is_none(),
                fact.bound.constant,
            )
        });
        usable.truncate(MAX_FACTS);
        usable
    }

    /// The bound of a multiple of a form that is below a limit.
    fn multiple(
        &self,
        limit: Value,
        is_strict: bool,
        factor: u32,
        block: BlockId,
        kind: BoundKind,
    ) -> Option<Bound> {
        if kind == BoundKind::Lengths
            && let Some(count) = self.count(limit, MAX_DEPTH)
            && let Some(count) = count.scaled(factor)
            // An inclusive bound of 0 stays 0, which a start would make negative.
            && (is_strict || matches!(count.start, Start::At(0)))
        {
            let below = if is_strict { i64::from(factor) } else { 0 };
            let (start, less) = match count.start {
                Start::At(start) => (i64::from(start), None),
                Start::Form(form) => (0, Some(form)),
            };
            return Some(Bound {
                constant: -start - below,
                length: Some((count.length, count.scale)),
                less,
            });
        }
        let max = self.ranges.of(limit, block).max;
        let largest = i64::from(max) - i64::from(is_strict);
        (max < u32::MAX).then(|| {
            Some(Bound {
                constant: largest.checked_mul(factor.into())?,
                ..Bound::ZERO
            })
        })?
    }
}

/// The constants of the lanes that take part.
fn active(form: &Linear, lanes: u32) -> impl Iterator<Item = u32> {
    let constants = form.constants.iter().enumerate();
    let active = constants.filter(move |(lane, _)| lanes >> lane & 1 == 1);
    active.map(|(_, constant)| *constant)
}

/// Multiples of a form that may remove one of its terms, or its first constant, from another, or a part of it: given the
/// stride of the elements that the form is an index of, the part that one index makes up.
fn factors_of(
    form: &Linear,
    below: &Linear,
    lanes: u32,
    stride: Option<u32>,
) -> SmallVec<[u32; 4]> {
    let factor = |whole_coefficient: u32, found: u32| {
        // Two negative coefficients have a positive ratio.
        let are_negative = whole_coefficient.cast_signed() < 0 && found.cast_signed() < 0;
        let factor = if are_negative {
            whole_coefficient.wrapping_neg() / found.wrapping_neg()
        } else {
            whole_coefficient / found
        };
        (1..=MAX_FACTOR).contains(&factor).then_some(factor)
    };
    let mut factors: SmallVec<[u32; 4]> = SmallVec::new();
    if below.terms.is_empty() && form.terms.is_empty() {
        let mut pairs = active(form, lanes).zip(active(below, lanes));
        factors.extend(match pairs.find(|pair| pair.1 != 0) {
            Some((whole_coefficient, found)) => factor(whole_coefficient, found),
            // Only the first lane takes part, or all are at 0.
            None => Some(1),
        });
    }
    for &(value, found) in &below.terms {
        let known = factor(form.coefficient(value), found);
        // A part of the coefficient may belong to another fact.
        let parts = |whole: u32| {
            let smaller = stride
                .into_iter()
                .filter(move |stride| (2..whole).contains(stride));
            [whole, 1].into_iter().chain(smaller)
        };
        for factor in known.into_iter().flat_map(parts) {
            if !factors.contains(&factor) {
                factors.push(factor);
            }
        }
    }
    factors
}

impl Bound {
    const ZERO: Self = Self {
        constant: 0,
        length: None,
        less: None,
    };

    /// A multiple of it.
    fn times(self, factor: u32) -> Option<Self> {
        Some(Self {
            constant: self.constant.checked_mul(factor.into())?,
            length: self.length.map(|(length, scale)| (length, scale * factor)),
            less: self.less.filter(|_| factor == 1),
        })
    }

    /// Whether it says more than a constant.
    fn is_better(&self, max: u32) -> bool {
        self.length.is_some() || self.constant < i64::from(max)
    }
}
