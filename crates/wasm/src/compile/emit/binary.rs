//! Operations with two operands, by their type.

use naga::BinaryOperator;

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Binary, Type, Value};

impl Kernel<'_> {
    /// An operation with two operands.
    pub(super) fn binary(&mut self, op: Binary, left: Value, right: Value) -> Expr {
        match self.function.ty(left) {
            Type::Unit | Type::Bool => self.bool_binary(op, left, right),
            Type::I32 | Type::I64 => self.integer_binary(op, left, right),
            Type::F32 | Type::F64 => self.float_binary(op, left, right),
        }
    }

    /// Conditions. Both operands have been evaluated.
    fn bool_binary(&mut self, op: Binary, left: Value, right: Value) -> Expr {
        let op = match op {
            Binary::And => BinaryOperator::And,
            Binary::Or => BinaryOperator::InclusiveOr,
            Binary::Eq => BinaryOperator::Equal,
            _ => BinaryOperator::NotEqual,
        };
        let [left, right] = self.all_values([left, right]);
        self.writer.binary(op, left, right)
    }
}
