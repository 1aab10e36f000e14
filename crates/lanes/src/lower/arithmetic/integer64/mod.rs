//! 64-bit integers, as two words each, the low one first.
//!
//! Every operation is expanded to operations on words, so constants and uniformity propagate.

mod atomic;
mod bits;
mod convert;
mod divide;

use naga::{BinaryOperator, MathFunction, UnaryOperator};

use crate::ir::{MaskBinary, WordBinary, WordCompare};

use crate::lower::Lowering;
use crate::lower::arithmetic::number::{Number, one};
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

/// A number of two words.
fn pair(low: Scalar, high: Scalar) -> Scalars {
    Scalars::from_iter([low, high])
}

/// A constant.
fn known(value: u64) -> Scalars {
    pair(
        Scalar::Known(value as u32),
        Scalar::Known((value >> 32) as u32),
    )
}

impl Lowering<'_> {
    pub(in crate::lower) fn operate_wide(
        &mut self,
        op: BinaryOperator,
        number: Number,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Result<Scalars> {
        use BinaryOperator as B;
        let is_signed = number.is_signed();
        let both = |lowering: &mut Self, op| {
            let low = lowering.integer(op, &a[0], &b[0]);
            pair(low, lowering.integer(op, &a[1], &b[1]))
        };
        Ok(match op {
            B::Add => self.wide_add(a, b),
            B::Subtract => self.wide_sub(a, b),
            B::Multiply => self.wide_mul(a, b),
            B::Divide => self.wide_divide(is_signed, a, b).0,
            B::Modulo => self.wide_divide(is_signed, a, b).1,
            B::And => both(self, WordBinary::And),
            B::InclusiveOr => both(self, WordBinary::Or),
            B::ExclusiveOr => both(self, WordBinary::Xor),
            B::ShiftLeft => self.wide_shl(a, &b[0]),
            B::ShiftRight => self.wide_shr(is_signed, a, &b[0]),
            B::Equal => one(self.wide_equal(a, b)),
            B::NotEqual => {
                let is_equal = self.wide_equal(a, b);
                one(self.not(&is_equal))
            }
            B::Less => one(self.wide_less(is_signed, a, b)),
            B::Greater => one(self.wide_less(is_signed, b, a)),
            B::LessEqual => {
                let is_more = self.wide_less(is_signed, b, a);
                one(self.not(&is_more))
            }
            B::GreaterEqual => {
                let is_less = self.wide_less(is_signed, a, b);
                one(self.not(&is_less))
            }
            B::LogicalAnd | B::LogicalOr => return unsupported("this operator on integers"),
        })
    }

    /// 1 if true, otherwise 0.
    fn one_if(&mut self, truth: &Scalar) -> Scalar {
        self.choose_by(truth, &Scalar::Known(1), &Scalar::ZERO, ScalarType::Uint)
    }

    /// Selects one of two numbers.
    pub(in crate::lower) fn wide_choose(
        &mut self,
        truth: &Scalar,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Scalars {
        let low = self.choose_by(truth, &a[0], &b[0], ScalarType::Uint);
        pair(low, self.choose_by(truth, &a[1], &b[1], ScalarType::Uint))
    }

    fn wide_add(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let low = self.add(&a[0], &b[0]);
        let carries = self.integer_compare(WordCompare::LtU, &low, &b[0]);
        let carry = self.one_if(&carries);
        let high = self.add(&a[1], &b[1]);
        pair(low, self.add(&high, &carry))
    }

    pub(in crate::lower) fn wide_sub(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let low = self.integer(WordBinary::Sub, &a[0], &b[0]);
        let borrows = self.integer_compare(WordCompare::LtU, &a[0], &b[0]);
        let borrow = self.one_if(&borrows);
        let high = self.integer(WordBinary::Sub, &a[1], &b[1]);
        pair(low, self.integer(WordBinary::Sub, &high, &borrow))
    }

    fn wide_mul(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let low = self.integer(WordBinary::Mul, &a[0], &b[0]);
        let high = self.integer(WordBinary::MulHighU, &a[0], &b[0]);
        let one = self.integer(WordBinary::Mul, &a[0], &b[1]);
        let other = self.integer(WordBinary::Mul, &a[1], &b[0]);
        let high = self.add(&high, &one);
        pair(low, self.add(&high, &other))
    }

    pub(in crate::lower) fn wide_equal(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let low = self.integer_compare(WordCompare::Eq, &a[0], &b[0]);
        let high = self.integer_compare(WordCompare::Eq, &a[1], &b[1]);
        self.both(&low, &high)
    }

    pub(in crate::lower) fn wide_less(
        &mut self,
        is_signed: bool,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Scalar {
        let less = if is_signed {
            WordCompare::LtS
        } else {
            WordCompare::LtU
        };
        let high = self.integer_compare(less, &a[1], &b[1]);
        let is_equal = self.integer_compare(WordCompare::Eq, &a[1], &b[1]);
        let low = self.integer_compare(WordCompare::LtU, &a[0], &b[0]);
        let low = self.both(&is_equal, &low);
        self.either(&high, &low)
    }

    /// Logical or.
    pub(in crate::lower) fn either(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        match (a, b) {
            (Scalar::Known(0), other) | (other, Scalar::Known(0)) => other.clone(),
            (Scalar::Known(_), _) | (_, Scalar::Known(_)) => Scalar::Known(1),
            (Scalar::Word(a), Scalar::Word(b)) => {
                Scalar::Word(self.word_binary(WordBinary::Or, *a, *b))
            }
            _ => {
                let (a, b) = (self.mask(a), self.mask(b));
                Scalar::Mask(self.mask_binary(MaskBinary::Or, a, b))
            }
        }
    }

    /// Shift left, by an amount modulo 64. Word shifts are modulo 32.
    fn wide_shl(&mut self, a: &[Scalar], by: &Scalar) -> Scalars {
        let moved = self.integer(WordBinary::Shl, &a[0], by);
        let high = self.integer(WordBinary::Shl, &a[1], by);
        // By 32 minus the amount, in two steps, since words cannot be shifted by 32.
        let rest = self.integer(WordBinary::Xor, by, &Scalar::Known(31));
        let over = self.integer(WordBinary::ShrU, &a[0], &Scalar::Known(1));
        let over = self.integer(WordBinary::ShrU, &over, &rest);
        let high = self.integer(WordBinary::Or, &high, &over);
        let is_far = self.is_far(by);
        self.wide_choose(
            &is_far,
            &pair(Scalar::ZERO, moved.clone()),
            &pair(moved, high),
        )
    }

    fn wide_shr(&mut self, is_signed: bool, a: &[Scalar], by: &Scalar) -> Scalars {
        let shift = if is_signed {
            WordBinary::ShrS
        } else {
            WordBinary::ShrU
        };
        let moved = self.integer(shift, &a[1], by);
        let low = self.integer(WordBinary::ShrU, &a[0], by);
        let rest = self.integer(WordBinary::Xor, by, &Scalar::Known(31));
        let over = self.integer(WordBinary::Shl, &a[1], &Scalar::Known(1));
        let over = self.integer(WordBinary::Shl, &over, &rest);
        let low = self.integer(WordBinary::Or, &low, &over);
        let above = if is_signed {
            self.integer(WordBinary::ShrS, &a[1], &Scalar::Known(31))
        } else {
            Scalar::ZERO
        };
        let is_far = self.is_far(by);
        self.wide_choose(&is_far, &pair(moved.clone(), above), &pair(low, moved))
    }

    /// Whether a shift amount is at least 32.
    fn is_far(&mut self, by: &Scalar) -> Scalar {
        let bit = self.integer(WordBinary::And, by, &Scalar::Known(32));
        self.integer_compare(WordCompare::Ne, &bit, &Scalar::ZERO)
    }

    pub(in crate::lower) fn negate_wide(
        &mut self,
        op: UnaryOperator,
        a: &[Scalar],
    ) -> Result<Scalars> {
        Ok(match op {
            UnaryOperator::Negate => self.wide_sub(&known(0), a),
            UnaryOperator::BitwiseNot => {
                let all = Scalar::Known(u32::MAX);
                let low = self.integer(WordBinary::Xor, &a[0], &all);
                pair(low, self.integer(WordBinary::Xor, &a[1], &all))
            }
            UnaryOperator::LogicalNot => return unsupported("this operator"),
        })
    }

    /// Whether a number is negative.
    fn is_negative(&mut self, a: &[Scalar]) -> Scalar {
        self.integer_compare(WordCompare::LtS, &a[1], &Scalar::ZERO)
    }

    /// Absolute value, unsigned.
    fn wide_size(&mut self, a: &[Scalar]) -> Scalars {
        let minus = self.wide_sub(&known(0), a);
        let is_negative = self.is_negative(a);
        self.wide_choose(&is_negative, &minus, a)
    }

    pub(in crate::lower) fn wide_function(
        &mut self,
        function: MathFunction,
        number: Number,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        use MathFunction as F;
        let is_signed = number.is_signed();
        Ok(match function {
            F::Abs if is_signed => self.wide_size(a[0]),
            F::Abs => a[0].iter().cloned().collect(),
            F::Min => self.wide_min(is_signed, a[0], a[1]),
            F::Max => self.wide_max(is_signed, a[0], a[1]),
            F::Clamp => {
                let above = self.wide_max(is_signed, a[0], a[1]);
                self.wide_min(is_signed, &above, a[2])
            }
            F::Sign => {
                let sign = self.integer(WordBinary::ShrS, &a[0][1], &Scalar::Known(31));
                let is_zero = self.wide_equal(a[0], &known(0));
                let is_other = self.not(&is_zero);
                let other = self.one_if(&is_other);
                let low = self.integer(WordBinary::Or, &sign, &other);
                pair(low, sign)
            }
            _ => self.wide_bits(function, is_signed, a)?,
        })
    }

    fn wide_min(&mut self, is_signed: bool, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let is_less = self.wide_less(is_signed, a, b);
        self.wide_choose(&is_less, a, b)
    }

    fn wide_max(&mut self, is_signed: bool, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let is_less = self.wide_less(is_signed, a, b);
        self.wide_choose(&is_less, b, a)
    }
}
