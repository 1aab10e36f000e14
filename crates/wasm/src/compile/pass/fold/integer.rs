//! Rules for integer arithmetic.

use super::compare::mask;
use super::{Folder, Simpler, constant, not};
use crate::compile::ir::{Binary, Op, Type, Value};

impl Folder<'_> {
    /// Arithmetic of values that are not both constant. A constant is on the right if the
    /// operation is commutative.
    pub(super) fn integer(
        &mut self,
        binary: Binary,
        left: Value,
        right: Value,
        ty: Type,
    ) -> Option<Simpler> {
        if left == right {
            match binary {
                Binary::Sub | Binary::Xor => return Some(self.constant(ty, 0)),
                Binary::And | Binary::Or => return Some(Simpler::Value(left)),
                _ => {}
            }
        }
        if let Some(bits) = self.function.as_const(right) {
            return (self.identity(binary, left, bits, ty))
                .or_else(|| self.reassociate(binary, left, bits, ty))
                .or_else(|| self.bits_of_condition(binary, left, bits, ty));
        }
        if let Some(bits) = self.function.as_const(left) {
            return self.constant_left(binary, bits, right, ty);
        }
        if let (Some(a), Some(b)) = (self.as_condition(left), self.as_condition(right))
            && matches!(binary, Binary::And | Binary::Or | Binary::Xor)
        {
            let condition = self.insert(Op::Binary(binary, a, b), Type::Bool);
            return Some(self.integer_of(condition, ty));
        }
        self.cancel(binary, left, right)
    }

    /// Operations with a constant that are a simpler one.
    fn identity(&mut self, binary: Binary, left: Value, bits: u64, ty: Type) -> Option<Simpler> {
        let width = u64::from(ty.bits());
        let same = Some(Simpler::Value(left));
        match (binary, bits) {
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, 0) => same,
            (Binary::Mul | Binary::DivSigned | Binary::DivUnsigned, 1) => same,
            (Binary::Mul | Binary::And, 0) => Some(self.constant(ty, 0)),
            (Binary::And, bits) if bits == mask(ty) => same,
            (Binary::Or, bits) if bits == mask(ty) => Some(self.constant(ty, bits)),
            (
                Binary::Shl
                | Binary::ShrSigned
                | Binary::ShrUnsigned
                | Binary::RotateLeft
                | Binary::RotateRight,
                count,
            ) if count & (width - 1) == 0 => same,
            (Binary::RemUnsigned | Binary::RemSigned, 1) => Some(self.constant(ty, 0)),
            (Binary::Sub, bits) => {
                let bits = bits.wrapping_neg() & mask(ty);
                Some(self.with_constant(Binary::Add, left, bits, ty))
            }
            (Binary::DivUnsigned, bits) if bits.is_power_of_two() => {
                let count = u64::from(bits.trailing_zeros());
                Some(self.with_constant(Binary::ShrUnsigned, left, count, ty))
            }
            (Binary::RemUnsigned, bits) if bits.is_power_of_two() => {
                Some(self.with_constant(Binary::And, left, bits - 1, ty))
            }
            _ => None,
        }
    }

    fn with_constant(&mut self, binary: Binary, left: Value, bits: u64, ty: Type) -> Simpler {
        let right = self.function.constant(ty, bits);
        Simpler::Op(Op::Binary(binary, left, right))
    }

    /// Joins the constants of two operations.
    fn reassociate(&mut self, binary: Binary, left: Value, bits: u64, ty: Type) -> Option<Simpler> {
        let Op::Binary(inner, a, b) = *self.function.op(left) else {
            return None;
        };
        if let (Binary::Add, Binary::Sub, Some(from)) = (binary, inner, self.function.as_const(a)) {
            let sum = constant::binary(Binary::Add, ty, from, bits)?;
            let sum = self.function.constant(ty, sum);
            return Some(Simpler::Op(Op::Binary(Binary::Sub, sum, b)));
        }
        let other = self.function.as_const(b)?;
        match (binary, inner) {
            (Binary::Add, Binary::Add)
            | (Binary::Mul, Binary::Mul)
            | (Binary::And, Binary::And)
            | (Binary::Or, Binary::Or)
            | (Binary::Xor, Binary::Xor) => {
                let joined = constant::binary(binary, ty, other, bits)?;
                Some(self.with_constant(binary, a, joined, ty))
            }
            (Binary::Shl, Binary::Shl) | (Binary::ShrUnsigned, Binary::ShrUnsigned) => {
                let width = u64::from(ty.bits());
                let count = (bits & (width - 1)) + (other & (width - 1));
                if count >= width {
                    return Some(self.constant(ty, 0));
                }
                Some(self.with_constant(binary, a, count, ty))
            }
            // The mask keeps all bits that the shift leaves.
            (Binary::And, Binary::ShrUnsigned) => {
                let left_over = constant::binary(Binary::ShrUnsigned, ty, mask(ty), other)?;
                (left_over & bits == left_over).then_some(Simpler::Value(left))
            }
            _ => None,
        }
    }

    /// Bits of the number of a condition.
    fn bits_of_condition(
        &mut self,
        binary: Binary,
        left: Value,
        bits: u64,
        ty: Type,
    ) -> Option<Simpler> {
        let condition = self.as_condition(left)?;
        match binary {
            Binary::And if bits & 1 == 1 => Some(Simpler::Value(left)),
            Binary::And => Some(self.constant(ty, 0)),
            Binary::Xor if bits == 1 => {
                let condition = self.insert(not(condition), Type::Bool);
                Some(self.integer_of(condition, ty))
            }
            _ => None,
        }
    }

    fn constant_left(
        &mut self,
        binary: Binary,
        bits: u64,
        right: Value,
        ty: Type,
    ) -> Option<Simpler> {
        match (binary, bits) {
            (Binary::Shl | Binary::ShrSigned | Binary::ShrUnsigned, 0) => {
                Some(self.constant(ty, 0))
            }
            (Binary::Sub, _) => {
                let Op::Binary(inner, a, b) = *self.function.op(right) else {
                    return None;
                };
                let (op, value) =
                    match (inner, self.function.as_const(a), self.function.as_const(b)) {
                        // c - (a + d) = (c - d) - a
                        (Binary::Add, _, Some(added)) => {
                            let bits = constant::binary(Binary::Sub, ty, bits, added)?;
                            (Binary::Sub, (bits, a))
                        }
                        // c - (d - b) = b + (c - d)
                        (Binary::Sub, Some(from), _) => {
                            let bits = constant::binary(Binary::Sub, ty, bits, from)?;
                            return Some(self.with_constant(Binary::Add, b, bits, ty));
                        }
                        _ => return None,
                    };
                let left = self.function.constant(ty, value.0);
                Some(Simpler::Op(Op::Binary(op, left, value.1)))
            }
            _ => None,
        }
    }

    /// `a - b + b`, `a + b - b` and `a - (a - b)`.
    fn cancel(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let parts = |value: Value| match *self.function.op(value) {
            Op::Binary(inner, a, b) => Some((inner, a, b)),
            _ => None,
        };
        match (binary, parts(left), parts(right)) {
            (Binary::Add, Some((Binary::Sub, a, b)), _) if b == right => Some(Simpler::Value(a)),
            (Binary::Add, _, Some((Binary::Sub, a, b))) if b == left => Some(Simpler::Value(a)),
            (Binary::Sub, Some((Binary::Add, a, b)), _) if b == right => Some(Simpler::Value(a)),
            (Binary::Sub, Some((Binary::Add, a, b)), _) if a == right => Some(Simpler::Value(b)),
            (Binary::Sub, _, Some((Binary::Sub, a, b))) if a == left => Some(Simpler::Value(b)),
            _ => None,
        }
    }
}
