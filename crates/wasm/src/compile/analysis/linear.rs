//! Linear forms of `I32` values: `sum(c_i * v_i) + k` modulo 2^32.
//!
//! In: a value of a function. Out: its form over values that are not linear themselves. Forms are
//! exact modulo 2^32, never approximations: `form(v) == v` for all inputs. A form has at most
//! [`MAX_TERMS`] terms; a value whose form would be larger is a term of its own, so that the work
//! is linear in the number of values. Nothing recurses.

use std::collections::HashMap;

use crate::compile::ir::{Binary, Block, Cfg, Function, Op, Type, Unary, Value};

/// The largest number of terms of a form.
pub(crate) const MAX_TERMS: usize = 8;

/// A linear form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Linear {
    /// Values and their coefficients, which are not 0, in the order of the values.
    pub terms: Vec<(Value, u32)>,
    /// The constant.
    pub constant: u32,
}

impl Linear {
    /// A constant.
    pub(crate) const fn constant(constant: u32) -> Self {
        Self {
            terms: Vec::new(),
            constant,
        }
    }

    /// A value.
    pub(crate) fn value(value: Value) -> Self {
        Self {
            terms: vec![(value, 1)],
            constant: 0,
        }
    }

    /// `self + factor * other`.
    pub(crate) fn plus(&self, other: &Self, factor: u32) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => break,
            };
            let mut coefficient = 0_u32;
            let mut value = None;
            if order.is_le()
                && let Some(&(of, by)) = left.next()
            {
                (value, coefficient) = (Some(of), by);
            }
            if order.is_ge()
                && let Some(&(of, by)) = right.next()
            {
                coefficient = coefficient.wrapping_add(by.wrapping_mul(factor));
                value = Some(of);
            }
            terms.extend(
                value
                    .filter(|_| coefficient != 0)
                    .map(|of| (of, coefficient)),
            );
        }
        let added = other.constant.wrapping_mul(factor);
        Self {
            terms,
            constant: self.constant.wrapping_add(added),
        }
    }

    /// `self - other`.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(other, u32::MAX)
    }

    /// `factor * self`.
    pub(crate) fn times(&self, factor: u32) -> Self {
        Self::default().plus(self, factor)
    }

    /// The coefficient of a value; 0 if it does not occur.
    pub(crate) fn coefficient(&self, value: Value) -> u32 {
        let at = self.terms.binary_search_by_key(&value, |term| term.0);
        at.map_or(0, |at| self.terms[at].1)
    }

    /// The form without one value.
    pub(crate) fn without(&self, value: Value) -> Self {
        let mut rest = self.clone();
        rest.terms.retain(|term| term.0 != value);
        rest
    }

    /// The constant that it is.
    pub(crate) fn as_constant(&self) -> Option<u32> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The number of low bits that are 0 whatever the values are, at most 32.
    pub(crate) fn low_zeros(&self) -> u32 {
        let factors = self.terms.iter().map(|term| term.1);
        let zeros = factors.chain([self.constant]).map(u32::trailing_zeros);
        zeros.min().unwrap_or(32)
    }

    /// The form divided by a power of two as if nothing wrapped, if every coefficient as a signed
    /// number is a multiple. Exact only for values for which the form does not wrap.
    pub(crate) fn divided(&self, shift: u32) -> Option<Self> {
        if self.low_zeros() < shift {
            return None;
        }
        let divide = |number: u32| (number.cast_signed() >> shift).cast_unsigned();
        Some(Self {
            terms: (self.terms.iter())
                .map(|&(value, by)| (value, divide(by)))
                .collect(),
            constant: divide(self.constant),
        })
    }

    /// Writes instructions that compute the form before position `at` of a block, and moves the
    /// position behind them.
    pub(crate) fn emit(&self, function: &mut Function, block: Block, at: &mut usize) -> Value {
        let mut insert = |function: &mut Function, binary, left, right| {
            let value = function.add_value(Op::Binary(binary, left, right), Type::I32);
            function.block_mut(block).insts.insert(*at, value);
            *at += 1;
            value
        };
        let mut sum = None;
        // Negative terms come last, so that the sum starts with a positive one where there is one.
        let mut terms = self.terms.clone();
        terms.sort_by_key(|term| term.1.cast_signed() < 0);
        for (value, by) in terms {
            let is_negative = sum.is_some() && by.cast_signed() < 0;
            let by = if is_negative { by.wrapping_neg() } else { by };
            let term = if by == 1 {
                value
            } else {
                let by = function.word(by);
                insert(function, Binary::Mul, value, by)
            };
            sum = Some(match sum {
                None => term,
                Some(sum) if is_negative => insert(function, Binary::Sub, sum, term),
                Some(sum) => insert(function, Binary::Add, sum, term),
            });
        }
        let constant = function.word(self.constant);
        match sum {
            None => constant,
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => insert(function, Binary::Add, sum, constant),
        }
    }
}

/// The forms of the values of a function, computed on demand and kept. They hold as long as the
/// definitions of the values do.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearForms {
    known: HashMap<Value, Linear>,
}

impl LinearForms {
    /// No forms.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// How many forms are known: the work done so far.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Assumes a form for a value. Must come before the first question about a value that uses it.
    pub(crate) fn assume(&mut self, value: Value, form: Linear) {
        self.known.insert(value, form);
    }

