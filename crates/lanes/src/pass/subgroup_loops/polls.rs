//! Hoists polls out of the loops over subgroups: one poll for each region instead of one for each subgroup.
//!
//! A loop around a barrier polls once in each iteration. Its iterations now consist of regions, so that a poll directly
//! in a loop over subgroups, and not in a loop inside it, can move before that loop.

use crate::ir::{BlockId, Function, Inst, Op};
use crate::pass::cfg::Cfg;
use crate::pass::loops::Loops;

/// Hoists polls out of the loops over subgroups, given their headers and preheaders.
pub(super) fn hoist(function: &mut Function, headers: &[(BlockId, BlockId)]) {
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let mut preheaders = vec![None; function.blocks.len()];
    for (header, preheader) in headers {
        preheaders[header.index()] = Some(*preheader);
    }
    for &id in graph.order() {
        let around = loops.innermost(id).map(|id| loops.get(id).header);
        let Some(preheader) = around.and_then(|header| preheaders[header.index()]) else {
            continue;
        };
        let insts = &mut function.block_mut(id).insts;
        let is_poll = |inst: &Inst| matches!(inst.op, Op::Poll(_));
        let polls: Vec<_> = insts.extract_if(.., |inst| is_poll(inst)).collect();
        // The first region is not in a loop.
        let preheader = function.block_mut(preheader);
        if let Some(poll) = polls.into_iter().next()
            && !preheader.insts.iter().any(is_poll)
        {
            preheader.insts.push(poll);
        }
    }
}
