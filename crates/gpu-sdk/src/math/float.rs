//! Scalar f32 functions, with WGSL's results.
//!
//! Transcendental functions are computed in f64 by `libm`, which gives the same bits on every
//! machine, and rounded to f32 once. This is far within WGSL's accuracy bounds, and equal to the
//! reference evaluator bit for bit.

use super::instructions::{floor, sqrt_f64, trunc};

/// An f64 function, rounded to f32.
#[inline]
pub(super) fn through_f64(f: impl Fn(f64) -> f64) -> impl Fn(f32) -> f32 {
    move |x| f(f64::from(x)) as f32
}

/// WGSL's definition of `%`, in three rounded steps.
#[inline]
pub(super) fn remainder(x: f32, y: f32) -> f32 {
    x - y * trunc(x / y)
}

/// The minimum; if one operand is NaN, the other one.
#[inline]
pub(super) fn min(x: f32, y: f32) -> f32 {
    if x < y || y.is_nan() { x } else { y }
}

/// The maximum; if one operand is NaN, the other one. Of two zeros, the second.
#[inline]
pub(super) fn max(x: f32, y: f32) -> f32 {
    if x > y || y.is_nan() { x } else { y }
}

/// `min(max(x, low), high)`, which is defined even where `low > high`.
#[inline]
pub(super) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    min(max(x, low), high)
}

#[inline]
pub(super) fn saturate(x: f32) -> f32 {
    clamp(x, 0.0, 1.0)
}

/// -1, 0 or 1; 0 for NaN.
#[inline]
pub(super) fn sign(x: f32) -> f32 {
    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}

#[inline]
pub(super) fn fract(x: f32) -> f32 {
    x - floor(x)
}

#[inline]
pub(super) fn radians(x: f32) -> f32 {
    x * (core::f32::consts::PI / 180.0)
}

#[inline]
pub(super) fn degrees(x: f32) -> f32 {
    x * (180.0 / core::f32::consts::PI)
}

#[inline]
pub(super) fn inverse_sqrt(x: f32) -> f32 {
    (1.0 / sqrt_f64(f64::from(x))) as f32
}

#[inline]
pub(super) fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2(f64::from(y), f64::from(x)) as f32
}

/// Undefined for a negative base in WGSL; NaN as on GPUs.
#[inline]
pub(super) fn pow(x: f32, y: f32) -> f32 {
    if x < 0.0 {
        return f32::NAN;
    }
    libm::pow(f64::from(x), f64::from(y)) as f32
}

#[inline]
pub(super) fn mix(x: f32, y: f32, t: f32) -> f32 {
    x * (1.0 - t) + y * t
}

#[inline]
pub(super) fn step(edge: f32, x: f32) -> f32 {
    if edge <= x { 1.0 } else { 0.0 }
}

#[inline]
pub(super) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

#[inline]
pub(super) fn quantize_to_f16(x: f32) -> f32 {
    half::f16::from_f32(x).to_f32()
}

/// `x * 2^exponent`, rounded once.
#[inline]
pub(super) fn ldexp(x: f32, exponent: i32) -> f32 {
    // Beyond this range every finite f32 has become zero or infinity, and f64 can still represent
    // the power of two.
    let exponent = i64::from(exponent.clamp(-400, 400));
    let power = f64::from_bits(((1023 + exponent) as u64) << 52);
    (f64::from(x) * power) as f32
}

/// Fraction in [0.5, 1) with the sign of `x`, and exponent; `(x, 0)` for zeros, infinities and NaN.
#[inline]
pub(super) fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (fraction, exponent) = libm::frexp(f64::from(x));
    (fraction as f32, exponent)
}

/// Fractional and integer part, both with the sign of `x`.
#[inline]
pub(super) fn modf(x: f32) -> (f32, f32) {
    let whole = trunc(x);
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (fraction.copysign(x), whole)
}
