//! Rules for conditions and selections.

use super::{Folder, Simpler, not};
use crate::compile::ir::{Binary, Op, Type, Unary, Value};

impl Folder<'_> {
    /// The negation of a condition.
    pub(super) fn not(&mut self, operand: Value) -> Option<Simpler> {
        match *self.function.op(operand) {
            Op::Unary(Unary::Not, inner) => Some(Simpler::Value(inner)),
            Op::Binary(binary, left, right) => {
                let (binary, left, right) = match binary {
                    Binary::Eq => (Binary::Ne, left, right),
                    Binary::Ne => (Binary::Eq, left, right),
                    // Not for floats: both orders are false for NaN.
                    Binary::LtSigned => (Binary::LeSigned, right, left),
                    Binary::LeSigned => (Binary::LtSigned, right, left),
                    Binary::LtUnsigned => (Binary::LeUnsigned, right, left),
                    Binary::LeUnsigned => (Binary::LtUnsigned, right, left),
                    _ => return None,
                };
                Some(Simpler::Op(Op::Binary(binary, left, right)))
            }
            _ => None,
        }
    }

    /// `And`, `Or` and `Xor` of conditions. A constant is on the right.
    pub(super) fn logic(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let constant = self.function.as_const(right).map(|bits| bits != 0);
        let are_opposites =
            *self.function.op(left) == not(right) || *self.function.op(right) == not(left);
        match (binary, constant) {
            (Binary::And, Some(true)) | (Binary::Or | Binary::Xor, Some(false)) => {
                Some(Simpler::Value(left))
            }
            (Binary::And, Some(false)) | (Binary::Or, Some(true)) => Some(Simpler::Value(right)),
            (Binary::Xor, Some(true)) => Some(Simpler::Op(not(left))),
            (Binary::And | Binary::Or, _) if left == right => Some(Simpler::Value(left)),
            (Binary::Xor, _) if left == right => Some(self.constant(Type::Bool, 0)),
            (Binary::And, _) if are_opposites => Some(self.constant(Type::Bool, 0)),
            (Binary::Or | Binary::Xor, _) if are_opposites => Some(self.constant(Type::Bool, 1)),
            _ => None,
        }
    }

    /// A selection.
    pub(super) fn select(
        &mut self,
        condition: Value,
        yes: Value,
        no: Value,
        ty: Type,
    ) -> Option<Simpler> {
        if yes == no {
            return Some(Simpler::Value(yes));
        }
        if let Some(bits) = self.function.as_const(condition) {
            return Some(Simpler::Value(if bits != 0 { yes } else { no }));
        }
        if let Op::Unary(Unary::Not, inner) = *self.function.op(condition) {
            return Some(Simpler::Op(Op::Select {
                condition: inner,
                yes: no,
                no: yes,
            }));
        }
        let constants = (self.function.as_const(yes), self.function.as_const(no));
        match (ty, constants) {
            (Type::Bool, (Some(1), Some(_))) => Some(Simpler::Value(condition)),
            (Type::Bool, (Some(_), Some(_))) => Some(Simpler::Op(not(condition))),
            (Type::Bool, (_, Some(0))) => Some(binary(Binary::And, condition, yes)),
            (Type::Bool, (Some(1), _)) => Some(binary(Binary::Or, condition, no)),
            (Type::I32 | Type::I64, (Some(1), Some(0))) => Some(self.integer_of(condition, ty)),
            (Type::I32 | Type::I64, (Some(0), Some(1))) => {
                let condition = self.insert(not(condition), Type::Bool);
                Some(self.integer_of(condition, ty))
            }
            _ => None,
        }
    }
}

fn binary(binary: Binary, left: Value, right: Value) -> Simpler {
    Simpler::Op(Op::Binary(binary, left, right))
}
