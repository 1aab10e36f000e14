//! 16-bit integers: kept in 32 bits, sign- or zero-extended after every operation that may leave the range.

use naga::{BinaryOperator, MathFunction};

use crate::ir::WordBinary;

use crate::lower::Lowering;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::Result;

/// The significant bits of a shift amount.
const AMOUNT: Scalar = Scalar::Known(15);

impl Lowering<'_> {
    /// The low bits of a word, extended to a number of up to 32 bits.
    pub(in crate::lower) fn extended(&mut self, number: Number, a: &Scalar) -> Scalar {
        let by = Scalar::Known(16);
        match number {
            Number::I16 => {
                let high = self.integer(WordBinary::Shl, a, &by);
                self.integer(WordBinary::ShrS, &high, &by)
            }
            Number::U16 => self.integer(WordBinary::And, a, &Scalar::Known(0xffff)),
            _ => a.clone(),
        }
    }

    pub(in crate::lower) fn operate_short(
        &mut self,
        op: BinaryOperator,
        number: Number,
        a: &Scalar,
        b: &Scalar,
    ) -> Result<Scalar> {
        use BinaryOperator as B;
        let kind = number.kind();
        match op {
            B::ShiftLeft => {
                let by = self.integer(WordBinary::And, b, &AMOUNT);
                let value = self.operate(op, kind, a, &by)?;
                Ok(self.extended(number, &value))
            }
            B::ShiftRight => {
                let by = self.integer(WordBinary::And, b, &AMOUNT);
                self.operate(op, kind, a, &by)
            }
            B::Add | B::Subtract | B::Multiply | B::Divide => {
                let value = self.operate(op, kind, a, b)?;
                Ok(self.extended(number, &value))
            }
            _ => self.operate(op, kind, a, b),
        }
    }

    pub(in crate::lower) fn short_function(
        &mut self,
        function: MathFunction,
        number: Number,
        a: &[Scalar],
    ) -> Result<Scalar> {
        use MathFunction as F;
        let kind = number.kind();
        let known = Scalar::Known;
        match function {
            F::CountOneBits | F::CountLeadingZeros | F::ReverseBits => {
                let bits = self.extended(Number::U16, &a[0]);
                let value = self.componentwise(function, kind, &[bits])?;
                Ok(match function {
                    F::CountLeadingZeros => self.integer(WordBinary::Sub, &value, &known(16)),
                    F::ReverseBits => {
                        let low = self.integer(WordBinary::ShrU, &value, &known(16));
                        self.extended(number, &low)
                    }
                    _ => value,
                })
            }
            F::CountTrailingZeros => {
                let bits = self.integer(WordBinary::Or, &a[0], &known(1 << 16));
                self.componentwise(function, kind, &[bits])
            }
            F::ExtractBits => {
                let (offset, count) = self.short_field(&a[1], &a[2]);
                self.componentwise(function, kind, &[a[0].clone(), offset, count])
            }
            F::InsertBits => {
                let (offset, count) = self.short_field(&a[2], &a[3]);
                let arguments = [a[0].clone(), a[1].clone(), offset, count];
                let value = self.componentwise(function, kind, &arguments)?;
                Ok(self.extended(number, &value))
            }
            F::Abs | F::FirstLeadingBit | F::FirstTrailingBit => {
                let value = self.componentwise(function, kind, a)?;
                Ok(self.extended(number, &value))
            }
            _ => self.componentwise(function, kind, a),
        }
    }

    /// Offset and size of a bit field, clamped to 16 bits.
    fn short_field(&mut self, offset: &Scalar, count: &Scalar) -> (Scalar, Scalar) {
        let all = Scalar::Known(16);
        let offset = self.integer(WordBinary::MinU, offset, &all);
        let rest = self.integer(WordBinary::Sub, &all, &offset);
        let count = self.integer(WordBinary::MinU, count, &rest);
        (offset, count)
    }
}
