//! Constant folding and algebraic simplification (LLVM: InstCombine).
//!
//! In: any function. Out: the same function, where no instruction has only constant operands, branches on constants are
//! jumps, and the rules of `simplify` are applied. Folding is exact: results keep their bits, except that a NaN may
//! become another NaN. Instructions without uses are left for `dead_code`.
//!
//! Division of lanes by a uniform word becomes multiplication (`divide`).
//!
//! Blocks are visited in reverse postorder, so that operands are folded before their uses; block parameters are not
//! analyzed.

mod branches;
mod constants;
mod divide;
mod number;
mod simplify;

use super::peephole::{self, Rewrite, Rewriter, Rules};
use crate::build::fold::{Folded, fold};
use crate::ir::{BlockId, Function, Inst};

/// Runs the pass.
pub fn run(function: &mut Function) {
    peephole::run(function, &mut Fold);
}

struct Fold;

impl Rules for Fold {
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
        let all = rewriter.function.all_lanes();
        match fold(
            |value| rewriter.constant(value),
            all,
            inst.op,
            &inst.operands,
        ) {
            Some(Folded::Value(value)) => return Some(Rewrite::Value(value)),
            Some(Folded::Constant(op)) => return Rewrite::inst(op, &[]),
            Some(Folded::Cheaper(op, value)) => return Rewrite::inst(op, &[value]),
            None => {}
        }
        if let Some(op) = constants::fold(rewriter, inst) {
            return Rewrite::inst(op, &[]);
        }
        simplify::simplify(rewriter, inst)
    }

    fn end(&mut self, rewriter: &mut Rewriter, block: BlockId) {
        branches::fold(rewriter, block);
    }
}
