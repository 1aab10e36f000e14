//! Float operations, as WebAssembly defines them.

use naga::{BinaryOperator, MathFunction, ScalarKind, UnaryOperator};

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Binary, Type, Value};

impl Kernel<'_> {
    pub(super) fn float_binary(&mut self, op: Binary, left: Value, right: Value) -> Expr {
        use BinaryOperator as Bo;
        match op {
            Binary::Add => self.plain(Bo::Add, left, right),
            Binary::Sub => self.plain(Bo::Subtract, left, right),
            Binary::Mul => self.plain(Bo::Multiply, left, right),
            Binary::Div => self.plain(Bo::Divide, left, right),
            Binary::Eq => self.plain(Bo::Equal, left, right),
            // Drivers take `!=` for ordered, which is false for NaN.
            Binary::Ne => {
                let is_equal = self.plain(Bo::Equal, left, right);
                self.writer.not(is_equal)
            }
            Binary::Lt => self.plain(Bo::Less, left, right),
            Binary::Le => self.plain(Bo::LessEqual, left, right),
            Binary::Min => self.extreme(Bo::Less, Bo::InclusiveOr, left, right),
            Binary::Max => self.extreme(Bo::Greater, Bo::And, left, right),
            Binary::CopySign => self.copy_sign(left, right),
            // These are operations of integers.
            _ => self.value(left),
        }
    }

    /// Minimum or maximum: of equal numbers, which may be zeros, the signs are joined; a sum with NaN is NaN.
    fn extreme(
        &mut self,
        order: BinaryOperator,
        join: BinaryOperator,
        left: Value,
        right: Value,
    ) -> Expr {
        let [left, right] = self.all_values([left, right]);
        let left_wins = self.writer.binary(order, left, right);
        let right_wins = self.writer.binary(order, right, left);
        let is_equal = self.writer.binary(BinaryOperator::Equal, left, right);
        let bits = [left, right].map(|number| self.writer.bitcast(number, ScalarKind::Uint));
        let joined = self.writer.binary(join, bits[0], bits[1]);
        let joined = self.writer.bitcast(joined, ScalarKind::Float);
        let sum = self.writer.binary(BinaryOperator::Add, left, right);
        let result = self.writer.select(is_equal, joined, sum);
        let result = self.writer.select(right_wins, right, result);
        self.writer.select(left_wins, left, result)
    }

    /// All bits but the sign, and the sign.
    fn masks(&mut self, ty: Type) -> [Expr; 2] {
        let sign = if ty == Type::F64 { 1 << 63 } else { 1 << 31 };
        [self.word(ty, sign - 1), self.word(ty, sign)]
    }

    fn copy_sign(&mut self, left: Value, right: Value) -> Expr {
        let [magnitude, sign] = self.masks(self.function.ty(left));
        let operands = self.all_values([left, right]);
        let [left, right] = operands.map(|number| self.writer.bitcast(number, ScalarKind::Uint));
        let left = self.writer.binary(BinaryOperator::And, left, magnitude);
        let right = self.writer.binary(BinaryOperator::And, right, sign);
        let bits = self.writer.binary(BinaryOperator::InclusiveOr, left, right);
        self.writer.bitcast(bits, ScalarKind::Float)
    }

    /// Clears the sign. Where the bits of a NaN cannot be seen, it is naga's function.
    pub(super) fn float_abs(&mut self, operand: Value, result_is_exact: bool) -> Expr {
        let value = self.value(operand);
        if !result_is_exact {
            return self.writer.math(MathFunction::Abs, value);
        }
        let [magnitude, _] = self.masks(self.function.ty(operand));
        self.with_bits(BinaryOperator::And, value, magnitude)
    }

    /// Inverts the sign.
    pub(super) fn float_neg(&mut self, operand: Value, result_is_exact: bool) -> Expr {
        let value = self.value(operand);
        if !result_is_exact {
            return self.writer.unary(UnaryOperator::Negate, value);
        }
        let [_, sign] = self.masks(self.function.ty(operand));
        self.with_bits(BinaryOperator::ExclusiveOr, value, sign)
    }

    fn with_bits(&mut self, op: BinaryOperator, value: Expr, mask: Expr) -> Expr {
        let bits = self.writer.bitcast(value, ScalarKind::Uint);
        let bits = self.writer.binary(op, bits, mask);
        self.writer.bitcast(bits, ScalarKind::Float)
    }
}
