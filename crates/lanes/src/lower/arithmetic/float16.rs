//! `f16` arithmetic: values are kept as the `f32` with the same value and rounded after every operation.
//!
//! Double rounding is innocuous: an `f32` has more than twice the significand bits of an `f16` plus two, so a sum,
//! product, quotient or square root rounded to `f32` and then to `f16` is correctly rounded (S. Figueroa, "When is
//! double rounding innocuous?", 1995). Functions with an error bound are computed in `f32` and rounded at the end.

use naga::{BinaryOperator, MathFunction};

use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare};

use crate::lower::Lowering;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;

/// The largest finite `f16`.
const MAX_FINITE: f32 = 65504.0;

impl Lowering<'_> {
    /// Rounds an `f32` to the nearest `f16`.
    pub(in crate::lower) fn rounded_to_half(&mut self, a: &Scalar) -> Scalar {
        let bits = self.unary(LaneUnary::ToHalf, a);
        self.unary(LaneUnary::FromHalf, &bits)
    }

    /// Rounds results to `f16`, if that is their type.
    pub(in crate::lower) fn rounded(&mut self, number: Number, scalars: Scalars) -> Scalars {
        match number {
            Number::F16 => scalars
                .iter()
                .map(|scalar| self.rounded_to_half(scalar))
                .collect(),
            _ => scalars,
        }
    }

    /// The bits of an `f16`, zero-extended.
    pub(in crate::lower) fn half_bits(&mut self, a: &Scalar) -> Scalar {
        self.unary(LaneUnary::ToHalf, a)
    }

    /// The `f16` with the low 16 bits of a word.
    pub(in crate::lower) fn half_from_bits(&mut self, a: &Scalar) -> Scalar {
        self.unary(LaneUnary::FromHalf, a)
    }

    pub(in crate::lower) fn operate_halves(
        &mut self,
        op: BinaryOperator,
        a: &Scalar,
        b: &Scalar,
    ) -> Result<Scalar> {
        use BinaryOperator as B;
        match op {
            B::Add | B::Subtract | B::Multiply | B::Divide => {
                let value = self.operate(op, ScalarType::Float, a, b)?;
                Ok(self.rounded_to_half(&value))
            }
            B::Modulo => {
                let (x, y) = (self.lanes(a), self.lanes(b));
                let value = self.half_remainder(x, y);
                Ok(self.result(value, &[a, b]))
            }
            _ => self.operate(op, ScalarType::Float, a, b),
        }
    }

    /// The exact remainder, which is an `f16`.
    ///
    /// The quotient can have 40 bits. Two steps, the first with a multiple of the divisor, keep each below 24 bits.
    fn half_remainder(&mut self, x: Value, y: Value) -> Value {
        let factor = self.float(65536.0);
        let large = self.binary(LaneBinary::MulF, y, factor);
        let rest = self.remainder_step(x, large);
        self.remainder_step(rest, y)
    }

    /// The remainder for a quotient below 2^24. The quotient may be one too large: then the rest has the wrong
    /// sign.
    fn remainder_step(&mut self, x: Value, y: Value) -> Value {
        let (sign_bit, zero) = (self.splat(0x8000_0000), self.splat(0));
        let quotient = self.binary(LaneBinary::DivF, x, y);
        let whole = self.emit(Op::Unary(LaneUnary::Trunc), &[quotient], Type::Lanes);
        let minus = self.int(WordBinary::Xor, whole, sign_bit);
        let rest = self.emit(Op::Fma, &[minus, y, x], Type::Lanes);
        let signs = self.int(WordBinary::Xor, rest, x);
        let is_other = LaneCompare::Int(WordCompare::LtS);
        let is_other = self.compare(is_other, signs, zero);
        let is_zero = self.compare(LaneCompare::EqF, rest, zero);
        let is_wrong = self.without(is_other, is_zero);
        let size_bits = self.splat(0x7fff_ffff);
        let size = self.int(WordBinary::And, y, size_bits);
        let sign = self.int(WordBinary::And, x, sign_bit);
        let back = self.int(WordBinary::Or, size, sign);
        let right = self.binary(LaneBinary::AddF, rest, back);
        self.select(is_wrong, right, rest)
    }

    pub(in crate::lower) fn half_function(
        &mut self,
        function: MathFunction,
        a: &[Scalar],
    ) -> Result<Scalar> {
        use MathFunction as F;
        match function {
            F::Fma => {
                let x: Vec<Value> = a.iter().map(|scalar| self.lanes(scalar)).collect();
                let value = self.half_fma(x[0], x[1], x[2]);
                let value = self.result(value, &a.iter().collect::<Vec<_>>());
                Ok(self.rounded_to_half(&value))
            }
            // These functions map `f16` to `f16` exactly.
            F::Abs
            | F::Min
            | F::Max
            | F::Clamp
            | F::Saturate
            | F::Sign
            | F::Floor
            | F::Ceil
            | F::Round
            | F::Trunc
            | F::Step => self.componentwise(function, ScalarType::Float, a),
            _ => {
                let value = self.componentwise(function, ScalarType::Float, a)?;
                Ok(self.rounded_to_half(&value))
            }
        }
    }

    /// `x * y + z` as an `f32` that rounds to the `f16` nearest to the exact sum.
    ///
    /// The product is exact. The sum is rounded to odd: if it is inexact, its last bit is set, so that it is never
    /// mistaken for the midpoint between two numbers (S. Boldo and G. Melquiond, "Emulation of FMA and correctly
    /// rounded sums", 2008).
    fn half_fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        let product = self.binary(LaneBinary::MulF, x, y);
        let sum = self.binary(LaneBinary::AddF, product, z);
        let of_z = self.binary(LaneBinary::SubF, sum, product);
        let of_product = self.binary(LaneBinary::SubF, sum, of_z);
        let rest = self.binary(LaneBinary::SubF, product, of_product);
        let rest_of_z = self.binary(LaneBinary::SubF, z, of_z);
        let rest = self.binary(LaneBinary::AddF, rest, rest_of_z);
        let (zero, one) = (self.splat(0), self.splat(1));
        let last = self.int(WordBinary::And, sum, one);
        let is_even = self.compare(LaneCompare::Int(WordCompare::Eq), last, zero);
        // False if the sum is infinite: then the rest is NaN.
        let above = self.compare(LaneCompare::LtF, zero, rest);
        let below = self.compare(LaneCompare::LtF, rest, zero);
        let is_inexact = self.mask_binary(crate::ir::MaskBinary::Or, above, below);
        let is_moved = self.mask_binary(crate::ir::MaskBinary::And, is_even, is_inexact);
        // Away from zero if both have the same sign, otherwise towards it.
        let signs = self.int(WordBinary::Xor, sum, rest);
        let way = self.emit(Op::SarBy(31), &[signs], Type::Lanes);
        let way = self.int(WordBinary::Or, way, one);
        let moved = self.int(WordBinary::Add, sum, way);
        self.select(is_moved, moved, sum)
    }

    /// Converts an `f16` to an integer of up to 32 bits: truncates, and clamps to the largest integer that is an
    /// `f16`.
    pub(in crate::lower) fn half_to_integer(&mut self, to: Number, a: &Scalar) -> Result<Scalar> {
        let (least, most) = match to {
            Number::I16 => (-32768.0, 32752.0),
            Number::U16 | Number::U32 => (0.0, MAX_FINITE),
            _ => (-MAX_FINITE, MAX_FINITE),
        };
        Ok(self.clamped_to_integer(to, a, least, most))
    }

    /// Converts an `f32` to a 16-bit integer.
    pub(in crate::lower) fn float_to_short(&mut self, to: Number, a: &Scalar) -> Scalar {
        let (least, most) = match to {
            Number::I16 => (-32768.0, 32767.0),
            _ => (0.0, 65535.0),
        };
        self.clamped_to_integer(to, a, least, most)
    }

    fn clamped_to_integer(&mut self, to: Number, a: &Scalar, least: f32, most: f32) -> Scalar {
        let (x, least, most) = (self.lanes(a), self.float(least), self.float(most));
        // `min` returns its second operand for NaN, and NaN converts to zero.
        let x = self.binary(LaneBinary::MinF, most, x);
        let x = self.binary(LaneBinary::MaxF, least, x);
        let op = if to.is_signed() {
            LaneUnary::ToS
        } else {
            LaneUnary::ToU
        };
        let value = self.emit(Op::Unary(op), &[x], Type::Lanes);
        self.result(value, &[a])
    }
}
