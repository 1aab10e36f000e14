//! Conditions that hold at the start of a block, from the branches and checks above it.

use crate::compile::ir::{Binary, Block, Cfg, Dominators, Function, Op, Terminator, Unary, Value};

/// How many blocks up the dominator tree are looked at.
const MAX_BLOCKS: usize = 64;

/// A condition and whether it holds.
pub(super) type Fact = (Value, bool);

/// What an edge tells about its target, if that has no other predecessor.
pub(super) fn of_edge(function: &Function, cfg: &Cfg, block: Block) -> Option<Fact> {
    let [before] = *cfg.predecessors(block) else {
        return None;
    };
    match &function.block(before).terminator {
        Terminator::Branch { condition, yes, .. } => Some((*condition, yes.block == block)),
        _ => None,
    }
}

/// The facts that hold at the end of a block, the nearest first.
pub(super) fn above(
    function: &Function,
    cfg: &Cfg,
    dominators: &Dominators,
    block: Block,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut next = Some(block);
    for _ in 0..MAX_BLOCKS {
        let Some(block) = next else {
            break;
        };
        for &inst in function.block(block).insts.iter().rev().take(MAX_BLOCKS) {
            if let Op::TrapIf { condition, .. } = function.op(inst) {
                facts.push((*condition, false));
            }
        }
        facts.extend(of_edge(function, cfg, block));
        next = dominators.immediate(block);
    }
    facts
        .into_iter()
        .flat_map(|fact| parts(function, fact))
        .collect()
}

/// How many conditions a fact is taken apart into.
const MAX_PARTS: usize = 8;

/// A fact and those that follow from it by `Not`, `And` and `Or`.
pub(super) fn parts(function: &Function, fact: Fact) -> Vec<Fact> {
    let mut parts = vec![fact];
    let mut at = 0;
    while at < parts.len().min(MAX_PARTS) {
        let (condition, holds) = parts[at];
        at += 1;
        match *function.op(condition) {
            Op::Unary(Unary::Not, inner) => parts.push((inner, !holds)),
            Op::Binary(Binary::And, left, right) if holds => {
                parts.extend([(left, true), (right, true)]);
            }
            Op::Binary(Binary::Or, left, right) if !holds => {
                parts.extend([(left, false), (right, false)]);
            }
            _ => {}
        }
    }
    parts
}
