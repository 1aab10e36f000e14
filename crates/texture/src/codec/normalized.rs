//! Integers that stand for fractions of their largest value.
//!
//! Products of a float and a maximum of 16 bits are exact in `f64`, so that rounding happens once.

/// `bits / (2^width - 1)`, the nearest float.
pub(super) fn from_unorm(bits: u32, width: u32) -> u32 {
    (bits as f32 / most(width) as f32).to_bits()
}

/// `number / (2^(width - 1) - 1)`, the nearest float; the two lowest numbers are both -1.
pub(super) fn from_snorm(number: i32, width: u32) -> u32 {
    (number as f32 / most(width - 1) as f32).max(-1.0).to_bits()
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

fn most(width: u32) -> u32 {
    (1 << width) - 1
}
