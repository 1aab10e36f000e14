//! Units of memory offsets, and the maximal size of a binding.
//!
//! WGSL's memory layout counts bytes, engines address 32-bit words, and 16-bit numbers are halves of words. Each unit
//! is a type of its own, so offsets of different units cannot be mixed up. Counts have 64 bits: sums and products of
//! 32-bit indices, strides and offsets do not wrap before they are compared.
//!
//! [`MAX_BINDING_SIZE`] is the only limit on the size of a binding, and all engines rely on it. In a binding therefore
//! - a byte offset fits into 32 bits, and so does the offset after the last byte;
//! - the index of a half-word is below 2^31 and that of a word below 2^30, so they are equal as signed and unsigned
//!   integers;
//! - a range of up to 2^30 words that begins at any word index ends below 2^31.

use std::ops::{Add, Mul};

/// Maximal size of a binding: 4 GiB less one word.
///
/// wgpu has the same limit for storage buffers, because shaders on GPUs also compute byte offsets in 32 bits.
pub const MAX_BINDING_SIZE: Bytes = Bytes((1 << 32) - 4);

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A number of 32-bit words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Words(pub u64);

/// A number of 16-bit half-words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Halves(pub u64);

impl Bytes {
    /// The number of whole words.
    pub const fn words(self) -> Words {
        Words(self.0 / 4)
    }

    /// The number of whole half-words.
    pub const fn halves(self) -> Halves {
        Halves(self.0 / 2)
    }

    /// Whether it is a whole number of words.
    pub const fn is_whole_words(self) -> bool {
        self.0.is_multiple_of(4)
    }
}

impl Words {
    /// The length of a slice of words.
    pub const fn of<T>(words: &[T]) -> Self {
        Self(words.len() as u64)
    }

    /// The same size in bytes.
    pub const fn bytes(self) -> Bytes {
        Bytes(self.0 * 4)
    }
}

macro_rules! arithmetic {
    ($($unit:ident)*) => {$(
        impl Add for $unit {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Mul<u32> for $unit {
            type Output = Self;

            fn mul(self, times: u32) -> Self {
                Self(self.0 * u64::from(times))
            }
        }

        impl From<u32> for $unit {
            fn from(count: u32) -> Self {
                Self(count.into())
            }
        }
    )*};
}

arithmetic!(Bytes Words Halves);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_in_the_largest_binding_have_no_sign_bit() {
        let end = MAX_BINDING_SIZE;
        assert!(end.is_whole_words() && u32::try_from(end.0).is_ok());
        assert!(end.halves().0 <= 1 << 31);
        assert!(end.words().0 <= 1 << 30);
        assert_eq!(end.words().bytes(), end);
    }

    #[test]
    fn products_of_32_bit_numbers_do_not_wrap() {
        let far = Bytes::from(u32::MAX) * u32::MAX + Bytes::from(u32::MAX);
        assert_eq!(far.0, u64::from(u32::MAX) << 32);
        assert!(far > MAX_BINDING_SIZE);
    }
}
