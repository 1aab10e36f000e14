//! Linear forms: values as sums of other values with constant factors, modulo 2^32.
//!
//! In: a function. Out: for each reachable `I32` value a [`Linear`] form. One walk in reverse
//! postorder, in which operands come before their uses; block parameters, and operations that are
//! not linear, are atoms. A form has at most [`MAX_TERMS`] terms: a longer sum is an atom.
//!
//! What always holds: a form equals its value modulo 2^32 in every execution, and each of its
//! terms dominates the value.

use std::collections::{BTreeMap, HashMap};

use super::super::ir::{Binary, Cfg, Function, Op, Type, Value};

/// Terms of a form at most.
const MAX_TERMS: usize = 8;

/// A sum of values with constant factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Linear {
    /// The factor of each value; none is 0.
    pub terms: BTreeMap<Value, u32>,
    /// The constant.
    pub constant: u32,
}

impl Linear {
    /// A constant.
    pub(crate) fn constant(constant: u32) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// A value itself.
    pub(crate) fn atom(value: Value) -> Self {
        Self {
            terms: BTreeMap::from([(value, 1)]),
            constant: 0,
        }
    }

    /// The constant, if there are no terms.
    pub(crate) fn as_constant(&self) -> Option<u32> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// This form plus another one times a factor.
    pub(crate) fn plus(&self, other: &Self, factor: u32) -> Self {
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .wrapping_add(other.constant.wrapping_mul(factor));
        for (&value, &count) in &other.terms {
            let entry = sum.terms.entry(value).or_insert(0);
            *entry = entry.wrapping_add(count.wrapping_mul(factor));
            if *entry == 0 {
                sum.terms.remove(&value);
            }
        }
        sum
    }

    /// This form times a factor.
    pub(crate) fn times(&self, factor: u32) -> Self {
        Self::default().plus(self, factor)
    }
}

/// The linear forms of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearForms(HashMap<Value, Linear>);

impl LinearForms {
    /// The forms of all reachable instructions.
    pub(crate) fn new(function: &Function, cfg: &Cfg) -> Self {
        let mut forms = Self::default();
        for &block in &cfg.order {
            for &inst in &function.block(block).insts {
                if function.ty(inst) == Type::I32
                    && let Some(form) = forms.of_operation(function, function.op(inst))
                    && form.terms.len() <= MAX_TERMS
                {
                    forms.0.insert(inst, form);
                }
            }
        }
        forms
    }

    /// The form of a value.
    pub(crate) fn of(&self, function: &Function, value: Value) -> Linear {
        match (self.0.get(&value), function.as_word(value)) {
            (Some(form), _) => form.clone(),
            (None, Some(word)) => Linear::constant(word),
            (None, None) => Linear::atom(value),
        }
    }

    fn of_operation(&self, function: &Function, op: &Op) -> Option<Linear> {
        let Op::Binary(binary, left, right) = *op else {
            return None;
        };
        let left = self.of(function, left);
        let right = self.of(function, right);
        match binary {
            Binary::Add => Some(left.plus(&right, 1)),
            Binary::Sub => Some(left.plus(&right, u32::MAX)),
            Binary::Mul => match (left.as_constant(), right.as_constant()) {
                (_, Some(factor)) => Some(left.times(factor)),
                (Some(factor), None) => Some(right.times(factor)),
                (None, None) => None,
            },
            Binary::Shl => Some(left.times(1 << (right.as_constant()? & 31))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ir::{Binary, Builtin, Cfg, Function, Op, Type};
    use super::{Linear, LinearForms};

    #[test]
    fn sums_and_constant_products_are_linear() {
        let mut function = Function::default();
        let entry = function.add_block();
        let id = function.floating(Op::Builtin(Builtin::GlobalId(0)), Type::I32);
        let two = function.word(2);
        let twelve = function.word(12);
        let shifted = function.push(entry, Op::Binary(Binary::Shl, id, two), Type::I32);
        let sum = function.push(entry, Op::Binary(Binary::Sub, twelve, shifted), Type::I32);
        let back = function.push(entry, Op::Binary(Binary::Add, sum, shifted), Type::I32);
        let square = function.push(entry, Op::Binary(Binary::Mul, id, id), Type::I32);
        let forms = LinearForms::new(&function, &Cfg::new(&function));
        let form = forms.of(&function, sum);
        assert_eq!((form.terms[&id], form.constant), (4_u32.wrapping_neg(), 12));
        assert_eq!(forms.of(&function, back), Linear::constant(12));
        assert_eq!(forms.of(&function, square), Linear::atom(square));
    }
}
