//! Bounds of linear forms over all lanes, as instructions before a loop.
//!
//! A bound is valid only if all side conditions hold: that no sum wraps. They are collected, and
//! become part of the condition under which the checks are left out.

use super::super::checks::constant_range;
use super::super::conditions::Fact;
use crate::compile::analysis::linear::{Linear, LinearForms};
use crate::compile::ir::{Binary, Block, Builtin, Function, Op, Type, Value};

/// How many operations are followed to find that a value is uniform.
const MAX_DEPTH: u32 = 6;

/// How many nested selections and products are followed.
const MAX_NESTED: u32 = 2;

/// The smallest and the largest value, as unsigned numbers.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) low: Value,
    pub(super) high: Value,
}

/// Writes bounds to the end of a preheader.
pub(super) struct BoundsWriter<'a> {
    pub(super) function: &'a mut Function,
    pub(super) preheader: Block,
    pub(super) facts: &'a [Fact],
    /// All must hold.
    pub(super) conditions: Vec<Value>,
    /// Whether all bounds are the same for all lanes.
    pub(super) is_uniform: bool,
    /// How many selections and products are being followed.
    pub(super) depth: u32,
}

impl BoundsWriter<'_> {
    /// Writes an operation on words.
    pub(super) fn binary(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let op = Op::Binary(binary, left, right);
        let ty = binary.result(Type::I32);
        self.function.push(self.preheader, op, ty)
    }

    /// `left <= right` must hold.
    pub(super) fn require(&mut self, left: Value, right: Value) {
        let condition = self.binary(Binary::LeUnsigned, left, right);
        self.conditions.push(condition);
    }

    /// The bounds of a form, under the condition that it does not wrap as signed sum.
    pub(super) fn form(&mut self, form: &Linear) -> Bounds {
        let is_negative = |number: u32| number.cast_signed() < 0;
        let (mut plus, mut minus) = (Linear::default(), Linear::default());
        for &(value, by) in &form.terms {
            if is_negative(by) {
                minus.terms.push((value, by.wrapping_neg()));
            } else {
                plus.terms.push((value, by));
            }
        }
        if is_negative(form.constant) {
            minus.constant = form.constant.wrapping_neg();
        } else {
            plus.constant = form.constant;
        }
        let from = self.sum(&plus);
        if minus == Linear::default() {
            return from;
        }
        let by = self.sum(&minus);
        self.require(by.high, from.low);
        Bounds {
            low: self.binary(Binary::Sub, from.low, by.high),
            high: self.binary(Binary::Sub, from.high, by.low),
        }
    }

    /// The bounds of a form without negative coefficients.
    fn sum(&mut self, form: &Linear) -> Bounds {
        let constant = self.function.word(form.constant);
        let mut sum = Bounds {
            low: constant,
            high: constant,
        };
        let all = self.function.word(u32::MAX);
        for &(value, by) in &form.terms {
            let mut term = self.value(value);
            if by != 1 {
                let limit = self.function.word(u32::MAX / by);
                self.require(term.high, limit);
                let by = self.function.word(by);
                term.low = self.binary(Binary::Mul, term.low, by);
                term.high = self.binary(Binary::Mul, term.high, by);
            }
            let room = self.binary(Binary::Sub, all, term.high);
            self.require(sum.high, room);
            sum.low = self.binary(Binary::Add, sum.low, term.low);
            sum.high = self.binary(Binary::Add, sum.high, term.high);
        }
        sum
    }

    /// The bounds of a value.
    fn value(&mut self, value: Value) -> Bounds {
        if let Some(bounds) = self.selection(value) {
            return bounds;
        }
        let (low, high) = constant_range(self.function, value);
        let zero = self.function.word(low);
        if let Op::Builtin(builtin) = *self.function.op(value)
            && let Some(high) = self.largest_id(builtin)
        {
            let high = self.below_fact(value, high);
            return Bounds { low: zero, high };
        }
        if !is_uniform(self.function, value, MAX_DEPTH) {
            if let Some(bounds) = self.product(value) {
                return bounds;
            }
            if high < u32::MAX {
                let high = self.function.word(high);
                return Bounds { low: zero, high };
            }
            self.is_uniform = false;
        }
        Bounds {
            low: value,
            high: value,
        }
    }

    /// The largest value of an id that differs between lanes.
    fn largest_id(&mut self, builtin: Builtin) -> Option<Value> {
        let one = self.function.word(1);
        let end = match builtin {
            Builtin::LocalId(axis) => {
                (self.function).floating(Op::Builtin(Builtin::WorkgroupSize(axis)), Type::I32)
            }
            Builtin::GlobalId(axis) => {
                let [size, count] = [Builtin::WorkgroupSize(axis), Builtin::NumWorkgroups(axis)]
                    .map(|builtin| self.function.floating(Op::Builtin(builtin), Type::I32));
                // Ids are words, so the number of invocations does not wrap.
                self.binary(Binary::Mul, size, count)
            }
            Builtin::LocalIndex => {
                let [x, y, z] = [0, 1, 2].map(|axis| {
                    let size = Op::Builtin(Builtin::WorkgroupSize(axis));
                    self.function.floating(size, Type::I32)
                });
                let plane = self.binary(Binary::Mul, x, y);
                self.binary(Binary::Mul, plane, z)
            }
            _ => return None,
        };
        Some(self.binary(Binary::Sub, end, one))
    }

    /// A lower upper bound, if a condition above the loop compares the value with a uniform one.
    fn below_fact(&mut self, value: Value, high: Value) -> Value {
        let limit = self.facts.iter().find_map(|&(condition, holds)| {
            let limit = match (self.function.op(condition), holds) {
                (Op::Binary(Binary::LtUnsigned, left, right), true) if *left == value => *right,
                (Op::Binary(Binary::LeUnsigned, left, right), false) if *right == value => *left,
                _ => return None,
            };
            is_uniform(self.function, limit, MAX_DEPTH).then_some(limit)
        });
        let Some(limit) = limit else {
            return high;
        };
        let one = self.function.word(1);
        let last = self.binary(Binary::Sub, limit, one);
        self.smaller(last, high)
    }

    /// The bounds of a product, under the condition that it does not wrap.
    fn product(&mut self, value: Value) -> Option<Bounds> {
        let Op::Binary(Binary::Mul, left, right) = *self.function.op(value) else {
            return None;
        };
        if self.depth == MAX_NESTED {
            return None;
        }
        self.depth += 1;
        let (a, b) = (self.operand(left), self.operand(right));
        self.depth -= 1;
        let all = self.function.word(u32::MAX);
        let limit = self.divide(all, b.high);
        self.require(a.high, limit);
        Some(Bounds {
            low: self.binary(Binary::Mul, a.low, b.low),
            high: self.binary(Binary::Mul, a.high, b.high),
        })
    }

    /// `left / right`, and `left` for a divisor of 0.
    pub(super) fn divide(&mut self, left: Value, right: Value) -> Value {
        let one = self.function.word(1);
        let right = self.larger(right, one);
        self.binary(Binary::DivUnsigned, left, right)
    }

    fn smaller(&mut self, left: Value, right: Value) -> Value {
        let condition = self.binary(Binary::LtUnsigned, left, right);
        let op = Op::Select {
            condition,
            yes: left,
            no: right,
        };
        self.function.push(self.preheader, op, Type::I32)
    }

    fn larger(&mut self, left: Value, right: Value) -> Value {
        let condition = self.binary(Binary::LtUnsigned, left, right);
        let op = Op::Select {
            condition,
            yes: right,
            no: left,
        };
        self.function.push(self.preheader, op, Type::I32)
    }

    /// The bounds of an unsigned minimum or maximum, and of `max(a, b) - b`.
    fn selection(&mut self, value: Value) -> Option<Bounds> {
        if self.depth == MAX_NESTED || is_uniform(self.function, value, MAX_DEPTH) {
            return None;
        }
        let (left, right, is_max) = extremum(self.function, value)?;
        self.depth += 1;
        let (a, b) = (self.operand(left), self.operand(right));
        self.depth -= 1;
        let choose = if is_max { Self::larger } else { Self::smaller };
        Some(Bounds {
            low: choose(self, a.low, b.low),
            high: choose(self, a.high, b.high),
        })
    }

    /// The bounds of an operand of a selection.
    fn operand(&mut self, value: Value) -> Bounds {
        let form = LinearForms::new().of(self.function, value);
        self.form(&form)
    }

    /// The lower bound of `max(a, b) - b`, which is `a - b` or 0, if the form is such a difference.
    pub(super) fn saturating_difference(&mut self, form: &Linear) -> Option<Value> {
        let mut maximum = form.terms.iter().filter_map(|&(value, by)| {
            let (left, right, is_max) = extremum(self.function, value)?;
            (by == 1 && is_max).then_some((value, left, right))
        });
        let (value, left, right) = maximum.next()?;
        let mut forms = LinearForms::new();
        let rest = form.without(value);
        let constant = rest.constant;
        let mut subtracted = rest.times(u32::MAX);
        subtracted.constant = 0;
        let (a, b) = [(left, right), (right, left)]
            .into_iter()
            .find(|&(_, b)| forms.of(self.function, b) == subtracted)?;
        let a = self.operand(a);
        let b = self.operand(b);
        let larger = self.larger(a.low, b.high);
        let difference = self.binary(Binary::Sub, larger, b.high);
        // What is added after the difference.
        let added = self.function.word(constant);
        if constant.cast_signed() < 0 {
            let needed = self.function.word(constant.wrapping_neg());
            self.require(needed, difference);
        } else {
            let room = self.function.word(u32::MAX - constant);
            self.require(a.high, room);
        }
        Some(self.binary(Binary::Add, difference, added))
    }
}

