//! Transcendental functions of `f32` in the vector IR.
//!
//! In: a [`Builder`] and lanes. Out: lanes, computed by instructions appended to the builder's current block.
//! Functions with a slow path for rare arguments end in another block than they began in.
//!
//! Algorithm: range reduction, then a minimax polynomial for the relative error of the function on the reduced
//! range. Coefficients are rounded one after another, and the remaining ones fitted again. Independent steps come
//! first: a vector multiplication has a latency of four cycles, but two can begin in each cycle.
//!
//! What always holds: results are inside WGSL's accuracy bounds, far inside where that is cheap. NaN gives NaN,
//! infinities and zeros give the limit of the function, and subnormal numbers are not flushed. No lane affects
//! another. The largest error found is stated at each function in units in the last place (ULP): over 70 million
//! arguments spread over the range for functions of one argument, and over those in the tests for others.

mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod reduction;
mod root;
mod trigonometric;

pub use exponential::{exp, exp2};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{log, log2};
pub use power::pow;
pub use root::inverse_sqrt;
pub use trigonometric::{cos, sin, tan};

use crate::build::Builder;
use crate::ir::{LaneBinary, LaneCompare, Value};

/// `c[0] + c[1] x + c[2] x^2 + …` by Estrin's scheme, whose dependency chain is short.
fn polynomial(b: &mut Builder, x: Value, coefficients: &[f32]) -> Value {
    let mut terms: Vec<_> = coefficients
        .iter()
        .map(|&coefficient| b.splat_f(coefficient))
        .collect();
    let mut power = x;
    while terms.len() > 1 {
        terms = terms
            .chunks(2)
            .map(|pair| match *pair {
                [low, high] => b.fma(high, power, low),
                _ => pair[0],
            })
            .collect();
        if terms.len() > 1 {
            power = mul(b, power, power);
        }
    }
    terms[0]
}

fn add(b: &mut Builder, x: Value, y: Value) -> Value {
    b.binary(LaneBinary::AddF, x, y)
}

fn sub(b: &mut Builder, x: Value, y: Value) -> Value {
    b.binary(LaneBinary::SubF, x, y)
}

fn mul(b: &mut Builder, x: Value, y: Value) -> Value {
    b.binary(LaneBinary::MulF, x, y)
}

fn div(b: &mut Builder, x: Value, y: Value) -> Value {
    b.binary(LaneBinary::DivF, x, y)
}

/// `x * c`.
fn mul_by(b: &mut Builder, x: Value, c: f32) -> Value {
    let c = b.splat_f(c);
    mul(b, x, c)
}

/// `x + c`.
fn add_to(b: &mut Builder, x: Value, c: f32) -> Value {
    let c = b.splat_f(c);
    add(b, x, c)
}

/// `x * c + y`, rounded once.
fn fma_by(b: &mut Builder, x: Value, c: f32, y: Value) -> Value {
    let c = b.splat_f(c);
    b.fma(x, c, y)
}

/// The rounding error of the product `p` of `x` and `y`, exactly (TwoProduct with FMA).
fn product_rest(b: &mut Builder, x: Value, y: Value, p: Value) -> Value {
    let negative = b.negate(p);
    b.fma(x, y, negative)
}

/// `if compare(x, limit) { yes } else { no }`, lane by lane.
fn choose(
    b: &mut Builder,
    x: Value,
    compare: LaneCompare,
    limit: f32,
    yes: Value,
    no: Value,
) -> Value {
    let limit = b.splat_f(limit);
    let mask = b.compare(compare, x, limit);
    b.select(mask, yes, no)
}

/// `x` clamped to `low` and `high`; NaN stays NaN.
fn clamp(b: &mut Builder, x: Value, low: f32, high: f32) -> Value {
    // `min` and `max` return their second operand if one is NaN.
    let high = b.splat_f(high);
    let x = b.binary(LaneBinary::MinF, high, x);
    let low = b.splat_f(low);
    b.binary(LaneBinary::MaxF, low, x)
}

/// Added to a number of small magnitude, this constant rounds it to the nearest integer, which is then in the low
/// bits of the sum (1.5 * 2^23).
const ROUNDER: f32 = 12_582_912.0;
