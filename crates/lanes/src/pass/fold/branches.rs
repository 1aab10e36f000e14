//! Folds branches: constant conditions become jumps, and comparisons with 0 are tested directly.

use crate::ir::{BlockId, Op, Terminator, Value, WordCompare};
use crate::pass::peephole::Rewriter;

/// Simplifies the branch at the end of a block.
pub(super) fn fold(rewriter: &mut Rewriter, id: BlockId) {
    let Terminator::Branch(condition, yes, no) = &rewriter.function.block(id).terminator else {
        return;
    };
    let next = match constant(rewriter, *condition) {
        Some(true) => Terminator::Jump(yes.clone()),
        Some(false) => Terminator::Jump(no.clone()),
        None if yes == no => Terminator::Jump(yes.clone()),
        None => match inner(rewriter, *condition) {
            Some((WordCompare::Ne, word)) => Terminator::Branch(word, yes.clone(), no.clone()),
            Some((_, word)) => Terminator::Branch(word, no.clone(), yes.clone()),
            None => return,
        },
    };
    rewriter.function.block_mut(id).terminator = next;
}

fn constant(rewriter: &Rewriter, condition: Value) -> Option<bool> {
    match rewriter.constant(condition)? {
        Op::Word(bits) | Op::Mask(bits) => Some(bits != 0),
        _ => None,
    }
}

/// The word that a condition compares with 0, and the comparison; a branch tests for 0 itself.
fn inner(rewriter: &Rewriter, condition: Value) -> Option<(WordCompare, Value)> {
    let (op, operands) = rewriter.parts(condition)?;
    match op {
        Op::WordCompare(op @ (WordCompare::Eq | WordCompare::Ne))
            if rewriter.bits(operands[1]) == Some(0) =>
        {
            Some((op, operands[0]))
        }
        _ => None,
    }
}
