//! The trip count of a loop that is left when a linear form is 0.

use super::super::conditions::{Fact, above};
use super::BottomTested;
use crate::compile::analysis::linear::{Linear, LinearForms, condition};
use crate::compile::ir::{
    Binary, Block, Cfg, Dominators, Function, Loop, Op, Terminator, Type, Value,
};

/// A counter and how often its loop runs: `(form >> shift) + added`.
pub(super) struct TripCount {
    pub(super) counter: Value,
    pub(super) form: Linear,
    pub(super) shift: u32,
    pub(super) added: u32,
}

/// The trip count; it is at least 1 and below 2^32.
pub(super) fn of(
    function: &Function,
    one: &Loop,
    test: &BottomTested,
    homes: &[Option<Block>],
    (cfg, dominators): (&Cfg, &Dominators),
) -> Option<TripCount> {
    let mut forms = LinearForms::new();
    let counter = counter(function, one, test, &mut forms)?;
    let (value, is_negated) = condition(function, test.condition);
    let Op::Binary(binary @ (Binary::Eq | Binary::Ne), left, right) = *function.op(value) else {
        return None;
    };
    let leaves_if_equal = (test.leaves_if != is_negated) == (binary == Binary::Eq);
    if function.ty(left) != Type::I32 || !leaves_if_equal {
        return None;
    }
    // The loop is left in the first turn `t` for which `by * t + rest` is 0.
    let difference = forms.of(function, left).minus(&forms.of(function, right));
    let by = difference.coefficient(counter).cast_signed();
    let rest = difference.without(counter);
    let is_inside = |value: Value| {
        let home = homes.get(value.0 as usize).copied().flatten();
        home.is_some_and(|block| one.blocks.contains(&block))
    };
    if !by.unsigned_abs().is_power_of_two() || rest.terms.iter().any(|term| is_inside(term.0)) {
        return None;
    }
    let last = if by > 0 { rest.times(u32::MAX) } else { rest };
    let unit = by.unsigned_abs();
    let shift = unit.trailing_zeros();
    if known_low_zeros(function, &last) < shift {
        return None;
    }
    let end = last.plus(&Linear::constant(unit), 1);
    let facts = || above(function, cfg, dominators, test.preheader);
    if is_not_zero(function, &mut forms, &end, facts) {
        return Some(TripCount {
            counter,
            form: end,
            shift,
            added: 0,
        });
    }
    (shift > 0).then_some(TripCount {
        counter,
        form: last,
        shift,
        added: 1,
    })
}

/// The parameter that counts the turns from 0.
fn counter(
    function: &Function,
    one: &Loop,
    test: &BottomTested,
    forms: &mut LinearForms,
) -> Option<Value> {
    let Terminator::Jump(entry) = &function.block(test.preheader).terminator else {
        return None;
    };
    let params = function.block(one.header).params.iter();
    let mut edges = params.zip(entry.args.iter().zip(&test.back.args));
    let counts = |param: Value, init: Value, next: Value| {
        let after = Linear::value(param).plus(&Linear::constant(1), 1);
        function.as_word(init) == Some(0) && forms.of(function, next) == after
    };
    let mut counts = counts;
    let found = edges.find(|(param, (init, next))| counts(**param, **init, **next));
    found.map(|(&param, _)| param)
}

/// The number of low bits of a form that are 0, as far as its values show.
fn known_low_zeros(function: &Function, form: &Linear) -> u32 {
    let of_term = |&(value, by): &(Value, u32)| {
        let own = match *function.op(value) {
            Op::Binary(Binary::And, _, mask) => function.as_word(mask).map(u32::trailing_zeros),
            Op::Binary(Binary::Shl, _, count) => function.as_word(count).map(|count| count & 31),
            _ => None,
        };
        by.trailing_zeros() + own.unwrap_or(0)
    };
    let terms = form.terms.iter().map(of_term);
    let zeros = terms.chain([form.constant.trailing_zeros()]);
    zeros.min().unwrap_or(32)
}

/// Whether a form is not 0 before the loop.
fn is_not_zero(
    function: &Function,
    forms: &mut LinearForms,
    form: &Linear,
    facts: impl Fn() -> Vec<Fact>,
) -> bool {
    if let Some(constant) = form.as_constant() {
        return constant != 0;
    }
    facts().into_iter().any(|(value, holds)| {
        let Op::Binary(binary, left, right) = *function.op(value) else {
            return false;
        };
        if function.ty(left) != Type::I32 {
            return false;
        }
        let (left, right) = (forms.of(function, left), forms.of(function, right));
        let difference = left.minus(&right);
        let are_different = matches!(
            (binary, holds),
            (Binary::Ne | Binary::LtUnsigned | Binary::LtSigned, true)
                | (Binary::Eq | Binary::LeUnsigned | Binary::LeSigned, false)
        );
        // What is greater than an unsigned number is not 0.
        let greater = match (binary, holds) {
            (Binary::LtUnsigned, true) => Some(&right),
            (Binary::LeUnsigned, false) => Some(&left),
            _ => None,
        };
        greater == Some(form)
            || are_different && (difference == *form || difference.times(u32::MAX) == *form)
    })
}
