//! Operations on the scalar types f32, i32 and u32, with WGSL's results where Rust's operators
//! would panic.

use super::float;

/// A scalar type of one 32-bit word.
pub trait Word: Copy {
    /// The bits as a word.
    fn to_word(self) -> u32;
    /// The value with these bits.
    fn from_word(word: u32) -> Self;
}

impl Word for f32 {
    #[inline]
    fn to_word(self) -> u32 {
        self.to_bits()
    }

    #[inline]
    fn from_word(word: u32) -> Self {
        Self::from_bits(word)
    }
}

impl Word for i32 {
    #[inline]
    fn to_word(self) -> u32 {
        self as u32
    }

    #[inline]
    fn from_word(word: u32) -> Self {
        word as Self
    }
}

impl Word for u32 {
    #[inline]
    fn to_word(self) -> u32 {
        self
    }

    #[inline]
    fn from_word(word: u32) -> Self {
        word
    }
}

/// WGSL's arithmetic: integers wrap, and nothing traps.
pub trait NumberScalar: Copy {
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn subtract(self, other: Self) -> Self;
    /// The product.
    fn multiply(self, other: Self) -> Self;
    /// The quotient; for integers `self` if the divisor is zero.
    fn divide(self, other: Self) -> Self;
    /// The remainder; for integers zero if the divisor is zero.
    fn remainder(self, other: Self) -> Self;
    /// The minimum; if one operand is NaN, the other one.
    fn min(self, other: Self) -> Self;
    /// The maximum; if one operand is NaN, the other one.
    fn max(self, other: Self) -> Self;
    /// `min(max(self, low), high)`.
    fn clamp(self, low: Self, high: Self) -> Self;
    /// The absolute value; that of the smallest integer is itself.
    fn abs(self) -> Self;
}

/// Operations of signed scalar types.
pub trait SignedScalar: NumberScalar {
    /// -1, 0 or 1.
    fn sign(self) -> Self;
    /// The negated value; the smallest integer stays itself.
    fn negate(self) -> Self;
}

/// Operations that depend on the signedness of an integer type.
pub trait IntegerScalar: NumberScalar + Word {
    /// Index of the highest bit that differs from the sign; -1 or all ones if there is none.
    fn first_leading_bit(self) -> Self;
    /// `count` bits from `offset` on, sign-extended for i32.
    fn extract_bits(self, offset: u32, count: u32) -> Self;
    /// Shifts right by `count` modulo 32; arithmetic for i32.
    fn shift_right(self, count: u32) -> Self;
}

impl NumberScalar for f32 {
    #[inline]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn subtract(self, other: Self) -> Self {
        self - other
    }

    #[inline]
    fn multiply(self, other: Self) -> Self {
        self * other
    }

    #[inline]
    fn divide(self, other: Self) -> Self {
        self / other
    }

    #[inline]
    fn remainder(self, other: Self) -> Self {
        float::remainder(self, other)
    }

    #[inline]
    fn min(self, other: Self) -> Self {
        float::min(self, other)
    }

    #[inline]
    fn max(self, other: Self) -> Self {
        float::max(self, other)
    }

    #[inline]
    fn clamp(self, low: Self, high: Self) -> Self {
        float::clamp(self, low, high)
    }

    #[inline]
    fn abs(self) -> Self {
        f32::abs(self)
    }
}

macro_rules! integers {
    ($($integer:ident, $abs:expr;)*) => { $(
        impl NumberScalar for $integer {
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn subtract(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline]
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline]
            fn divide(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_div(other) }
            }

            #[inline]
            fn remainder(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }

            #[inline]
            fn min(self, other: Self) -> Self {
                Ord::min(self, other)
            }

            #[inline]
            fn max(self, other: Self) -> Self {
                Ord::max(self, other)
            }

            #[inline]
            fn clamp(self, low: Self, high: Self) -> Self {
                // Rust's own clamp panics where `low > high`.
                Ord::min(Ord::max(self, low), high)
            }

            #[inline]
            fn abs(self) -> Self {
                $abs(self)
            }
        }
    )* };
}

integers! {
    i32, i32::wrapping_abs;
    u32, core::convert::identity;
}

impl SignedScalar for f32 {
    #[inline]
    fn sign(self) -> Self {
        float::sign(self)
    }

    #[inline]
    fn negate(self) -> Self {
        -self
    }
}

impl SignedScalar for i32 {
    #[inline]
    fn sign(self) -> Self {
        self.signum()
    }

    #[inline]
    fn negate(self) -> Self {
        self.wrapping_neg()
    }
}

/// Offset and count, clamped to the 32 bits of a word.
#[inline]
pub(super) fn clamp_field(offset: u32, count: u32) -> (u32, u32) {
    let offset = Ord::min(offset, 32);
    (offset, Ord::min(count, 32 - offset))
}

impl IntegerScalar for u32 {
    #[inline]
    fn first_leading_bit(self) -> Self {
        // 31 - 32 wraps to all ones.
        31u32.wrapping_sub(self.leading_zeros())
    }

    #[inline]
    fn extract_bits(self, offset: u32, count: u32) -> Self {
        match clamp_field(offset, count) {
            (_, 0) => 0,
            (offset, count) => (self >> offset) & (u32::MAX >> (32 - count)),
        }
    }

    #[inline]
    fn shift_right(self, count: u32) -> Self {
        self.wrapping_shr(count)
    }
}

impl IntegerScalar for i32 {
    #[inline]
    fn first_leading_bit(self) -> Self {
        let magnitude = if self < 0 { !self } else { self };
        (magnitude as u32).first_leading_bit() as i32
    }

    #[inline]
    fn extract_bits(self, offset: u32, count: u32) -> Self {
        match clamp_field(offset, count) {
            (_, 0) => 0,
            (offset, count) => (self << (32 - count - offset)) >> (32 - count),
        }
    }

    #[inline]
    fn shift_right(self, count: u32) -> Self {
        self.wrapping_shr(count)
    }
}

/// Index of the lowest set bit; all ones if there is none.
#[inline]
pub(super) fn first_trailing_bit(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.trailing_zeros() }
}

/// `x` with `count` bits from `offset` on replaced by the low bits of `new`.
#[inline]
pub(super) fn insert_bits(x: u32, new: u32, offset: u32, count: u32) -> u32 {
    match clamp_field(offset, count) {
        (_, 0) => x,
        (offset, count) => {
            let mask = (u32::MAX >> (32 - count)) << offset;
            (x & !mask) | ((new << offset) & mask)
        }
    }
}
