//! Operations with one operand.

use naga::{MathFunction, ScalarKind};

use super::convert::Sign;
use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Unary, Value};

impl Kernel<'_> {
    /// An operation with one operand, whose result is `inst`.
    pub(super) fn unary(&mut self, inst: Value, op: Unary, operand: Value) -> Expr {
        let is_exact = self.uses.is_exact[inst.0 as usize];
        match op {
            Unary::Not => {
                let value = self.value(operand);
                self.writer.not(value)
            }
            Unary::BoolToI32 => {
                let value = self.value(operand);
                let [one, zero] = [1, 0].map(|word| self.writer.u32(word));
                self.writer.select(value, one, zero)
            }
            Unary::CountLeadingZeros => self.count_bits(MathFunction::CountLeadingZeros, operand),
            Unary::CountTrailingZeros => self.count_bits(MathFunction::CountTrailingZeros, operand),
            Unary::CountOnes => self.count_bits(MathFunction::CountOneBits, operand),
            Unary::Extend8 => self.extend(operand, 8),
            Unary::Extend16 => self.extend(operand, 16),
            Unary::Extend32 => self.extend(operand, 32),
            Unary::Wrap => self.converted(operand, ScalarKind::Uint, 4),
            Unary::ZeroExtend => self.converted(operand, ScalarKind::Uint, 8),
            Unary::SignExtend => {
                let value = self.signed(operand);
                let wide = self.writer.convert(value, ScalarKind::Sint, 8);
                self.unsigned(wide)
            }
            Unary::Abs => self.float_abs(operand, is_exact),
            Unary::Neg => self.float_neg(operand, is_exact),
            Unary::Ceil => self.float_math(MathFunction::Ceil, operand),
            Unary::Floor => self.float_math(MathFunction::Floor, operand),
            Unary::Truncate => self.float_math(MathFunction::Trunc, operand),
            // Ties to even.
            Unary::Nearest => self.float_math(MathFunction::Round, operand),
            Unary::Sqrt => self.float_math(MathFunction::Sqrt, operand),
            Unary::TruncateSaturateSigned(ty) => self.integer_of(operand, Sign::Signed, ty),
            Unary::TruncateSaturateUnsigned(ty) => self.integer_of(operand, Sign::Unsigned, ty),
            Unary::ConvertSigned(ty) => self.float_of(operand, Sign::Signed, ty),
            Unary::ConvertUnsigned(ty) => self.float_of(operand, Sign::Unsigned, ty),
            Unary::Demote => self.converted(operand, ScalarKind::Float, 4),
            Unary::Promote => self.converted(operand, ScalarKind::Float, 8),
            Unary::Reinterpret(ty) => self.reinterpret(operand, ty),
        }
    }

    fn converted(&mut self, operand: Value, kind: ScalarKind, bytes: u8) -> Expr {
        let value = self.value(operand);
        self.writer.convert(value, kind, bytes)
    }

    fn float_math(&mut self, fun: MathFunction, operand: Value) -> Expr {
        let value = self.value(operand);
        self.writer.math(fun, value)
    }
}
