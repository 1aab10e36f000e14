//! Floats that are not NaN.
//!
//! In: a value. Out: whether its definition shows that it is a number in every lane. Algorithm: a search through the
//! definitions, of bounded depth. So a `clamp` between constants, and what follows it, needs no correction for NaN.

use crate::ir::{LaneBinary, LaneUnary, Op, Value, WordBinary};
use crate::pass::peephole::Rewriter;

/// The most definitions on a path of the search: only selections branch, so that it visits at most 2^5 values.
const MAX_DEPTH: u32 = 5;

/// Whether a float is known not to be NaN.
pub(super) fn is_number(rewriter: &Rewriter, value: Value) -> bool {
    is_number_within(rewriter, value, MAX_DEPTH)
}

fn is_number_within(rewriter: &Rewriter, value: Value, depth: u32) -> bool {
    let (Some((op, operands)), Some(depth)) = (rewriter.parts(value), depth.checked_sub(1)) else {
        return false;
    };
    let is_number = |value| is_number_within(rewriter, value, depth);
    match (op, operands) {
        (Op::Splat(bits), _) => !f32::from_bits(bits).is_nan(),
        (Op::Unary(LaneUnary::FromU | LaneUnary::FromS), _) => true,
        // The second operand, where either is NaN.
        (Op::Binary(LaneBinary::MinF | LaneBinary::MaxF), &[_, second]) => is_number(second),
        (
            Op::Unary(LaneUnary::Floor | LaneUnary::Ceil | LaneUnary::Round | LaneUnary::Trunc),
            &[inner],
        ) => is_number(inner),
        // The absolute value.
        (Op::Binary(LaneBinary::Int(WordBinary::And)), &[inner, bits]) => {
            rewriter.bits(bits) == Some(0x7fff_ffff) && is_number(inner)
        }
        (Op::Select, &[_, yes, no]) => is_number(yes) && is_number(no),
        _ => false,
    }
}
