//! Instruction fusion: combines several instructions into one.
//!
//! In: any function. Out: the same function, where
//! - trees of bitwise operations with up to three leaves are one [`Op::Ternary`];
//! - opposite shifts are one [`Op::RotateBy`];
//! - gathers and scatters of contiguous lanes, or of one word, are rows or single loads.
//!
//! Only instructions with a single use in the same block are fused. Instructions without uses are left for `dead_code`.

mod access;
mod logic;

use super::peephole::{self, Rewrite, Rewriter, Rules};
use crate::ir::{Function, Inst, LaneBinary, Op, Value, WordBinary};

/// Runs the pass.
pub fn run(function: &mut Function) {
    peephole::run(function, &mut Fuse);
}

struct Fuse;

impl Rules for Fuse {
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
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

/// A left and a right shift of a value, by 32 bits in total, are a rotation.
fn rotate(rewriter: &Rewriter, op: WordBinary, a: Value, b: Value) -> Option<Rewrite> {
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
    is_turn.then(|| Rewrite::inst(Op::RotateBy(by), &[from]))?
}
