//! Integers that stand for fractions of their largest value.
//!
//! Products of a float and a maximum of 16 bits are exact in `f64`, so that rounding happens once. Quotients of few bits are
//! products with a reciprocal in two parts: that takes a fraction of the time, and the tests try every number.

/// `bits / (2^width - 1)`, the nearest float.
pub(super) fn from_unorm(bits: u32, width: u32) -> u32 {
    fraction(bits as f32, most(width), width).to_bits()
}

/// `number / (2^(width - 1) - 1)`, the nearest float; the two lowest numbers are both -1.
pub(super) fn from_snorm(number: i32, width: u32) -> u32 {
    fraction(number as f32, most(width - 1), width)
        .max(-1.0)
        .to_bits()
}

/// The nearest fraction; NaN is zero.
pub(super) fn to_unorm(value: f32, width: u32) -> u32 {
    (f64::from(unit(value)) * f64::from(most(width))).round_ties_even() as u32
}

/// The nearest signed fraction, as a number whose low bits count; NaN is zero.
pub(super) fn to_snorm(value: f32, width: u32) -> u32 {
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(-1.0, 1.0)
    };
    (f64::from(value) * f64::from(most(width - 1))).round_ties_even() as i32 as u32
}

/// The value clamped to 0..=1; NaN is zero.
pub(super) fn unit(value: f32) -> f32 {
    if value.is_nan() {
        return 0.0;
    }
    // Adding zero makes -0 plain.
    value.clamp(0.0, 1.0) + 0.0
}

/// A number of so many bits divided by another, the nearest float.
#[inline(always)]
fn fraction(number: f32, most: u32, width: u32) -> f32 {
    if width > 10 {
        return number / most as f32;
    }
    let reciprocal = 1.0 / f64::from(most);
    // So few bits that the product is exact: only the sum is rounded.
    let high = f32::from_bits((reciprocal as f32).to_bits() & !0x3ff);
    let low = (reciprocal - f64::from(high)) as f32;
    number * high + number * low
}

fn most(width: u32) -> u32 {
    (1 << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fraction_is_the_quotient() {
        for width in [2, 8, 10, 16] {
            for bits in 0..=most(width) {
                let quotient = bits as f32 / most(width) as f32;
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
