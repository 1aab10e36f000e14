//! The inverse square root, refined from the CPU's reciprocal-square-root estimate.

use super::mul;
use crate::build::Builder;
use crate::ir::{Edge, LaneBinary, LaneCompare, LaneUnary, Op, Type, Value, WordBinary};

/// `1 / sqrt(x)`: error up to 1.5 ULP. With 16 lanes the result does not depend on `active`. With 8 lanes, a number
/// in `active` (in any lane, if that is absent) that is not normal and positive takes the slow path.
///
/// The estimate `y` has the residual `r = 1 - x y^2`, and the root is `y / sqrt(1 - r)`. With 16 lanes `r` is so
/// small that the first-order term of `1 / sqrt(1 - r) = 1 + r / 2 + 3 r^2 / 8 + ...` is enough; with 8 lanes, two
/// terms are.
pub fn inverse_sqrt(b: &mut Builder, x: Value, active: Option<Value>) -> Value {
    let estimate = b.unary(LaneUnary::InverseSqrtEstimate, x);
    let scaled = mul(b, x, estimate);
    let sign = b.splat(0x8000_0000);
    let negative = b.int(WordBinary::Xor, estimate, sign);
    let one = b.splat_f(1.0);
    let r = b.fma(scaled, negative, one);
    match b.lanes {
        16 => once(b, estimate, r),
        _ => twice(b, x, estimate, r, active),
    }
}

/// Where `r` is NaN (zeros, infinities and negative numbers) the estimate itself is the result.
fn once(b: &mut Builder, estimate: Value, r: Value) -> Value {
    let half = b.splat_f(0.5);
    let half = mul(b, estimate, half);
    let is_number = b.compare(LaneCompare::EqF, r, r);
    b.inst(Op::MaskedFma, &[estimate, half, r, estimate, is_number])
}

fn twice(b: &mut Builder, x: Value, estimate: Value, r: Value, active: Option<Value>) -> Value {
    let (half, slope) = (b.splat_f(0.5), b.splat_f(0.375));
    let terms = b.fma(r, slope, half);
    let step = mul(b, estimate, r);
    let fast = b.fma(step, terms, estimate);

    // NaN, or infinite where the estimate is because the number is too small for it.
    let (size, limit) = (b.abs(r), b.splat_f(0.5));
    let far = LaneCompare::NltF;
    let is_special = match active {
        Some(active) => b.inst(Op::MaskedCompare(far), &[size, limit, active]),
        None => b.compare(far, size, limit),
    };
    let (slow, join) = (b.add_block(), b.add_block());
    let result = b.add_parameter(join, Type::Lanes);
    let edge = |value| Edge {
        block: join,
        arguments: vec![value],
    };
    b.branch(is_special, Edge::to(slow), edge(fast));
    b.switch_to(slow);
    let root = b.unary(LaneUnary::Sqrt, x);
    let one = b.splat_f(1.0);
    let exact = b.binary(LaneBinary::DivF, one, root);
    let either = b.select(is_special, exact, fast);
    b.jump(join, &[either]);
    b.switch_to(join);
    result
}