    /// The form of a value.
    pub(crate) fn of(&mut self, function: &Function, value: Value) -> Linear {
        let mut open = vec![value];
        while let Some(&at) = open.last() {
            if self.known.contains_key(&at) {
                open.pop();
                continue;
            }
            let before = open.len();
            operands(function, at, |operand| {
                if !self.known.contains_key(&operand) {
                    open.push(operand);
                }
            });
            if open.len() == before {
                let form = self.compute(function, at);
                self.known.insert(at, form);
            }
        }
        self.known[&value].clone()
    }

    /// The forms of all instructions that can run, for [`LinearForms::get`].
    pub(crate) fn all(function: &Function, cfg: &Cfg) -> Self {
        let mut forms = Self::new();
        for &block in &cfg.order {
            for &inst in &function.block(block).insts {
                if function.ty(inst) == Type::I32 {
                    forms.of(function, inst);
                }
            }
        }
        forms
    }

    /// The form of a value if it is known already; else the value itself.
    pub(crate) fn get(&self, function: &Function, value: Value) -> Linear {
        match (self.known.get(&value), function.as_word(value)) {
            (Some(form), _) => form.clone(),
            (None, Some(word)) => Linear::constant(word),
            (None, None) => Linear::value(value),
        }
    }

    /// The form of a value whose operands have forms.
    fn compute(&self, function: &Function, value: Value) -> Linear {
        let whole = || Linear::value(value);
        if let Some(word) = function.as_word(value) {
            return Linear::constant(word);
        }
        let Op::Binary(binary, left, right) = *function.op(value) else {
            return whole();
        };
        let (Some(a), Some(b)) = (self.known.get(&left), self.known.get(&right)) else {
            return whole();
        };
        let form = match (binary, a.as_constant(), b.as_constant()) {
            (Binary::Add, ..) => a.plus(b, 1),
            (Binary::Sub, ..) => a.minus(b),
            (Binary::Shl, _, Some(count)) => a.times(1 << (count & 31)),
            (Binary::Mul, _, Some(factor)) => a.times(factor),
            (Binary::Mul, Some(factor), _) => b.times(factor),
            // No carry: the bits of the constant are 0 on the left.
            (Binary::Or, _, Some(bits)) if u64::from(bits) < 1 << a.low_zeros() => a.plus(b, 1),
            (Binary::Xor, _, Some(u32::MAX)) => Linear::constant(u32::MAX).minus(a),
            _ => return whole(),
        };
        if form.terms.len() > MAX_TERMS {
            return whole();
        }
        form
    }
}

/// The operands through which a form goes.
fn operands(function: &Function, value: Value, mut visit: impl FnMut(Value)) {
    if function.ty(value) != Type::I32 {
        return;
    }
    if let Op::Binary(binary, left, right) = *function.op(value)
        && matches!(
            binary,
            Binary::Add | Binary::Sub | Binary::Shl | Binary::Mul | Binary::Or | Binary::Xor
        )
    {
        visit(left);
        visit(right);
    }
}

/// Follows conversions that keep the bits of a condition: the value and whether it is negated.
pub(crate) fn condition(function: &Function, mut value: Value) -> (Value, bool) {
    let mut is_negated = false;
    while let Op::Unary(Unary::Not, operand) = *function.op(value) {
        value = operand;
        is_negated = !is_negated;
    }
    (value, is_negated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::ir::parse;

    fn form(text: &str, value: u32) -> String {
        let function = parse(text).unwrap();
        let form = LinearForms::new().of(&function, Value(value));
        let terms = form.terms.iter().map(|(value, by)| {
            let by = by.cast_signed();
            format!("{by}*{}", value.0)
        });
        let mut parts: Vec<_> = terms.collect();
        parts.push(form.constant.cast_signed().to_string());
        parts.join(" + ")
    }

    const TEXT: &str = "kernel f(i32)
        b0:
          v0: i32 = Load i32 4
          v1: i32 = Load i32 8
          v2: i32 = Shl v0, 2
          v3: i32 = Add v2, v1
          v4: i32 = Or v2, 3
          v5: i32 = Or v2, 4
          v6: i32 = Sub v3, v4
          v7: i32 = Mul 3, v6
          v8: i32 = Xor v7, -1
          return";

    #[test]
    fn forms() {
        assert_eq!(form(TEXT, 2), "4*0 + 0");
        assert_eq!(form(TEXT, 3), "4*0 + 1*1 + 0");
        assert_eq!(form(TEXT, 4), "4*0 + 3");
        assert_eq!(form(TEXT, 5), "1*5 + 0");
        assert_eq!(form(TEXT, 6), "1*1 + -3");
        assert_eq!(form(TEXT, 8), "-3*1 + 8");
    }

    #[test]
    fn forms_are_written() {
        let mut function = parse(TEXT).unwrap();
        let mut form = Linear::constant(5).plus(&Linear::value(Value(0)), u32::MAX);
        form = form.plus(&Linear::value(Value(1)), 4);
        let mut at = 2;
        form.emit(&mut function, Block(0), &mut at);
        let text = function.to_string();
        assert!(
            text.contains("= Mul v1, 4\n  v15: i32 = Sub v14, v0\n  v17: i32 = Add v15, 5"),
            "{text}"
        );
        assert_eq!(form.times(4).divided(2), Some(form));
    }
}
