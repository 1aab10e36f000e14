//! Scalar functions where WGSL says more than Rust's own.
//!
//! Transcendental functions of f32 are computed in f64 by `libm`, which gives the same bits on every
//! machine, and rounded once: far inside WGSL's accuracy bounds.

use super::real::Real;

/// An f64 function, rounded to f32.
pub(super) fn through_f64(f: impl Fn(f64) -> f64) -> impl Fn(f32) -> f32 {
    move |x| f(f64::from(x)) as f32
}

/// The largest f32 that is an i32.
const I32_MAX: f32 = 2_147_483_520.0;

/// The largest f32 that is a u32.
const U32_MAX: f32 = 4_294_967_040.0;

/// Truncated to the nearest integer that is also an f32, so not up to `i32::MAX`; 0 for NaN.
///
/// WGSL used to saturate at the limits of the integer; gpuweb/gpuweb#5073 changed that in 2025.
pub(super) fn to_i32(x: f32) -> i32 {
    // Rust's cast truncates, saturates below and sends NaN to zero.
    if x > I32_MAX {
        I32_MAX as i32
    } else {
        x as i32
    }
}

/// Like [`to_i32`], for unsigned integers.
pub(super) fn to_u32(x: f32) -> u32 {
    if x > U32_MAX {
        U32_MAX as u32
    } else {
        x as u32
    }
}

/// WGSL's definition of `%`, in three rounded steps.
pub(super) fn remainder<R: Real>(x: R, y: R) -> R {
    x - y * (x / y).trunc()
}

/// The smaller operand; the other one if one is NaN, the second if they are equal.
pub(super) fn min<R: Real>(x: R, y: R) -> R {
    if x < y || y.is_nan() { x } else { y }
}

/// The larger operand; the other one if one is NaN, the second if they are equal.
pub(super) fn max<R: Real>(x: R, y: R) -> R {
    if x > y || y.is_nan() { x } else { y }
}

/// `min(max(x, low), high)`, which is defined even where `low > high`.
pub(super) fn clamp<R: Real>(x: R, low: R, high: R) -> R {
    min(max(x, low), high)
}

/// -1, 0 or 1; 0 for NaN.
pub(super) fn sign<R: Real>(x: R) -> R {
    R::of(f64::from(i8::from(x > R::ZERO) - i8::from(x < R::ZERO)))
}

/// `exp2(y * log2(x))`: not defined for a negative base, where GPUs give NaN.
pub(super) fn pow<R: Real>(x: R, y: R) -> R {
    if x < R::ZERO {
        return R::of(f64::NAN);
    }
    R::of(libm::pow(x.into(), y.into()))
}

/// Cubic interpolation between two edges.
pub(super) fn smooth_step<R: Real>(low: R, high: R, x: R) -> R {
    let t = clamp((x - low) / (high - low), R::ZERO, R::ONE);
    t * t * (R::of(3.0) - R::of(2.0) * t)
}

/// `x * 2^exponent`, rounded once.
pub(super) fn ldexp(x: f32, exponent: i32) -> f32 {
    // Beyond this every finite f32 has become zero or infinity, and f64 still holds the power.
    let exponent = exponent.clamp(-400, 400);
    (f64::from(x) * 2f64.powi(exponent)) as f32
}

/// Fraction in [0.5, 1) with the sign of `x`, and exponent; `(x, 0)` for zeros, infinities and NaN.
pub(super) fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    libm::frexp(x)
}

/// Fraction and whole part, both with the sign of `x`.
pub(super) fn modf(x: f64) -> (f64, f64) {
    let whole = x.trunc();
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (fraction.copysign(x), whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_loses_against_a_number() {
        assert_eq!(min(f32::NAN, 1.0), 1.0);
        assert_eq!(min(1.0, f32::NAN), 1.0);
        assert_eq!(max(f32::NAN, 1.0), 1.0);
        assert_eq!(max(1.0, f32::NAN), 1.0);
        assert!(max(f32::NAN, f32::NAN).is_nan());
    }

    #[test]
    fn of_zeros_the_second_is_taken() {
        for extreme in [min::<f32>, max::<f32>] {
            assert!(extreme(0.0, -0.0).is_sign_negative());
            assert!(extreme(-0.0, 0.0).is_sign_positive());
        }
    }

    #[test]
    fn ldexp_rounds_once_into_subnormals() {
        assert_eq!(ldexp(1.5, -149), f32::from_bits(2));
        assert_eq!(ldexp(1.0, -150), 0.0);
        assert_eq!(ldexp(1.0, i32::MAX), f32::INFINITY);
        assert_eq!(ldexp(1.0, i32::MIN), 0.0);
        assert_eq!(ldexp(f32::from_bits(1), 149), 1.0);
    }

    #[test]
    fn frexp_of_a_subnormal() {
        assert_eq!(frexp(f64::from(f32::from_bits(1))), (0.5, -148));
        assert_eq!(frexp(-6.0), (-0.75, 3));
        assert_eq!(frexp(0.0), (0.0, 0));
    }
}
