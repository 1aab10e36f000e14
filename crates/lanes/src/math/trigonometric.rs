//! Sine, cosine and tangent.
//!
//! `active` are the lanes whose result is needed (all if it is absent): only large angles in them take the slow
//! path of the range reduction. The stated errors are for angles below 131072 in magnitude; beyond, the error of
//! sine and cosine is below 2^-20.

use super::reduction::{Period, Reduced, reduce};
use super::{div, mul, polynomial};
use crate::build::Builder;
use crate::ir::{LaneBinary, LaneCompare, Op, Value, WordBinary, WordCompare};

/// `(sin(r) - r) / r^3` as a polynomial in `r^2`, for `|r|` not much above pi/2.
const SIN: [f32; 4] = [-0.166_666_6, 0.008_333_068, -1.980_965_9e-4, 2.605_749_2e-6];

/// `(tan(r) - r) / r^3` as a polynomial in `r^2`, for `|r|` not much above pi/4.
const TAN: [f32; 6] = [
    0.333_331_5,
    0.133_389_92,
    0.053_395_238,
    0.024_487_318,
    0.003_028_364_6,
    0.009_439_593,
];

/// The sine: error up to 2.4 ULP, and never above 1 in magnitude.
pub fn sin(b: &mut Builder, x: Value, active: Option<Value>) -> Value {
    let Reduced { r, parity } = reduce(b, x, Period::PI, active);
    let sign = b.inst(Op::ShlBy(31), &[parity]);
    signed_sin(b, r, sign)
}

/// The cosine: error up to 2.4 ULP, and never above 1 in magnitude.
pub fn cos(b: &mut Builder, x: Value, active: Option<Value>) -> Value {
    let Reduced { r, parity } = reduce(b, x, Period::PI_AND_HALF, active);
    // cos(r + pi/2 + n pi) = -sin(r) for an even n.
    let sign = b.inst(Op::ShlBy(31), &[parity]);
    let sign = b.negate(sign);
    signed_sin(b, r, sign)
}

/// The sine for `|r|` up to pi/2, negated where `sign` has the sign bit.
fn signed_sin(b: &mut Builder, r: Value, sign: Value) -> Value {
    let size = b.abs(r);
    let size = near_zero(b, size, &SIN);
    // Rounding must not exceed 1. `min` returns its second operand for NaN, so NaN stays NaN.
    let one = b.splat_f(1.0);
    let size = b.binary(LaneBinary::MinF, one, size);
    let sign = b.int(WordBinary::Xor, r, sign);
    b.copy_sign(size, sign)
}

/// `r + r^3 p(r^2)`.
pub(super) fn near_zero(b: &mut Builder, r: Value, coefficients: &[f32]) -> Value {
    let r2 = mul(b, r, r);
    let p = polynomial(b, r2, coefficients);
    let r3 = mul(b, r2, r);
    b.fma(r3, p, r)
}

/// The tangent: error up to 3.2 ULP.
pub fn tan(b: &mut Builder, x: Value, active: Option<Value>) -> Value {
    let Reduced { r, parity } = reduce(b, x, Period::HALF_PI, active);
    let near = near_zero(b, r, &TAN);
    let near = b.copy_sign(near, r);
    // In every second quarter turn it is -1 / tan(r).
    let odd = b.inst(Op::ShlBy(31), &[parity]);
    let zero = b.splat(0);
    let is_odd = b.compare(LaneCompare::Int(WordCompare::Ne), odd, zero);
    let (one, minus_one) = (b.splat_f(1.0), b.splat_f(-1.0));
    let up = b.select(is_odd, minus_one, near);
    let down = b.select(is_odd, near, one);
    div(b, up, down)
}
