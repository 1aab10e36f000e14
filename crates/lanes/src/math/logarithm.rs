//! Logarithms: `log`, `log2`, and `ln(1 + z)`.

use super::exponential::LN_2;
use super::{add, add_to, choose, fma_by, mul, mul_by, polynomial};
use crate::build::Builder;
use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Value, WordBinary};

/// `(ln(1 + f) - f + f^2 / 2) / f^3` for `|f| <= 1/3`.
const LOG: [f32; 8] = [
    0.333_332_15,
    -0.249_998_06,
    0.200_104_27,
    -0.166_801_97,
    0.140_057_33,
    -0.121_874_46,
    0.139_846_09,
    -0.128_802_22,
];

/// The same for `log2`.
const LOG2: [f32; 8] = [
    0.480_896_65,
    -0.360_670_86,
    0.288_689_23,
    -0.240_647_6,
    0.202_060_77,
    -0.175_794_21,
    0.201_757_79,
    -0.185_936_27,
];

/// The bits of 2/3: mantissas are reduced to the range from 2/3 to 4/3.
const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// A positive number as `(1 + f) * 2^e` with `|f| <= 1/3`.
pub(super) struct Split {
    /// The mantissa minus 1, exactly.
    pub(super) f: Value,
    /// The exponent, an integer as a float.
    pub(super) e: Value,
}

/// Splits positive numbers, including subnormal ones. For others `f` and `e` are finite but meaningless.
pub(super) fn split(b: &mut Builder, x: Value) -> Split {
    let smallest = b.splat_f(f32::MIN_POSITIVE);
    let is_tiny = b.compare(LaneCompare::LtF, x, smallest);
    let scaled = mul_by(b, x, 16_777_216.0);
    let x = b.select(is_tiny, scaled, x);
    let offset = b.splat(TWO_THIRDS);
    let distance = b.int(WordBinary::Sub, x, offset);
    let e = b.inst(Op::SarBy(23), &[distance]);
    let e = b.unary(LaneUnary::FromS, e);
    let steps = b.splat(24f32.to_bits());
    let e = b.inst(Op::Masked(LaneBinary::SubF), &[e, e, steps, is_tiny]);
    let exponent_bits = b.splat(0xff80_0000);
    let whole = b.int(WordBinary::And, distance, exponent_bits);
    let mantissa = b.int(WordBinary::Sub, x, whole);
    let f = add_to(b, mantissa, -1.0);
    Split { f, e }
}

/// Replaces the result of a logarithm where `x` is 0, negative, infinite or NaN.
pub(super) fn with_edges(b: &mut Builder, x: Value, result: Value) -> Value {
    // Infinity and NaN fail this comparison and are returned themselves.
    let result = choose(b, x, LaneCompare::LtF, f32::INFINITY, result, x);
    let lowest = b.splat_f(f32::NEG_INFINITY);
    let result = choose(b, x, LaneCompare::EqF, 0.0, lowest, result);
    let nan = b.splat_f(f32::NAN);
    choose(b, x, LaneCompare::LtF, 0.0, nan, result)
}

/// The natural logarithm: error up to 1.0 ULP.
pub fn log(b: &mut Builder, x: Value) -> Value {
    let parts = split(b, x);
    let near = log_near(b, parts.f);
    let result = join(b, near, parts.e);
    with_edges(b, x, result)
}

/// `ln(1 + f)` for `|f| <= 1/3`.
fn log_near(b: &mut Builder, f: Value) -> Value {
    let p = polynomial(b, f, &LOG);
    let half = b.splat_f(-0.5);
    let q = b.fma(f, p, half);
    let f2 = mul(b, f, f);
    b.fma(f2, q, f)
}

/// `e ln(2) + near`.
fn join(b: &mut Builder, near: Value, e: Value) -> Value {
    let low = fma_by(b, e, LN_2[1], near);
    fma_by(b, e, LN_2[0], low)
}

/// `plus + ln(1 + z)` for `z >= -1`, accurate also for small `z`; NaN below. `plus` is added before rounding.
pub(super) fn log_1p(b: &mut Builder, z: Value, plus: Value) -> Value {
    let one = b.splat_f(1.0);
    let u = add(b, z, one);
    // The rounding error of `1 + z`, relative to the sum.
    let taken = add_to(b, u, -1.0);
    let rest = super::sub(b, z, taken);
    let rest = super::div(b, rest, u);
    let parts = split(b, u);
    let near = log_near(b, parts.f);
    let near = add(b, near, rest);
    let near = add(b, near, plus);
    let result = join(b, near, parts.e);
    with_edges(b, u, result)
}

/// The logarithm to the base 2: error up to 1.9 ULP.
pub fn log2(b: &mut Builder, x: Value) -> Value {
    let Split { f, e } = split(b, x);
    let p = polynomial(b, f, &LOG2);
    let half = b.splat_f(-0.5 * std::f32::consts::LOG2_E);
    let q = b.fma(f, p, half);
    let f2 = mul(b, f, f);
    let near = mul_by(b, f, std::f32::consts::LOG2_E);
    let near = b.fma(f2, q, near);
    let result = add(b, near, e);
    with_edges(b, x, result)
}