/// The operands of an unsigned minimum or maximum, and whether it is the maximum.
fn extremum(function: &Function, value: Value) -> Option<(Value, Value, bool)> {
    let Op::Select { condition, yes, no } = *function.op(value) else {
        return None;
    };
    let Op::Binary(Binary::LtUnsigned | Binary::LeUnsigned, left, right) = *function.op(condition)
    else {
        return None;
    };
    if function.ty(value) != Type::I32 {
        return None;
    }
    match (yes == left && no == right, yes == right && no == left) {
        (true, _) => Some((left, right, false)),
        (_, true) => Some((left, right, true)),
        _ => None,
    }
}

/// Whether a value is the same for all lanes of a workgroup, as far as its operands show.
pub(super) fn is_uniform(function: &Function, value: Value, depth: u32) -> bool {
    match function.op(value) {
        Op::Builtin(builtin) => matches!(
            builtin,
            Builtin::WorkgroupId(_) | Builtin::NumWorkgroups(_) | Builtin::WorkgroupSize(_)
        ),
        op if op.is_floating() => true,
        Op::Unary(..) | Op::Binary(..) | Op::Select { .. } if depth > 0 => {
            let mut all = true;
            let op = function.op(value);
            op.for_each_operand(|operand| all = all && is_uniform(function, operand, depth - 1));
            all
        }
        _ => false,
    }
}
