//! Inverse trigonometric functions: `asin`, `acos`, `atan` and `atan2`.

use super::trigonometric::near_zero;
use super::{div, fma_by, mul, polynomial, sub};
use crate::build::Builder;
use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Value, WordCompare};

/// `(asin(s) - s) / s^3` by `s^2`, for `|s| <= 1/2`.
const ASIN: [f32; 5] = [
    0.166_667_52,
    0.074_953_094,
    0.045_469_154,
    0.024_184_741,
    0.042_158_4,
];

/// `(atan(t) - t) / t^3` by `t^2`, for `|t| <= 1`.
const ATAN: [f32; 8] = [
    -0.333_331_53,
    0.199_937_67,
    -0.142_110_08,
    0.106_658_84,
    -0.075_522_736,
    0.043_218_08,
    -0.016_375_907,
    0.002_923_834_8,
];

/// Pi; half of pi as a sum of two floats.
const PI: f32 = std::f32::consts::PI;
const HALF_PI: f32 = std::f32::consts::FRAC_PI_2;
const HALF_PI_REST: f32 = -4.371_139e-8;

/// The common part of `asin` and `acos`. For `|x| <= 1/2` (`is_small`) the arcsine of `|x|`; otherwise the arcsine
/// of `sqrt((1 - |x|) / 2)`, which is half of the arccosine.
struct Arcsine {
    is_small: Value,
    angle: Value,
}

fn arcsine(b: &mut Builder, x: Value) -> Arcsine {
    let size = b.abs(x);
    let half = b.splat_f(0.5);
    let is_small = b.compare(LaneCompare::LeF, size, half);
    let square = mul(b, size, size);
    let rest = fma_by(b, size, -0.5, half);
    let root = b.unary(LaneUnary::Sqrt, rest);
    let z = b.select(is_small, square, rest);
    let s = b.select(is_small, size, root);
    let p = polynomial(b, z, &ASIN);
    let cube = mul(b, z, s);
    let angle = b.fma(cube, p, s);
    Arcsine { is_small, angle }
}

/// The arcsine; NaN outside -1 to 1: error up to 2.3 ULP.
pub fn asin(b: &mut Builder, x: Value) -> Value {
    let Arcsine { is_small, angle } = arcsine(b, x);
    let rest = b.splat_f(HALF_PI_REST);
    let large = fma_by(b, angle, -2.0, rest);
    let large = super::add_to(b, large, HALF_PI);
    let result = b.select(is_small, angle, large);
    b.copy_sign(result, x)
}

/// The arccosine; NaN outside -1 to 1: error up to 1.2 ULP.
pub fn acos(b: &mut Builder, x: Value) -> Value {
    let Arcsine { is_small, angle } = arcsine(b, x);
    let signed = b.copy_sign(angle, x);
    // Half of pi minus the arcsine.
    let rest = b.splat_f(HALF_PI_REST);
    let small = sub(b, rest, signed);
    let small = super::add_to(b, small, HALF_PI);
    // Twice the angle, or pi minus that.
    let twice = super::add(b, angle, angle);
    let rest = b.splat_f(2.0 * HALF_PI_REST);
    let negative = sub(b, rest, twice);
    let negative = super::add_to(b, negative, PI);
    let large = super::choose(b, x, LaneCompare::LtF, 0.0, negative, twice);
    b.select(is_small, small, large)
}

/// The arctangent: error up to 1.5 ULP.
pub fn atan(b: &mut Builder, x: Value) -> Value {
    let size = b.abs(x);
    let one = b.splat_f(1.0);
    let is_large = b.compare(LaneCompare::LtF, one, size);
    let minus_one = b.splat_f(-1.0);
    let up = b.select(is_large, minus_one, size);
    let down = b.select(is_large, size, one);
    let t = div(b, up, down);
    let angle = near_zero(b, t, &ATAN);
    let rest = b.splat_f(HALF_PI_REST);
    let large = super::add(b, angle, rest);
    let large = super::add_to(b, large, HALF_PI);
    let angle = b.select(is_large, large, angle);
    b.copy_sign(angle, x)
}

/// The angle of the point `(x, y)`, like `atan2` of C: error up to 1.5 ULP.
pub fn atan2(b: &mut Builder, y: Value, x: Value) -> Value {
    let (height, width) = (b.abs(y), b.abs(x));
    let is_steep = b.compare(LaneCompare::LtF, width, height);
    // `min` and `max` would lose a NaN.
    let up = b.select(is_steep, width, height);
    let down = b.select(is_steep, height, width);
    let t = slope(b, up, down);
    let angle = near_zero(b, t, &ATAN);
    let rest = b.splat_f(HALF_PI_REST);
    let steep = sub(b, rest, angle);
    let steep = super::add_to(b, steep, HALF_PI);
    let angle = b.select(is_steep, steep, angle);
    // The sign of `x` matters even if it is zero.
    let zero = b.splat(0);
    let is_left = b.compare(LaneCompare::Int(WordCompare::LtS), x, zero);
    let rest = b.splat_f(2.0 * HALF_PI_REST);
    let left = sub(b, rest, angle);
    let left = super::add_to(b, left, PI);
    let angle = b.select(is_left, left, angle);
    b.copy_sign(angle, y)
}

/// The smaller magnitude divided by the larger one; 0 if both are 0, 1 if both are infinite.
fn slope(b: &mut Builder, up: Value, down: Value) -> Value {
    let t = b.binary(LaneBinary::DivF, up, down);
    let zero = b.splat_f(0.0);
    let is_zero = b.compare(LaneCompare::EqF, up, zero);
    let t = b.select(is_zero, up, t);
    let infinity = b.splat_f(f32::INFINITY);
    let is_infinite = b.compare(LaneCompare::EqF, up, infinity);
    let one = b.splat_f(1.0);
    let t = b.select(is_infinite, one, t);
    // The quotient of zero and NaN was replaced by zero above.
    let is_number = b.compare(LaneCompare::EqF, down, down);
    b.inst(Op::Select, &[is_number, t, down])
}
