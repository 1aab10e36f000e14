//! Conversions between integers and floats.

use naga::{BinaryOperator, ScalarKind};

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Type, Value};

/// Whether an integer has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

const fn bytes(ty: Type) -> u8 {
    (ty.bits() / 8) as u8
}

impl Kernel<'_> {
    /// Integer to float.
    pub(super) fn float_of(&mut self, operand: Value, sign: Sign, ty: Type) -> Expr {
        let value = match sign {
            Sign::Signed => self.signed(operand),
            Sign::Unsigned => self.value(operand),
        };
        self.writer.convert(value, ScalarKind::Float, bytes(ty))
    }

    fn float(&mut self, ty: Type, number: f64) -> Expr {
        match ty {
            Type::F64 => self.writer.f64(number),
            _ => self.writer.f32(number as f32),
        }
    }

    /// Float to integer: towards zero, saturating, 0 for NaN. naga's conversion saturates to the last float below the
    /// limit, so the limits are tested. They are powers of two, which floats have.
    pub(super) fn integer_of(&mut self, operand: Value, sign: Sign, ty: Type) -> Expr {
        let from = self.function.ty(operand);
        let value = self.value(operand);
        let is_signed = sign == Sign::Signed;
        let bits = ty.bits() - u32::from(is_signed);
        let kind = if is_signed {
            ScalarKind::Sint
        } else {
            ScalarKind::Uint
        };
        let mut result = self.writer.convert(value, kind, bytes(ty));
        if is_signed {
            result = self.unsigned(result);
        }
        let limit = 2_f64.powi(bits as i32);
        let top = self.float(from, limit);
        let is_above = self.writer.binary(BinaryOperator::GreaterEqual, value, top);
        let highest = self.word(ty, u64::MAX >> (64 - bits));
        result = self.writer.select(is_above, highest, result);
        let zero = self.word(ty, 0);
        if is_signed {
            let bottom = self.float(from, -limit);
            let is_inside = self
                .writer
                .binary(BinaryOperator::GreaterEqual, value, bottom);
            let lowest = self.word(ty, 1 << bits);
            result = self.writer.select(is_inside, result, lowest);
            let is_number = self.writer.binary(BinaryOperator::Equal, value, value);
            self.writer.select(is_number, result, zero)
        } else {
            let bottom = self.float(from, 0.0);
            let is_above = self.writer.binary(BinaryOperator::Greater, value, bottom);
            self.writer.select(is_above, result, zero)
        }
    }

    /// The same bits as another type.
    pub(super) fn reinterpret(&mut self, operand: Value, ty: Type) -> Expr {
        let value = self.value(operand);
        if self.function.ty(operand) == ty {
            return value;
        }
        let kind = if ty.is_float() {
            ScalarKind::Float
        } else {
            ScalarKind::Uint
        };
        self.writer.bitcast(value, kind)
    }
}
