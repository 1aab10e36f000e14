//! Several instructions become one that does the same.
//!
//! In: any function. Out: the same, where trees of bitwise logic with up to three leaves are one
//! [`Op::Ternary`], opposite shifts are one [`Op::RotateBy`], and lanes that lie side by side in memory, or in one
//! place, are read and written at once. Only instructions whose result is used nowhere else are taken into others, and
//! only inside of a block. What became unused is left for `dead_code`.

mod access;
mod logic;

use super::rewrite::{self, Rewriter, Rules, Step};
use crate::ir::{Function, Inst, LaneBinary, Op, Value, WordBinary};

/// Runs the pass.
pub fn run(function: &mut Function) {
    rewrite::run(function, &mut Fuse);
}

struct Fuse;

impl Rules for Fuse {
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Step> {
        match (inst.op, &inst.operands[..]) {
            (Op::Binary(LaneBinary::Int(op)), &[a, b]) => {
                rotate(rewriter, op, a, b).or_else(|| logic::merge(rewriter, inst))
            }
            (Op::Ternary(_), _) => logic::merge(rewriter, inst),
            (Op::Gather(_) | Op::Scatter(_) | Op::Broadcast, _) => access::narrow(rewriter, inst),
            _ => None,
        }
    }
}

/// Opposite shifts of a value by 32 bits in all turn it.
fn rotate(rewriter: &Rewriter, op: WordBinary, a: Value, b: Value) -> Option<Step> {
    if !matches!(op, WordBinary::Or | WordBinary::Xor | WordBinary::Add) {
        return None;
    }
    let (first, second) = (rewriter.absorbed(a)?, rewriter.absorbed(b)?);
    let (by, back, from, other) = match (first, second) {
        ((Op::ShlBy(by), x), (Op::ShrBy(back), y)) | ((Op::ShrBy(back), y), (Op::ShlBy(by), x)) => {
            (by, back, x[0], y[0])
        }
        _ => return None,
    };
    let is_turn = by > 0 && by + back == 32 && from == other;
    is_turn.then(|| Step::inst(Op::RotateBy(by), &[from]))?
}
