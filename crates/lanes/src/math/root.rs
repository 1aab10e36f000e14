//! The inverse square root, without a division or a root.

use super::{mul, polynomial};
use crate::build::Builder;
use crate::ir::{
    Edge, LaneBinary, LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare,
};

/// `(1 / sqrt(1 - r) - 1) / r` for `|r| <= 0.0682`.
const NEAR: [f32; 5] = [0.5, 0.374_997_9, 0.312_497_4, 0.274_898_05, 0.247_609_8];

/// Half of the bits of a float, taken from these, are those of its inverse root, wrong by up to 3.5 in 100.
const MAGIC: u32 = 0x5f37_4740;

/// `1 / sqrt(x)`: error up to 1.0, and 1.5 for subnormal numbers. Numbers that are not normal and positive take a slow way, if one of them is among
/// the lanes of `active` (all where it is absent).
pub fn inverse_sqrt(b: &mut Builder, x: Value, active: Option<Value>) -> Value {
    let half = b.inst(Op::ShrBy(1), &[x]);
    let magic = b.splat(MAGIC);
    let guess = b.int(WordBinary::Sub, magic, half);
    // r = 1 - x guess^2, so that the root is guess / sqrt(1 - r).
    let scaled = mul(b, x, guess);
    let magic = b.splat(MAGIC | 0x8000_0000);
    let negative = b.int(WordBinary::Sub, magic, half);
    let one = b.splat_f(1.0);
    let r = b.fma(scaled, negative, one);
    let p = polynomial(b, r, &NEAR);
    let step = mul(b, guess, r);
    let fast = b.fma(step, p, guess);

    let smallest = b.splat_f(f32::MIN_POSITIVE);
    let distance = b.int(WordBinary::Sub, x, smallest);
    let normals = b.splat(0x7f00_0000);
    let is_normal = LaneCompare::Int(WordCompare::LeU);
    let is_special = match active {
        Some(active) => b.inst(Op::MaskedCompare(is_normal), &[normals, distance, active]),
        None => b.compare(is_normal, normals, distance),
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
