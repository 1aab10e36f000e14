//! The condition under which checks of a loop cannot fail in any turn.
//!
//! With `last = n - 1`, for a check of `rest + s * t`:
//! - `rest + s * t < length`: `high(rest) < length` and, without wrap, `s * last` fits between.
//! - `rest - s * t != 0`: `s * last < low(rest)`.
//!
//! In the first form `s` may also be a value that does not change in the loop.

use super::super::conditions::Fact;
use super::bounds::BoundsWriter;
use super::{Counted, has_barrier};
use crate::compile::analysis::linear::{Linear, LinearForms, condition};
use crate::compile::ir::{Binary, Block, Function, Loop, Op, Type, Value};

/// A check that can be hoisted: it passes as long as this holds.
enum Claim {
    /// The form is less than another, as unsigned numbers.
    Less(Linear, Linear),
    /// The form is not 0.
    NotZero(Linear),
    /// The first form plus `by * factor * t` is less than the second one.
    LessWithStep {
        rest: Linear,
        by: u32,
        factor: Value,
        length: Linear,
    },
}

/// Finds a product of the counter and another value in the index of a claim.
fn with_step(function: &Function, claim: Claim, counter: Value) -> Option<Claim> {
    let Claim::Less(index, length) = claim else {
        return Some(claim);
    };
    let product = index
        .terms
        .iter()
        .find_map(|&(term, by)| match *function.op(term) {
            Op::Binary(Binary::Mul, left, right) if left == counter => Some((term, by, right)),
            Op::Binary(Binary::Mul, left, right) if right == counter => Some((term, by, left)),
            _ => None,
        });
    let Some((term, by, factor)) = product else {
        return Some(Claim::Less(index, length));
    };
    let is_only = index.coefficient(counter) == 0 && by.cast_signed() > 0;
    is_only.then(|| Claim::LessWithStep {
        rest: index.without(term),
        by,
        factor,
        length,
    })
}

/// Returns the condition, in the preheader, and the checks that it implies. `None` if there are
/// none; then nothing is written that has an effect.
pub(super) fn run(
    function: &mut Function,
    one: &Loop,
    counted: &Counted,
    homes: &[Option<Block>],
    facts: &[Fact],
) -> Option<(Value, Vec<Value>)> {
    let mut forms = LinearForms::new();
    let mut claims = Vec::new();
    // The header runs once more than the body, after the last turn.
    for &block in one.blocks.iter().filter(|&&block| block != one.header) {
        for &inst in &function.block(block).insts {
            if let Op::TrapIf { condition, .. } = *function.op(inst)
                && let Some(claim) = claim(function, &mut forms, condition)
                && let Some(claim) = with_step(function, claim, counted.counter)
                && is_invariant(&claim, counted, one, homes)
            {
                claims.push((inst, claim));
            }
        }
    }
    if claims.is_empty() {
        return None;
    }
    let needs_uniform = has_barrier(function, one);
    let start = function.block(counted.preheader).insts.len();
    let mut checks = Vec::new();
    let mut conditions = Vec::new();
    for (inst, claim) in claims {
        let mut writer = BoundsWriter {
            function: &mut *function,
            preheader: counted.preheader,
            facts,
            conditions: Vec::new(),
            is_uniform: true,
            depth: 0,
        };
        let last = {
            let one = writer.function.word(1);
            writer.binary(Binary::Sub, counted.count, one)
        };
        let can_hold = writer.claim(&claim, counted.counter, last);
        let (is_uniform, own) = (writer.is_uniform, writer.conditions);
        if can_hold && (is_uniform || !needs_uniform) {
            checks.push(inst);
            conditions.extend(own);
        }
    }
    if checks.is_empty() {
        function.block_mut(counted.preheader).insts.truncate(start);
        return None;
    }
    let yes = function.constant(Type::Bool, 1);
    let ok = conditions.into_iter().fold(yes, |all, condition| {
        let op = Op::Binary(Binary::And, all, condition);
        function.push(counted.preheader, op, Type::Bool)
    });
    Some((ok, checks))
}

