//! Control-flow clean-up: fewer blocks and branches.
//!
//! - A branch on a constant, or with two equal edges, becomes a jump; likewise a switch.
//! - A branch to a block that only traps becomes `Op::TrapIf` and a jump, so that checks do not
//!   split blocks. A branch to `Unreachable` becomes a jump.
//! - An edge to an empty block that jumps on goes to the target directly. Blocks that join several
//!   edges into a loop header stay: they are its preheader or its latch.
//! - A block and its only successor, if that has no other predecessor, become one.
//!
//! Branches are not turned into selections: `memory` and `emit` do not need it, and both sides
//! would be computed.

mod terminator;
mod thread;

use super::Substitution;
use super::edges::clear_unreachable;
use crate::compile::ir::{Block, Cfg, Function, Terminator};

/// Rounds until nothing changes, at most.
const MAX_ROUNDS: usize = 8;

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let mut has_changed = false;
    for _ in 0..MAX_ROUNDS {
        let mut changes = terminator::run(function);
        changes |= thread::run(function);
        changes |= merge(function);
        if !changes {
            break;
        }
        has_changed = true;
    }
    has_changed
}

/// Appends each block to its only predecessor if that jumps to it.
fn merge(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let mut has_changed = clear_unreachable(function, &cfg);
    let mut substitution = Substitution::new(function);
    for &block in &cfg.order {
        while let Some(next) = only_successor(function, &cfg, block) {
            let data = function.block_mut(next);
            let params = std::mem::take(&mut data.params);
            let insts = std::mem::take(&mut data.insts);
            let terminator = std::mem::replace(&mut data.terminator, Terminator::Unreachable);
            let data = function.block_mut(block);
            data.insts.extend(insts);
            let Terminator::Jump(edge) = std::mem::replace(&mut data.terminator, terminator) else {
                break;
            };
            for (param, arg) in params.into_iter().zip(edge.args) {
                substitution.replace(param, arg);
            }
            has_changed = true;
        }
    }
    substitution.apply(function);
    has_changed
}

/// The block that only this one enters, and that this one only enters.
fn only_successor(function: &Function, cfg: &Cfg, block: Block) -> Option<Block> {
    let Terminator::Jump(edge) = &function.block(block).terminator else {
        return None;
    };
    let is_only = edge.block != block && cfg.predecessors(edge.block).len() == 1;
    is_only.then_some(edge.block)
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn checks_become_instructions() {
        check(
            super::run,
            "kernel f(i32, i32) -> i32
            b0:
              v0: bool = LtUnsigned arg0, arg1
              branch v0, b1, b2(arg0, arg1)
            b1:
              v1: i32 = Add arg0, 1
              v2: bool = Eq v1, 0
              branch v2, b3, b4
            b2(v3: i32, v4: i32):
              trap Panic v3, v4
            b3:
              unreachable
            b4:
              return v1",
            "kernel f(i32, i32) -> i32
            b0:
              v0: bool = LtUnsigned arg0, arg1
              v9: bool = Not v0
              TrapIf v9, Panic arg0, arg1
              v1: i32 = Add arg0, 1
              v2: bool = Eq v1, 0
              return v1",
        );
    }

    #[test]
    fn empty_blocks_and_constants_go() {
        check(
            super::run,
            "kernel f(i32) -> i32
            b0:
              switch 1, [b1, b2], b3
            b1:
              return 1
            b2:
              v0: bool = Eq arg0, 1
              branch v0, b4, b5
            b3:
              return 3
            b4:
              jump b6(1)
            b5:
              jump b6(2)
            b6(v1: i32):
              branch v0, b7, b7
            b7:
              return v1",
            "kernel f(i32) -> i32
            b0:
              v0: bool = Eq arg0, 1
              branch v0, b6(1), b6(2)
            b6(v1: i32):
              return v1",
        );
    }

    #[test]
    fn a_loop_with_a_joined_latch_stays() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0)
            b1(v0: i32):
              v1: bool = Eq v0, arg0
              branch v1, b2, b3
            b3:
              v2: i32 = Load i32 v0
              v3: bool = Eq v2, 0
              branch v3, b4(1), b5
            b5:
              Store i32 v0, 5
              jump b4(2)
            b4(v4: i32):
              jump b1(v4)
            b2:
              return",
        );
    }
}
