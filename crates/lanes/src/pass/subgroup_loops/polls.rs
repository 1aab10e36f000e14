//! Hoists polls out of the loops over subgroups: one poll for each region instead of one for each subgroup.
//!
//! A loop around a barrier polls once in each iteration. Its iterations now consist of regions, so that a poll directly
//! in a loop over subgroups, and not in a loop inside it, can move before that loop.

use crate::ir::{BlockId, Function, Inst, Op};
use crate::pass::cfg::Cfg;
use crate::pass::loops::Loops;

/// Hoists polls out of the loops over subgroups, given their headers and preheaders.
pub(super) fn once(function: &mut Function, heads: &[(BlockId, BlockId)]) {
    let graph = Cfg::new(function);
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
        // The first region is not in a loop.
        let gate = function.block_mut(gate);
        if let Some(poll) = polls.into_iter().next()
            && !gate.insts.iter().any(is_poll)
        {
            gate.insts.push(poll);
        }
    }
}
