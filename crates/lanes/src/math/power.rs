//! Powers: `2^(y log2(x))`, with the logarithm in twice the precision because the exponent multiplies its error.

use super::exponential::{exp2_near, fast_two_sum};
use super::logarithm::{Split, split};
use super::{ROUNDER, add, add_to, choose, fma_by, mul, mul_by, polynomial, product_rest, sub};
use crate::build::Builder;
use crate::ir::{LaneCompare, MaskBinary, Value};

/// `(log2(1 + f) - log2(e) (f - f^2 / 2)) / f^3` for `|f| <= 1/3`.
const LOG2: [f32; 9] = [
    0.480_898_38,
    -0.360_671_16,
    0.288_533_36,
    -0.240_635_62,
    0.206_365_27,
    -0.175_945_94,
    0.155_198_56,
    -0.185_322_25,
    0.173_051_12,
];

/// `log2(e)` as a sum of two floats.
const LOG2_E: [f32; 2] = [std::f32::consts::LOG2_E, 1.925_963_e-8];

/// `x^y`: NaN where `x` is negative, else like `pow` of C; error up to 1.8 ULP.
pub fn pow(b: &mut Builder, x: Value, y: Value) -> Value {
    let (high, low) = log2_parts(b, x);
    // Infinity and NaN fail this comparison and are their own logarithms.
    let high = choose(b, x, LaneCompare::LtF, f32::INFINITY, high, x);
    let lowest = b.splat_f(f32::NEG_INFINITY);
    let high = choose(b, x, LaneCompare::EqF, 0.0, lowest, high);
    let product = mul(b, y, high);
    let rest = product_rest(b, y, high, product);
    let rest = b.fma(y, low, rest);
    let n = add_to(b, product, ROUNDER);
    let n = add_to(b, n, -ROUNDER);
    let r = sub(b, product, n);
    let r = add(b, r, rest);
    let result = exp2_near(b, r, n);
    // Outside this range the result above is meaningless. These comparisons do not depend on it.
    let (infinity, limit) = (b.splat_f(f32::INFINITY), b.splat_f(160.0));
    let is_large = b.compare(LaneCompare::LtF, limit, product);
    let result = b.select(is_large, infinity, result);
    let zero = b.splat_f(0.0);
    let result = choose(b, product, LaneCompare::LtF, -160.0, zero, result);
    with_edges(b, x, y, result)
}

/// Replaces the result: 1 where `x` is 1 or `y` is 0, whatever the other is; NaN where `x` is negative.
fn with_edges(b: &mut Builder, x: Value, y: Value, result: Value) -> Value {
    let (zero, one) = (b.splat_f(0.0), b.splat_f(1.0));
    let is_zero = b.compare(LaneCompare::EqF, y, zero);
    let is_one = b.compare(LaneCompare::EqF, x, one);
    let is_either = b.mask_binary(MaskBinary::Or, is_zero, is_one);
    let result = b.select(is_either, one, result);
    let nan = b.splat_f(f32::NAN);
    choose(b, x, LaneCompare::LtF, 0.0, nan, result)
}

/// `log2(x)` of a positive number as a sum of two floats.
fn log2_parts(b: &mut Builder, x: Value) -> (Value, Value) {
    let Split { f, e } = split(b, x);
    // The factor of f^2 is w f + log2(e) / -2, plus the rounding errors of w and of the sum.
    let p = polynomial(b, f, &LOG2[1..]);
    let third = b.splat_f(LOG2[0]);
    let (w, w_low) = fma_parts(b, f, p, third);
    let half = b.splat_f(-0.5 * LOG2_E[0]);
    let (t, t_low) = fma_parts(b, f, w, half);
    let t_low = b.fma(f, w_low, t_low);
    let t_low = add_to(b, t_low, -0.5 * LOG2_E[1]);
    // Times f^2.
    let f2 = mul(b, f, f);
    let f2_low = product_rest(b, f, f, f2);
    let second = mul(b, f2, t);
    let second_low = product_rest(b, f2, t, second);
    let second_low = b.fma(f2, t_low, second_low);
    let second_low = b.fma(f2_low, t, second_low);
    // The term in f.
    let first = mul_by(b, f, LOG2_E[0]);
    let factor = b.splat_f(LOG2_E[0]);
    let first_low = product_rest(b, f, factor, first);
    let first_low = fma_by(b, f, LOG2_E[1], first_low);
    let (near, near_low) = fast_two_sum(b, first, second);
    let (high, high_low) = fast_two_sum(b, e, near);
    let low = add(b, first_low, second_low);
    let rounded = add(b, near_low, high_low);
    (high, add(b, rounded, low))
}

/// `x * y + z` for the largest `z`, and its rounding error.
fn fma_parts(b: &mut Builder, x: Value, y: Value, z: Value) -> (Value, Value) {
    let sum = b.fma(x, y, z);
    let gap = sub(b, z, sum);
    (sum, b.fma(x, y, gap))
}
