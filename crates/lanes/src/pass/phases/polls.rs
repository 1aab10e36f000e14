//! Polls that every subgroup would do in a phase are done once, before its loop.
//!
//! A loop around a barrier polls once in a turn. Its turns are phases now, so that what polls in the loop over subgroups
//! itself, and not in one inside of it, need not do so for each of them.

use crate::ir::{BlockId, Function, Inst, Op};
use crate::pass::graph::Graph;
use crate::pass::loops::Loops;

/// Moves polls out of the loops over subgroups, given their heads and the blocks before them.
pub(super) fn once(function: &mut Function, heads: &[(BlockId, BlockId)]) {
    let graph = Graph::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let mut gates = vec![None; function.blocks.len()];
    for (head, gate) in heads {
        gates[head.index()] = Some(*gate);
    }
    for &id in graph.order() {
        let around = loops.innermost(id).map(|it| loops.get(it).header);
        let Some(gate) = around.and_then(|it| gates[it.index()]) else {
            continue;
        };
        let insts = &mut function.block_mut(id).insts;
        let is_poll = |it: &Inst| matches!(it.op, Op::Poll(_));
        let polls: Vec<_> = insts.extract_if(.., |it| is_poll(it)).collect();
        // The first phase is in no loop.
        let gate = function.block_mut(gate);
        if let Some(poll) = polls.into_iter().next()
            && !gate.insts.iter().any(is_poll)
        {
            gate.insts.push(poll);
        }
    }
}
