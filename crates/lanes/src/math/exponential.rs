//! Exponential functions: `exp`, `exp2`, and their parts for `sinh` and `tanh`.

use super::{ROUNDER, add, add_to, clamp, div, fma_by, mul, polynomial, sub};
use crate::build::Builder;
use crate::ir::{LaneBinary, Op, Value, WordBinary};

/// `ln(2)` as a sum of two floats.
pub(super) const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];

/// `(e^r - 1 - r) / r^2` for `|r| <= ln(2) / 2`.
const EXP: [f32; 5] = [
    0.499_999_94,
    0.166_665_17,
    0.041_668_102,
    0.008_369_192_5,
    0.001_383_889_7,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`.
const EXP2: [f32; 6] = [
    std::f32::consts::LN_2,
    0.240_225_94,
    0.055_503_663,
    0.009_625_445,
    0.001_338_794_2,
    1.333_285_2e-4,
];

/// `e^x`: error up to 1.1 ULP.
pub fn exp(b: &mut Builder, x: Value) -> Value {
    let (mantissa, exponent) = exp_parts(b, x);
    scale(b, mantissa, exponent)
}

/// `e^x` as a factor close to 1 and an exponent of 2.
pub(super) fn exp_parts(b: &mut Builder, x: Value) -> (Value, Value) {
    // Outside this range the result is 0 or infinite; an infinity would give NaN below.
    let x = clamp(b, x, -110.0, 100.0);
    let rounder = b.splat_f(ROUNDER);
    let n = fma_by(b, x, std::f32::consts::LOG2_E, rounder);
    let n = add_to(b, n, -ROUNDER);
    let r = fma_by(b, n, -LN_2[0], x);
    let r = fma_by(b, n, -LN_2[1], r);
    let p = polynomial(b, r, &EXP);
    let r2 = mul(b, r, r);
    let p = b.fma(p, r2, r);
    (add_to(b, p, 1.0), n)
}

/// `2^x`: error up to 1.3 ULP.
pub fn exp2(b: &mut Builder, x: Value) -> Value {
    let x = clamp(b, x, -160.0, 130.0);
    let n = add_to(b, x, ROUNDER);
    let n = add_to(b, n, -ROUNDER);
    let r = sub(b, x, n);
    exp2_near(b, r, n)
}

/// `2^(n + r)` for an integer `n` and `|r|` not much above 1/2.
pub(super) fn exp2_near(b: &mut Builder, r: Value, n: Value) -> Value {
    let p = polynomial(b, r, &EXP2);
    let one = b.splat_f(1.0);
    let p = b.fma(p, r, one);
    scale(b, p, n)
}

/// `p * 2^n`, rounded once, for `p` from 1/2 to 2 and an integer `n` from -160 to 160. For other `n` the result is
/// some float; NaN only if `p` is NaN. Where no instruction does this, the power is split into two normal
/// floats that are multiplied one after another; the first product is exact.
fn scale(b: &mut Builder, p: Value, n: Value) -> Value {
    if b.function().capabilities.scales_floats {
        return b.binary(LaneBinary::ScaleF, p, n);
    }
    // The low bits of the sum are those of `n`; the shift discards the others.
    let bits = add_to(b, n, ROUNDER);
    let half = b.inst(Op::ShrBy(1), &[bits]);
    let rest = b.int(WordBinary::Sub, bits, half);
    let [first, second] = [half, rest].map(|power| {
        let bias = b.splat(127);
        let exponent = b.int(WordBinary::Add, power, bias);
        b.inst(Op::ShlBy(23), &[exponent])
    });
    let product = mul(b, p, first);
    mul(b, product, second)
}

/// `(e^x / 2, e^-x / 2)` for `x >= 0`, also where `e^x` overflows but half of it does not.
pub(super) fn exp_halves(b: &mut Builder, x: Value) -> (Value, Value) {
    let (mantissa, exponent) = exp_parts(b, x);
    let lower = add_to(b, exponent, -1.0);
    let up = scale(b, mantissa, lower);
    let quarter = b.splat_f(0.25);
    let down = div(b, quarter, up);
    (up, down)
}

/// The sum of two numbers, the larger one first, and its rounding error (Fast2Sum by Dekker).
pub(super) fn fast_two_sum(b: &mut Builder, large: Value, small: Value) -> (Value, Value) {
    let sum = add(b, large, small);
    let taken = sub(b, sum, large);
    (sum, sub(b, small, taken))
}
