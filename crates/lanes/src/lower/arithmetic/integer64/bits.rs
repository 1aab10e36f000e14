//! 64-bit bit operations: counts, reversal, `extractBits` and `insertBits`.

use naga::MathFunction;

use crate::ir::{LaneUnary, WordBinary, WordCompare};

use super::{known, pair};
use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

impl Lowering<'_> {
    pub(super) fn wide_bits(
        &mut self,
        function: MathFunction,
        is_signed: bool,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        use MathFunction as F;
        let x = a[0];
        Ok(match function {
            F::CountOneBits => {
                let low = self.of_word(function, &x[0])?;
                let high = self.of_word(function, &x[1])?;
                pair(self.add(&low, &high), Scalar::ZERO)
            }
            F::CountLeadingZeros => pair(self.wide_leading_zeros(x), Scalar::ZERO),
            F::CountTrailingZeros => pair(self.wide_trailing_zeros(x)?, Scalar::ZERO),
            F::FirstTrailingBit => {
                let count = self.wide_trailing_zeros(x)?;
                self.unless_none(x, count)
            }
            F::FirstLeadingBit => {
                let bits = if is_signed {
                    let sign = self.integer(WordBinary::ShrS, &x[1], &Scalar::Known(31));
                    let low = self.integer(WordBinary::Xor, &x[0], &sign);
                    pair(low, self.integer(WordBinary::Xor, &x[1], &sign))
                } else {
                    x.iter().cloned().collect()
                };
                let zeros = self.wide_leading_zeros(&bits);
                let place = self.integer(WordBinary::Sub, &Scalar::Known(63), &zeros);
                self.unless_none(&bits, place)
            }
            F::ReverseBits => {
                let low = self.of_word(function, &x[1])?;
                pair(low, self.of_word(function, &x[0])?)
            }
            F::ExtractBits => self.wide_extract(is_signed, x, &a[1][0], &a[2][0]),
            F::InsertBits => self.wide_insert(x, a[1], &a[2][0], &a[3][0]),
            _ => return unsupported(format!("`{function:?}` of integers")),
        })
    }

    /// A bit function of one word.
    fn of_word(&mut self, function: MathFunction, x: &Scalar) -> Result<Scalar> {
        self.componentwise(function, ScalarType::Uint, std::slice::from_ref(x))
    }

    /// Count of leading zeros; 64 for zero.
    pub(super) fn wide_leading_zeros(&mut self, x: &[Scalar]) -> Scalar {
        let [low, high] = [0, 1].map(|word| self.unary(LaneUnary::LeadingZeros, &x[word]));
        self.of_first(&x[1], &high, &low)
    }

    /// Count of trailing zeros; 64 for zero.
    fn wide_trailing_zeros(&mut self, x: &[Scalar]) -> Result<Scalar> {
        let low = self.of_word(MathFunction::CountTrailingZeros, &x[0])?;
        let high = self.of_word(MathFunction::CountTrailingZeros, &x[1])?;
        Ok(self.of_first(&x[0], &low, &high))
    }

    /// `count` of the first word, or 32 + `then` if that word is zero.
    fn of_first(&mut self, word: &Scalar, count: &Scalar, then: &Scalar) -> Scalar {
        let more = self.add(then, &Scalar::Known(32));
        let is_zero = self.integer_compare(WordCompare::Eq, word, &Scalar::ZERO);
        self.choose_by(&is_zero, &more, count, ScalarType::Uint)
    }

    /// A small number, or all ones if `x` is zero.
    fn unless_none(&mut self, x: &[Scalar], number: Scalar) -> Scalars {
        let is_zero = self.wide_equal(x, &known(0));
        self.wide_choose(&is_zero, &known(u64::MAX), &pair(number, Scalar::ZERO))
    }

    /// Offset and size of a bit field, clamped to 64 bits, and whether it is empty.
    fn wide_field(&mut self, offset: &Scalar, count: &Scalar) -> (Scalar, Scalar, Scalar) {
        let all = Scalar::Known(64);
        let offset = self.integer(WordBinary::MinU, offset, &all);
        let rest = self.integer(WordBinary::Sub, &all, &offset);
        let count = self.integer(WordBinary::MinU, count, &rest);
        let is_none = self.integer_compare(WordCompare::Eq, &count, &Scalar::ZERO);
        (offset, count, is_none)
    }

    fn wide_extract(
        &mut self,
        is_signed: bool,
        x: &[Scalar],
        offset: &Scalar,
        count: &Scalar,
    ) -> Scalars {
        let (offset, count, is_none) = self.wide_field(offset, count);
        // The shift amount is 64 only if the field is empty.
        let rest = self.integer(WordBinary::Sub, &Scalar::Known(64), &count);
        let left = self.integer(WordBinary::Sub, &rest, &offset);
        let high = self.wide_shl(x, &left);
        let field = self.wide_shr(is_signed, &high, &rest);
        self.wide_choose(&is_none, &known(0), &field)
    }

    fn wide_insert(
        &mut self,
        x: &[Scalar],
        new: &[Scalar],
        offset: &Scalar,
        count: &Scalar,
    ) -> Scalars {
        let (offset, count, is_none) = self.wide_field(offset, count);
        let rest = self.integer(WordBinary::Sub, &Scalar::Known(64), &count);
        let mask = self.wide_shr(false, &known(u64::MAX), &rest);
        let mask = self.wide_shl(&mask, &offset);
        let new = self.wide_shl(new, &offset);
        let mut merged = Scalars::new();
        for word in 0..2 {
            let differs = self.integer(WordBinary::Xor, &x[word], &new[word]);
            let changes = self.integer(WordBinary::And, &differs, &mask[word]);
            merged.push(self.integer(WordBinary::Xor, &x[word], &changes));
        }
        self.wide_choose(&is_none, x, &merged)
    }
}
