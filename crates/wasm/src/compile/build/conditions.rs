//! Conditions: values of type [`Type::Bool`], which WebAssembly writes as numbers.
//!
//! A condition stays one on the operand stack and in locals, until it is used as a number. What
//! always holds: a condition in place of a number stands for 1 or 0.

use super::builder::Builder;
use crate::compile::ir::{Binary, Op, Type, Unary, Value};

impl Builder<'_> {
    /// A constant condition.
    fn truth(&mut self, holds: bool) -> Value {
        self.function.constant(Type::Bool, u64::from(holds))
    }

    /// A value as a number.
    pub(super) fn number(&mut self, value: Value) -> Value {
        self.number_in(self.block, value)
    }

    /// A value as a number, converted at the end of a block.
    pub(super) fn number_in(&mut self, block: crate::compile::ir::Block, value: Value) -> Value {
        if self.function.ty(value) != Type::Bool {
            return value;
        }
        match self.function.as_const(value) {
            Some(bits) => self.function.constant(Type::I32, bits),
            None => self.add_to(block, Op::Unary(Unary::BoolToI32, value), Type::I32),
        }
    }

    /// Whether a number is not 0.
    pub(super) fn condition(&mut self, value: Value) -> Value {
        if let Some(condition) = self.as_condition(value) {
            return condition;
        }
        let zero = self.function.word(0);
        self.binary(Binary::Ne, value, zero)
    }

    /// The condition that a value is: a condition, or the constant 0 or 1.
    pub(super) fn as_condition(&mut self, value: Value) -> Option<Value> {
        if self.function.ty(value) == Type::Bool {
            return Some(value);
        }
        match self.function.as_word(value) {
            Some(word @ (0 | 1)) => Some(self.truth(word == 1)),
            _ => None,
        }
    }

    /// The negation of a condition.
    pub(super) fn not(&mut self, condition: Value) -> Value {
        if let Some(bits) = self.function.as_const(condition) {
            return self.truth(bits == 0);
        }
        match *self.function.op(condition) {
            Op::Unary(Unary::Not, inverse) => inverse,
            _ => self.add(Op::Unary(Unary::Not, condition), Type::Bool),
        }
    }

    /// Whether a number is 0.
    pub(super) fn is_zero(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        if ty == Type::Bool {
            return self.not(value);
        }
        let zero = self.function.constant(ty, 0);
        self.binary(Binary::Eq, value, zero)
    }

    /// An operation on two `I32` of which one is a condition, as an operation on conditions.
    pub(super) fn logical(&mut self, binary: Binary, left: Value, right: Value) -> Option<Value> {
        let has_condition = [left, right]
            .iter()
            .any(|&operand| self.function.ty(operand) == Type::Bool);
        let is_logical = matches!(
            binary,
            Binary::And | Binary::Or | Binary::Xor | Binary::Eq | Binary::Ne
        );
        if !has_condition || !is_logical {
            return None;
        }
        let (left, right) = (self.as_condition(left)?, self.as_condition(right)?);
        Some(match binary {
            Binary::Eq => {
                let differs = self.logical_of(Binary::Xor, left, right);
                self.not(differs)
            }
            Binary::Ne => self.logical_of(Binary::Xor, left, right),
            binary => self.logical_of(binary, left, right),
        })
    }

    /// `And`, `Or` or `Xor` of two conditions, of which at most one is constant.
    fn logical_of(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let (constant, other) = match (self.function.as_const(left), self.function.as_const(right))
        {
            (Some(bits), _) => (bits != 0, right),
            (_, Some(bits)) => (bits != 0, left),
            _ => return self.binary(binary, left, right),
        };
        match (binary, constant) {
            (Binary::And, false) | (Binary::Or, true) => self.truth(constant),
            (Binary::Xor, true) => self.not(other),
            _ => other,
        }
    }
}
