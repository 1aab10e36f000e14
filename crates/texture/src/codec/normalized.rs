//! Normalised integers: `unorm` and `snorm` channels.
//!
//! In: bits, or an `f32`. Out: the nearest `f32`, or the nearest integer. What always holds: every result is correctly
//! rounded. A product of a float and a maximum of up to 16 bits is exact in `f64`, so rounding happens once. For up to
//! 10 bits the division is a multiplication with a reciprocal split into a high and a low part, which is several times
//! faster than a division; the tests compare every number.

/// `bits / (2^width - 1)`, rounded to the nearest float.
pub(super) fn from_unorm(bits: u32, width: u32) -> u32 {
    fraction(bits as f32, max_integer(width), width).to_bits()
}

/// `number / (2^(width - 1) - 1)`, rounded to the nearest float. The two lowest numbers both give -1.
pub(super) fn from_snorm(number: i32, width: u32) -> u32 {
    fraction(number as f32, max_integer(width - 1), width)
        .max(-1.0)
        .to_bits()
}

/// The nearest `unorm` number; NaN gives zero.
pub(super) fn to_unorm(value: f32, width: u32) -> u32 {
    (f64::from(unit(value)) * f64::from(max_integer(width))).round_ties_even() as u32
}

/// The nearest `snorm` number, in the low bits; NaN gives zero.
pub(super) fn to_snorm(value: f32, width: u32) -> u32 {
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(-1.0, 1.0)
    };
    (f64::from(value) * f64::from(max_integer(width - 1))).round_ties_even() as i32 as u32
}

/// Clamps to 0..=1; NaN gives zero.
pub(super) fn unit(value: f32) -> f32 {
    if value.is_nan() {
        return 0.0;
    }
    // Adding zero turns -0 into +0.
    value.clamp(0.0, 1.0) + 0.0
}

/// `number / most`, rounded to the nearest float, where both have at most `width` bits.
#[inline(always)]
fn fraction(number: f32, most: u32, width: u32) -> f32 {
    if width > 10 {
        return number / most as f32;
    }
    let reciprocal = 1.0 / f64::from(most);
    // `high` has so few mantissa bits that `number * high` is exact: only the sum is rounded.
    let high = f32::from_bits((reciprocal as f32).to_bits() & !0x3ff);
    let low = (reciprocal - f64::from(high)) as f32;
    number * high + number * low
}

fn max_integer(width: u32) -> u32 {
    (1 << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fraction_is_the_quotient() {
        for width in [2, 8, 10, 16] {
            for bits in 0..=max_integer(width) {
                let quotient = bits as f32 / max_integer(width) as f32;
                assert_eq!(from_unorm(bits, width), quotient.to_bits(), "{bits}");
            }
        }
        for width in [8, 16] {
            let end = 1 << (width - 1);
            for number in -end..end {
                let quotient = (number as f32 / (end - 1) as f32).max(-1.0);
                assert_eq!(from_snorm(number, width), quotient.to_bits(), "{number}");
            }
        }
    }
}
