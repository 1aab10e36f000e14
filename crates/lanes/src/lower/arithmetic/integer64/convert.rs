//! Conversions between 64-bit integers and floats.

use crate::ir::{LaneBinary, LaneUnary, Op, Type, WordBinary, WordCompare};

use super::pair;
use crate::lower::Lowering;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};

impl Lowering<'_> {
    /// Extends a number of one word to two.
    pub(in crate::lower) fn widened(&mut self, from: Number, a: &Scalar) -> Scalars {
        match from {
            Number::Bool => {
                let low = self.one_if(a);
                pair(low, Scalar::ZERO)
            }
            _ if from.is_signed() => {
                let sign = self.integer(WordBinary::ShrS, a, &Scalar::Known(31));
                pair(a.clone(), sign)
            }
            _ => pair(a.clone(), Scalar::ZERO),
        }
    }

    /// Converts to the nearest `f32`, ties to even.
    ///
    /// Rounds the highest 32 significant bits, with the last one set if any lower bit is set (sticky bit).
    pub(in crate::lower) fn wide_to_float(&mut self, from: Number, a: &[Scalar]) -> Scalar {
        let of: Vec<&Scalar> = a.iter().collect();
        let size = if from.is_signed() {
            self.wide_size(a)
        } else {
            a.iter().cloned().collect()
        };
        let zeros = self.wide_leading_zeros(&size);
        let shifted = self.wide_shl(&size, &zeros);
        let has_more = self.integer_compare(WordCompare::Ne, &shifted[0], &Scalar::ZERO);
        let sticky = self.one_if(&has_more);
        let top = self.integer(WordBinary::Or, &shifted[1], &sticky);
        // The exponent of the highest 32 bits: 32 minus the count of leading zeros.
        let exponent = self.integer(WordBinary::Sub, &Scalar::Known(127 + 32), &zeros);
        let power = self.integer(WordBinary::Shl, &exponent, &Scalar::Known(23));
        let (top, power) = (self.lanes(&top), self.lanes(&power));
        let top = self.emit(Op::Unary(LaneUnary::FromU), &[top], Type::Lanes);
        let mut float = self.binary(LaneBinary::MulF, top, power);
        if from.is_signed() {
            let sign = self.integer(WordBinary::And, &a[1], &Scalar::Known(0x8000_0000));
            let sign = self.lanes(&sign);
            float = self.int(WordBinary::Or, float, sign);
        }
        self.result(float, &of)
    }

    /// Truncates an `f32` and clamps it to the greatest integer that is also an `f32`; 0 for NaN.
    pub(in crate::lower) fn float_to_wide(&mut self, to: Number, a: &Scalar) -> Scalars {
        // 2^63 - 2^39, and 2^64 - 2^40.
        let (least, most) = if to.is_signed() {
            (-9_223_372_036_854_775_808.0, 9_223_371_487_098_961_920.0)
        } else {
            (0.0, 18_446_742_974_197_923_840.0)
        };
        let (x, least, most) = (self.lanes(a), self.float(least), self.float(most));
        // `min` returns its second operand for NaN, and NaN converts to zero.
        let x = self.binary(LaneBinary::MinF, most, x);
        let x = self.binary(LaneBinary::MaxF, least, x);
        let rest = self.splat(0x7fff_ffff);
        let size = self.int(WordBinary::And, x, rest);
        let size = self.emit(Op::Unary(LaneUnary::Trunc), &[size], Type::Lanes);
        // Both steps are exact: the number has 24 significant bits.
        let (down, up) = (self.float(2f32.powi(-32)), self.float(-(2f32.powi(32))));
        let high = self.binary(LaneBinary::MulF, size, down);
        let high = self.emit(Op::Unary(LaneUnary::Trunc), &[high], Type::Lanes);
        let low = self.emit(Op::Fma, &[high, up, size], Type::Lanes);
        let [low, high] = [low, high].map(|float| {
            let word = self.emit(Op::Unary(LaneUnary::ToU), &[float], Type::Lanes);
            self.result(word, &[a])
        });
        let size = pair(low, high);
        if !to.is_signed() {
            return size;
        }
        let zero = self.splat(0);
        let is_negative = self.compare(crate::ir::LaneCompare::LtF, x, zero);
        let is_negative = self.truth(is_negative, &[a]);
        let minus = self.wide_sub(&super::known(0), &size);
        self.wide_choose(&is_negative, &minus, &size)
    }
}
