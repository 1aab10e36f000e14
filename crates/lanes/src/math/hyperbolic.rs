//! Hyperbolic functions and their inverses.

use super::exponential::{exp_halves, exp_parts};
use super::logarithm::log_1p;
use super::trigonometric::near_zero;
use super::{add, add_to, choose, div, mul, mul_by, sub};
use crate::build::Builder;
use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Value};

/// `(sinh(x) - x) / x^3` by `x^2`, for `|x| <= 1`.
const SINH: [f32; 4] = [
    0.166_666_67,
    0.008_333_310_5,
    1.984_289_6e-4,
    2.782_213_2e-6,
];

/// `(tanh(x) - x) / x^3` by `x^2`, for `|x| <= 0.6`.
const TANH: [f32; 5] = [
    -0.333_333,
    0.133_319_36,
    -0.053_784_717,
    0.020_798_625,
    -0.005_897_966_7,
];

/// From here on, adding 1 does not change the square of a number.
const LARGE: f32 = 1e9;

/// The hyperbolic sine: error up to 1.6 ULP.
pub fn sinh(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    let (up, down) = exp_halves(b, size);
    let large = sub(b, up, down);
    let small = near_zero(b, size, &SINH);
    let result = choose(b, size, LaneCompare::LtF, 1.0, small, large);
    b.copy_sign(result, x)
}

/// The hyperbolic cosine: error up to 1.5 ULP.
pub fn cosh(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    let (up, down) = exp_halves(b, size);
    add(b, up, down)
}

/// The hyperbolic tangent: error up to 1.4 ULP.
pub fn tanh(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    let twice = add(b, size, size);
    let (mantissa, exponent) = exp_parts(b, twice);
    let power = b.binary(LaneBinary::ScaleF, mantissa, exponent);
    let down = add_to(b, power, 1.0);
    let minus_two = b.splat_f(-2.0);
    let large = div(b, minus_two, down);
    let large = add_to(b, large, 1.0);
    let small = near_zero(b, size, &TANH);
    let result = choose(b, size, LaneCompare::LtF, 0.6, small, large);
    b.copy_sign(result, x)
}

/// The inverse hyperbolic sine: error up to 2.0 ULP.
pub fn asinh(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    // ln(a + sqrt(a^2 + 1)) = ln(1 + a + a^2 / (1 + sqrt(a^2 + 1))).
    let one = b.splat_f(1.0);
    let square = mul(b, size, size);
    let root = add(b, square, one);
    let root = b.unary(LaneUnary::Sqrt, root);
    let root = add(b, root, one);
    let z = div(b, square, root);
    let z = add(b, z, size);
    let result = log_of_large(b, size, z);
    b.copy_sign(result, x)
}

/// The inverse hyperbolic cosine; NaN below 1: error up to 2.5 ULP.
pub fn acosh(b: &mut Builder, x: Value) -> Value {
    // ln(x + sqrt(x^2 - 1)) with t = x - 1.
    let t = add_to(b, x, -1.0);
    let square = add_to(b, t, 2.0);
    let square = mul(b, square, t);
    let root = b.unary(LaneUnary::Sqrt, square);
    let z = add(b, root, t);
    let result = log_of_large(b, x, z);
    let nan = b.splat_f(f32::NAN);
    choose(b, x, LaneCompare::LtF, 1.0, nan, result)
}

/// `ln(1 + z)`, or `ln(2 x)` if `x` is large.
fn log_of_large(b: &mut Builder, x: Value, z: Value) -> Value {
    let large = b.splat_f(LARGE);
    let is_large = b.compare(LaneCompare::LtF, large, x);
    let z = b.select(is_large, x, z);
    let (zero, ln_2) = (b.splat_f(0.0), b.splat_f(std::f32::consts::LN_2));
    let plus = b.select(is_large, ln_2, zero);
    log_1p(b, z, plus)
}

/// The inverse hyperbolic tangent; NaN outside -1 to 1: error up to 2.4 ULP.
pub fn atanh(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    let one = b.splat_f(1.0);
    let down = sub(b, one, size);
    let up = add(b, size, size);
    let z = div(b, up, down);
    let zero = b.splat_f(0.0);
    let twice = log_1p(b, z, zero);
    let result = mul_by(b, twice, 0.5);
    let nan = b.splat_f(f32::NAN);
    let result = choose(b, size, LaneCompare::LeF, 1.0, result, nan);
    b.copy_sign(result, x)
}
