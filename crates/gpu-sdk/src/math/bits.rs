//! WGSL's bit manipulation functions on integers.

use super::components::Integer;
use super::scalar::{self, IntegerScalar, Word};

/// Defines functions that apply a word operation to each component.
macro_rules! of_words {
    ($( $(#[$doc:meta])* fn $name:ident = $word:expr; )*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: Integer>(x: T) -> T {
            T::from_fn(|i| Word::from_word($word(x.component(i).to_word())))
        }
    )* };
}

of_words! {
    /// The number of one bits.
    fn count_one_bits = u32::count_ones;
    /// The number of zero bits above the highest one bit; 32 for zero.
    fn count_leading_zeros = u32::leading_zeros;
    /// The number of zero bits below the lowest one bit; 32 for zero.
    fn count_trailing_zeros = u32::trailing_zeros;
    /// The bits in reverse order.
    fn reverse_bits = u32::reverse_bits;
    /// Index of the lowest set bit; -1 or all ones for zero.
    fn first_trailing_bit = scalar::first_trailing_bit;
}

/// Index of the highest set bit, for negative numbers of the highest clear bit; -1 or all ones if
/// there is none.
#[inline]
#[must_use]
pub fn first_leading_bit<T: Integer>(x: T) -> T {
    T::from_fn(|i| x.component(i).first_leading_bit())
}

/// `count` bits from `offset` on, sign-extended for i32. The range is clamped to 32 bits.
#[inline]
#[must_use]
pub fn extract_bits<T: Integer>(x: T, offset: u32, count: u32) -> T {
    T::from_fn(|i| x.component(i).extract_bits(offset, count))
}

/// `x` with `count` bits from `offset` on replaced by the low bits of `new`.
#[inline]
#[must_use]
pub fn insert_bits<T: Integer>(x: T, new: T, offset: u32, count: u32) -> T {
    T::from_fn(|i| {
        let (x, new) = (x.component(i).to_word(), new.component(i).to_word());
        Word::from_word(scalar::insert_bits(x, new, offset, count))
    })
}