/// What must hold so that a check with this condition passes.
fn claim(function: &Function, forms: &mut LinearForms, check: Value) -> Option<Claim> {
    let (value, is_negated) = condition(function, check);
    let Op::Binary(binary, left, right) = *function.op(value) else {
        return None;
    };
    if function.ty(left) != Type::I32 {
        return None;
    }
    let (left, right) = (forms.of(function, left), forms.of(function, right));
    match (binary, is_negated) {
        (Binary::LeUnsigned, false) => Some(Claim::Less(right, left)),
        (Binary::LtUnsigned, true) => Some(Claim::Less(left, right)),
        // `left <= right` is `left < right + 1` if that does not wrap.
        (Binary::LtUnsigned, false) => {
            let limit = left.as_constant()?.checked_add(1)?;
            Some(Claim::Less(right, Linear::constant(limit)))
        }
        (Binary::Eq, false) | (Binary::Ne, true) => Some(Claim::NotZero(left.minus(&right))),
        _ => None,
    }
}

fn is_invariant(claim: &Claim, counted: &Counted, one: &Loop, homes: &[Option<Block>]) -> bool {
    let is_outside = |form: &Linear| {
        form.terms.iter().all(|&(value, _)| {
            let home = homes.get(value.0 as usize).copied().flatten();
            !home.is_some_and(|block| one.blocks.contains(&block))
        })
    };
    match claim {
        Claim::Less(index, length) => {
            is_outside(&index.without(counted.counter)) && is_outside(length)
        }
        Claim::NotZero(form) => is_outside(&form.without(counted.counter)),
        Claim::LessWithStep {
            rest,
            factor,
            length,
            ..
        } => {
            let factor = Linear::value(*factor);
            is_outside(rest) && is_outside(&factor) && is_outside(length)
        }
    }
}

impl BoundsWriter<'_> {
    /// Writes the conditions for a claim in the turns up to the last one. Returns whether they can
    /// hold.
    fn claim(&mut self, claim: &Claim, counter: Value, last: Value) -> bool {
        match claim {
            Claim::Less(index, length) => {
                let step = index.coefficient(counter).cast_signed();
                let rest = self.form(&index.without(counter));
                let length = self.form(length).low;
                self.less(rest.high, length);
                let one = self.function.word(1);
                let (room, step) = if step >= 0 {
                    let end = self.binary(Binary::Sub, length, one);
                    (
                        self.binary(Binary::Sub, end, rest.high),
                        step.unsigned_abs(),
                    )
                } else {
                    (rest.low, step.unsigned_abs())
                };
                self.fits(step, last, room);
            }
            Claim::LessWithStep {
                rest,
                by,
                factor,
                length,
            } => {
                let rest = self.form(rest);
                let length = self.form(length).low;
                self.less(rest.high, length);
                let step = Linear::value(*factor).times(*by);
                let step = self.form(&step).high;
                let one = self.function.word(1);
                let end = self.binary(Binary::Sub, length, one);
                let room = self.binary(Binary::Sub, end, rest.high);
                let turns = self.divide(room, step);
                self.require(last, turns);
            }
            Claim::NotZero(form) => {
                let step = form.coefficient(counter).cast_signed();
                let rest = form.without(counter);
                let rest = if step > 0 { rest.times(u32::MAX) } else { rest };
                let low = match self.saturating_difference(&rest) {
                    Some(low) => low,
                    None => self.form(&rest).low,
                };
                let zero = self.function.word(0);
                self.less(zero, low);
                let one = self.function.word(1);
                let room = self.binary(Binary::Sub, low, one);
                self.fits(step.unsigned_abs(), last, room);
            }
        }
        let is_false = |&condition: &Value| self.function.as_const(condition) == Some(0);
        !self.conditions.iter().any(is_false)
    }

    fn less(&mut self, left: Value, right: Value) {
        let condition = self.binary(Binary::LtUnsigned, left, right);
        self.conditions.push(condition);
    }

    /// `step * last <= room` must hold as numbers.
    fn fits(&mut self, step: u32, last: Value, room: Value) {
        let turns = match step {
            0 => return,
            1 => room,
            step => {
                let step = self.function.word(step);
                self.binary(Binary::DivUnsigned, room, step)
            }
        };
        self.require(last, turns);
    }
}
