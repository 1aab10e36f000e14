//! Fuses trees of bitwise operations with up to three leaves into one ternary logic instruction ([`Op::Ternary`]).
//!
//! With 8 lanes (AVX2) there is no such instruction, and code generators expand it ([`crate::ternary`]). There a tree
//! is fused only if the expansion is shorter than the tree.

use smallvec::SmallVec;

use crate::ir::{Inst, LaneBinary, Op, Value, WordBinary};
use crate::pass::peephole::{Rewrite, Rewriter};
use crate::ternary::split;

/// The leaves of a tree: its distinct operands.
type Leaves = SmallVec<[Value; 4]>;

/// The truth tables of the three leaves: bit `4a + 2b + c` is `a`, `b`, `c`.
const ROWS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Fuses the tree whose root is an instruction, if it includes at least one other instruction.
pub(super) fn merge(rewriter: &Rewriter, inst: &Inst) -> Option<Rewrite> {
    if !is_logic(inst.op) {
        return None;
    }
    let mut inner: SmallVec<[Value; 4]> = SmallVec::new();
    let mut leaves = leaves_of(rewriter, &inst.operands, &inner);
    while let Some((next, more)) = grow(rewriter, inst, &leaves, &inner) {
        inner.push(next);
        leaves = more;
    }
    if inner.is_empty() || leaves.is_empty() {
        return None;
    }
    let table = evaluate(rewriter, inst.op, &inst.operands, &leaves, &inner);
    let is_one_instruction = rewriter.function.capabilities.has_ternary_logic;
    if !is_one_instruction && split(table).cost() >= cost(rewriter, inst.op, &inner) {
        return None;
    }
    let last = leaves[leaves.len() - 1];
    leaves.resize(3, last);
    Rewrite::inst(Op::Ternary(table), &leaves)
}

/// The number of instructions of a tree without ternary logic instructions.
fn cost(rewriter: &Rewriter, op: Op, inner: &[Value]) -> u32 {
    let inner = inner.iter().filter_map(|value| rewriter.parts(*value));
    let all = std::iter::once(op).chain(inner.map(|(op, _)| op));
    all.map(|op| match op {
        Op::Ternary(table) => split(table).cost(),
        _ => 1,
    })
    .sum()
}

/// A leaf that can be added to the tree as an inner node, and the leaves of the larger tree.
fn grow(
    rewriter: &Rewriter,
    inst: &Inst,
    leaves: &Leaves,
    inner: &[Value],
) -> Option<(Value, Leaves)> {
    leaves.iter().find_map(|&leaf| {
        let (op, _) = rewriter.absorbed(leaf)?;
        if !is_logic(op) {
            return None;
        }
        let mut wider: SmallVec<[Value; 4]> = SmallVec::from_slice(inner);
        wider.push(leaf);
        let more = leaves_of(rewriter, &inst.operands, &wider);
        (more.len() <= 3).then_some((leaf, more))
    })
}

/// The leaves of a tree, each once. Constants of all zeros or all ones are not leaves.
fn leaves_of(rewriter: &Rewriter, operands: &[Value], inner: &[Value]) -> Leaves {
    let mut leaves = Leaves::new();
    let mut open: SmallVec<[Value; 8]> = operands.iter().rev().copied().collect();
    while let Some(value) = open.pop() {
        if inner.contains(&value) {
            let (_, operands) = rewriter.parts(value).unwrap_or((Op::Poll(0), &[]));
            open.extend(operands.iter().rev().copied());
        } else if plain(rewriter, value).is_none() && !leaves.contains(&value) {
            leaves.push(value);
        }
    }
    leaves
}

/// The truth table of a constant of all zeros or all ones.
fn plain(rewriter: &Rewriter, value: Value) -> Option<u8> {
    match rewriter.bits(value)? {
        0 => Some(0),
        u32::MAX => Some(u8::MAX),
        _ => None,
    }
}

fn is_logic(op: Op) -> bool {
    use WordBinary::{And, Or, Xor};
    match op {
        Op::Binary(LaneBinary::Int(op)) => matches!(op, And | Or | Xor),
        Op::Ternary(_) => true,
        _ => false,
    }
}

/// The truth table of a tree. A tree has few instructions, so that the recursion is shallow.
fn evaluate(
    rewriter: &Rewriter,
    op: Op,
    operands: &[Value],
    leaves: &Leaves,
    inner: &[Value],
) -> u8 {
    let rows = |value: Value| match rewriter.parts(value) {
        Some((op, operands)) if inner.contains(&value) => {
            evaluate(rewriter, op, operands, leaves, inner)
        }
        _ => {
            let place = leaves.iter().position(|leaf| *leaf == value);
            place.map_or_else(|| plain(rewriter, value).unwrap_or(0), |place| ROWS[place])
        }
    };
    let rows: SmallVec<[u8; 3]> = operands.iter().map(|operand| rows(*operand)).collect();
    match (op, &rows[..]) {
        (Op::Binary(LaneBinary::Int(WordBinary::And)), &[a, b]) => a & b,
        (Op::Binary(LaneBinary::Int(WordBinary::Or)), &[a, b]) => a | b,
        (Op::Binary(LaneBinary::Int(WordBinary::Xor)), &[a, b]) => a ^ b,
        (Op::Ternary(table), &[a, b, c]) => {
            let [a, b, c] = [a, b, c].map(u32::from);
            crate::arithmetic::ternary(table, a, b, c) as u8
        }
        _ => unreachable!("only logic is taken in"),
    }
}
