//! Functions of `f32` as vector code: what WGSL has beyond arithmetic.
//!
//! In: a [`Builder`] and lanes. Out: lanes, computed by instructions that are appended to the builder's current block;
//! functions that have a rare slow way end in another block than they began. What always holds: results lie inside
//! WGSL's accuracy bounds, far inside where that is cheap; NaN gives NaN, infinities and zeros give what the limit of
//! the function is, subnormal numbers are numbers like others. No result depends on another lane. The largest errors
//! that were found are written at each function, in units in the last place: of 70 million arguments all over the
//! range on a machine for those with one argument, of those in the tests for others.
//!
//! Polynomials are minimax for the relative error of the function on the reduced range, with coefficients rounded one
//! after another and the others fitted again. Steps that do not depend on each other come first: a vector of lanes
//! waits four cycles for each multiplication, but can begin two in each.

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

/// `c[0] + c[1] x + c[2] x^2 + …`, by Estrin's scheme: pairs first, so that few steps depend on each other.
fn polynomial(b: &mut Builder, x: Value, coefficients: &[f32]) -> Value {
    let mut terms: Vec<_> = coefficients.iter().map(|&it| b.splat_f(it)).collect();
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

/// What the rounded product `p` of `x` and `y` lacks, exactly.
fn product_rest(b: &mut Builder, x: Value, y: Value, p: Value) -> Value {
    let negative = b.negate(p);
    b.fma(x, y, negative)
}

/// `if compare(x, limit) { yes } else { no }`.
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

/// `x`, but not below `low` nor above `high`; NaN stays.
fn clamp(b: &mut Builder, x: Value, low: f32, high: f32) -> Value {
    // Of two floats of which one is not a number, the second is taken.
    let high = b.splat_f(high);
    let x = b.binary(LaneBinary::MinF, high, x);
    let low = b.splat_f(low);
    b.binary(LaneBinary::MaxF, low, x)
}

/// A float and a whole number close to it: added to a small number, the sum's last bits are the whole number nearest
/// to it.
const ROUNDER: f32 = 12_582_912.0;
