//! Integer operations. Integers are unsigned in naga; signed operations cast.

use naga::{BinaryOperator, MathFunction, ScalarKind};

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Binary, Type, Value};

impl Kernel<'_> {
    pub(super) fn integer_binary(&mut self, op: Binary, left: Value, right: Value) -> Expr {
        use BinaryOperator as Bo;
        match op {
            Binary::Add => self.plain(Bo::Add, left, right),
            Binary::Sub => self.plain(Bo::Subtract, left, right),
            Binary::Mul => self.plain(Bo::Multiply, left, right),
            Binary::And => self.plain(Bo::And, left, right),
            Binary::Or => self.plain(Bo::InclusiveOr, left, right),
            Binary::Xor => self.plain(Bo::ExclusiveOr, left, right),
            Binary::Eq => self.plain(Bo::Equal, left, right),
            Binary::Ne => self.plain(Bo::NotEqual, left, right),
            Binary::LtUnsigned | Binary::Lt => self.plain(Bo::Less, left, right),
            Binary::LeUnsigned | Binary::Le => self.plain(Bo::LessEqual, left, right),
            Binary::LtSigned => self.compare_signed(Bo::Less, left, right),
            Binary::LeSigned => self.compare_signed(Bo::LessEqual, left, right),
            Binary::DivUnsigned | Binary::Div => self.divide(Bo::Divide, left, right),
            Binary::RemUnsigned => self.divide(Bo::Modulo, left, right),
            Binary::DivSigned => self.divide_signed(Bo::Divide, left, right),
            Binary::RemSigned => self.divide_signed(Bo::Modulo, left, right),
            Binary::Shl => self.shift(Bo::ShiftLeft, left, right),
            Binary::ShrUnsigned => self.shift(Bo::ShiftRight, left, right),
            Binary::ShrSigned => self.shift_signed(left, right),
            Binary::RotateLeft => self.rotate([Bo::ShiftLeft, Bo::ShiftRight], left, right),
            Binary::RotateRight => self.rotate([Bo::ShiftRight, Bo::ShiftLeft], left, right),
            // These are operations of floats.
            Binary::Min | Binary::Max | Binary::CopySign => self.value(left),
        }
    }

    /// An operation of the values as they are.
    pub(super) fn plain(&mut self, op: BinaryOperator, left: Value, right: Value) -> Expr {
        let [left, right] = self.all_values([left, right]);
        self.writer.binary(op, left, right)
    }

    fn compare_signed(&mut self, op: BinaryOperator, left: Value, right: Value) -> Expr {
        let (left, right) = (self.signed(left), self.signed(right));
        self.writer.binary(op, left, right)
    }

    /// naga refuses a constant divisor of 0. There is a trap before such a division.
    fn is_zero(&self, value: Value) -> bool {
        self.function.as_const(value) == Some(0)
    }

    fn divide(&mut self, op: BinaryOperator, left: Value, right: Value) -> Expr {
        if self.is_zero(right) {
            return self.value(left);
        }
        self.plain(op, left, right)
    }

    /// A divisor of -1, by which the smallest number overflows, is replaced: by a negation for quotients, by 1 for
    /// remainders.
    fn divide_signed(&mut self, op: BinaryOperator, left: Value, right: Value) -> Expr {
        let ty = self.function.ty(left);
        if self.is_zero(right) {
            return self.value(left);
        }
        let minus_one = if ty == Type::I64 {
            u64::MAX
        } else {
            u32::MAX.into()
        };
        let dividend = self.signed(left);
        if let Some(divisor) = self.function.as_const(right)
            && divisor != minus_one
        {
            let divisor = self.signed(right);
            let result = self.writer.binary(op, dividend, divisor);
            return self.unsigned(result);
        }
        let bits = self.value(right);
        let special = self.word(ty, minus_one);
        let is_special = self.writer.binary(BinaryOperator::Equal, bits, special);
        let one = self.word(ty, 1);
        let divisor = self.writer.select(is_special, one, bits);
        let divisor = self.writer.bitcast(divisor, ScalarKind::Sint);
        let result = self.writer.binary(op, dividend, divisor);
        let result = self.unsigned(result);
        if op == BinaryOperator::Modulo {
            return result;
        }
        let zero = self.word(ty, 0);
        let dividend = self.value(left);
        let negated = self.writer.binary(BinaryOperator::Subtract, zero, dividend);
        self.writer.select(is_special, negated, result)
    }

    /// The count of a shift, as a `u32` below the number of bits.
    fn count(&mut self, value: Value) -> Expr {
        let ty = self.function.ty(value);
        let mask = ty.bits() - 1;
        if let Some(bits) = self.function.as_const(value) {
            return self.writer.u32(bits as u32 & mask);
        }
        let mut count = self.value(value);
        if ty == Type::I64 {
            count = self.writer.convert(count, ScalarKind::Uint, 4);
        }
        let mask = self.writer.u32(mask);
        self.writer.binary(BinaryOperator::And, count, mask)
    }

    fn shift(&mut self, op: BinaryOperator, left: Value, right: Value) -> Expr {
        let left = self.value(left);
        let count = self.count(right);
        self.writer.binary(op, left, count)
    }

    fn shift_signed(&mut self, left: Value, right: Value) -> Expr {
        let left = self.signed(left);
        let count = self.count(right);
        let result = self.writer.binary(BinaryOperator::ShiftRight, left, count);
        self.unsigned(result)
    }

    fn rotate(&mut self, ops: [BinaryOperator; 2], left: Value, right: Value) -> Expr {
        let bits = self.function.ty(left).bits();
        let value = self.value(left);
        let count = self.count(right);
        let back = match self.function.as_const(right) {
            Some(count) => self
                .writer
                .u32((bits - (count as u32 & (bits - 1))) & (bits - 1)),
            None => {
                let (zero, mask) = (self.writer.u32(0), self.writer.u32(bits - 1));
                let back = self.writer.binary(BinaryOperator::Subtract, zero, count);
                self.writer.binary(BinaryOperator::And, back, mask)
            }
        };
        let first = self.writer.binary(ops[0], value, count);
        let second = self.writer.binary(ops[1], value, back);
        self.writer
            .binary(BinaryOperator::InclusiveOr, first, second)
    }

    /// Counts bits. 64-bit numbers are counted by halves, because naga has no such function for them everywhere.
    pub(super) fn count_bits(&mut self, fun: MathFunction, operand: Value) -> Expr {
        let value = self.value(operand);
        if self.function.ty(operand) != Type::I64 {
            return self.writer.math(fun, value);
        }
        let thirty_two = self.writer.u32(32);
        let low = self.writer.convert(value, ScalarKind::Uint, 4);
        let high = self
            .writer
            .binary(BinaryOperator::ShiftRight, value, thirty_two);
        let high = self.writer.convert(high, ScalarKind::Uint, 4);
        let [in_low, in_high] = [low, high].map(|half| self.writer.math(fun, half));
        let both = match fun {
            MathFunction::CountOneBits => self.writer.binary(BinaryOperator::Add, in_low, in_high),
            MathFunction::CountLeadingZeros => self.zeros(high, in_high, in_low),
            _ => self.zeros(low, in_low, in_high),
        };
        self.writer.convert(both, ScalarKind::Uint, 8)
    }

    /// Zeros of the first half, and those of the second if the first one is zero.
    fn zeros(&mut self, first: Expr, in_first: Expr, in_second: Expr) -> Expr {
        let [zero, size] = [0, 32].map(|word| self.writer.u32(word));
        let is_zero = self.writer.binary(BinaryOperator::Equal, first, zero);
        let more = self.writer.binary(BinaryOperator::Add, in_second, size);
        self.writer.select(is_zero, more, in_first)
    }

    /// Sign extension of the low bits, in place.
    pub(super) fn extend(&mut self, operand: Value, bits: u32) -> Expr {
        let count = self.function.ty(operand).bits().saturating_sub(bits);
        let value = self.value(operand);
        let count = self.writer.u32(count);
        let shifted = self.writer.binary(BinaryOperator::ShiftLeft, value, count);
        let signed = self.writer.bitcast(shifted, ScalarKind::Sint);
        let result = self
            .writer
            .binary(BinaryOperator::ShiftRight, signed, count);
        self.unsigned(result)
    }
}
