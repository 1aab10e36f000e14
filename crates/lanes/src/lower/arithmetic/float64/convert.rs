//! Conversions between `f64` and other numeric types.

use crate::ir::{F64Op, Op, Type, WordBinary, WordCompare};

use super::known;
use crate::lower::Lowering;
use crate::lower::arithmetic::number::{Number, one};
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;

/// The high half of 2^52, at which the low half of a double is an integer word.
const TWO_TO_52: u32 = 0x4330_0000;

#[allow(
    clippy::wrong_self_convention,
    reason = "it is numbers that are converted, not the lowering"
)]
impl Lowering<'_> {
    /// Converts a number to `f64`, rounded to nearest even.
    pub(in crate::lower) fn to_double(&mut self, from: Number, a: &[Scalar]) -> Scalars {
        match from {
            Number::F16 | Number::F32 => self.double(F64Op::FromF32, &[&a[..1]]),
            Number::Bool => self.double_choose(&a[0], &known(1.0), &known(0.0)),
            Number::I64 | Number::U64 => {
                let high = if from.is_signed() {
                    self.signed_word_to_double(&a[1])
                } else {
                    self.word_to_double(&a[1])
                };
                let low = self.word_to_double(&a[0]);
                // Rounded once: both words and the product are exact.
                self.double(F64Op::Fma, &[&high, &known(4_294_967_296.0), &low])
            }
            _ if from.is_signed() => self.signed_word_to_double(&a[0]),
            _ => self.word_to_double(&a[0]),
        }
    }

    /// Inserts the word as the low half of 2^52, then subtracts 2^52.
    fn word_to_double(&mut self, word: &Scalar) -> Scalars {
        let above = Scalars::from_iter([word.clone(), Scalar::Known(TWO_TO_52)]);
        self.double(F64Op::Sub, &[&above, &known(4_503_599_627_370_496.0)])
    }

    fn signed_word_to_double(&mut self, word: &Scalar) -> Scalars {
        // Biased by 2^31, so that it is unsigned.
        let word = self.integer(WordBinary::Xor, word, &Scalar::Known(1 << 31));
        let above = Scalars::from_iter([word, Scalar::Known(TWO_TO_52)]);
        self.double(F64Op::Sub, &[&above, &known(4_503_601_774_854_144.0)])
    }

    /// Converts an `f64` to another type.
    pub(in crate::lower) fn from_double(&mut self, to: Number, a: &[Scalar]) -> Result<Scalars> {
        Ok(match to {
            Number::F64 => a.iter().cloned().collect(),
            Number::F32 => one(self.double_to_float(a)),
            Number::F16 => {
                let float = self.double_to_odd_float(a);
                one(self.rounded_to_half(&float))
            }
            Number::Bool => {
                let is_zero = self.double_equal(a, &known(0.0));
                one(self.not(&is_zero))
            }
            Number::I64 | Number::U64 => self.double_to_wide(to, a),
            Number::I16 | Number::U16 | Number::I32 | Number::U32 => {
                one(self.double_to_word(to, a))
            }
        })
    }

    fn double_to_float(&mut self, a: &[Scalar]) -> Scalar {
        let (low, high) = (self.lanes(&a[0]), self.lanes(&a[1]));
        let value = self.emit(Op::F64ToF32, &[low, high], Type::Lanes);
        self.result(value, &[&a[0], &a[1]])
    }

    /// Rounds to `f32` to odd: towards zero, with the last bit set if inexact. Rounding this to `f16` gives the
    /// correctly rounded result.
    fn double_to_odd_float(&mut self, a: &[Scalar]) -> Scalar {
        let near = self.double_to_float(a);
        let back = self.double(F64Op::FromF32, &[std::slice::from_ref(&near)]);
        let (size, back_size) = (self.double_size(a), self.double_size(&back));
        let is_beyond = self.wide_less(false, &size, &back_size);
        let step = self.choose_by(
            &is_beyond,
            &Scalar::Known(1),
            &Scalar::ZERO,
            ScalarType::Uint,
        );
        let below = self.bitwise(WordBinary::Sub, &near, &step);
        let is_exact = self.wide_equal(a, &back);
        let odd = self.bitwise(WordBinary::Or, &below, &Scalar::Known(1));
        self.choose_by(&is_exact, &near, &odd, ScalarType::Float)
    }

    /// Truncates and clamps; 0 for NaN.
    fn double_truncated(&mut self, a: &[Scalar], least: f64, most: f64) -> Scalars {
        let is_none = self.is_no_number(a);
        let number = self.double_choose(&is_none, &known(0.0), a);
        let inside = self.double_clamp(&number, &known(least), &known(most));
        self.double(F64Op::Trunc, &[&inside])
    }

    /// Adds 3 * 2^51, at which the low half of a double is a signed word.
    fn double_to_word(&mut self, to: Number, a: &[Scalar]) -> Scalar {
        let (least, most) = match to {
            Number::I16 => (-32768.0, 32767.0),
            Number::U16 => (0.0, 65535.0),
            Number::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            _ => (0.0, f64::from(u32::MAX)),
        };
        let whole = self.double_truncated(a, least, most);
        let above = self.double(F64Op::Add, &[&whole, &known(6_755_399_441_055_744.0)]);
        self.as_word(&above[0])
    }

    /// Uniform integers are represented as words.
    fn as_word(&mut self, scalar: &Scalar) -> Scalar {
        match self.word(scalar) {
            Some(word) => Scalar::Word(word),
            None => scalar.clone(),
        }
    }

    fn double_to_wide(&mut self, to: Number, a: &[Scalar]) -> Scalars {
        // 2^63 - 2^10, and 2^64 - 2^11.
        let (least, most) = if to.is_signed() {
            (-9_223_372_036_854_775_808.0, 9_223_372_036_854_774_784.0)
        } else {
            (0.0, 18_446_744_073_709_549_568.0)
        };
        let whole = self.double_truncated(a, least, most);
        let size = self.double_size(&whole);
        // All steps are exact.
        let high = self.double(F64Op::Mul, &[&size, &known(2f64.powi(-32))]);
        let high = self.double(F64Op::Trunc, &[&high]);
        let low = self.double(F64Op::Fma, &[&high, &known(-4_294_967_296.0), &size]);
        let words = [low, high].map(|half| {
            let above = self.double(F64Op::Add, &[&half, &known(4_503_599_627_370_496.0)]);
            self.as_word(&above[0])
        });
        let size = Scalars::from_iter(words);
        if !to.is_signed() {
            return size;
        }
        let sign = self.integer(WordBinary::And, &whole[1], &super::SIGN);
        let is_negative = self.integer_compare(WordCompare::Ne, &sign, &Scalar::ZERO);
        let minus = self.wide_sub(&[Scalar::ZERO, Scalar::ZERO], &size);
        self.wide_choose(&is_negative, &minus, &size)
    }
}
