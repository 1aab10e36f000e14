//! Simplifies the control-flow graph (LLVM: SimplifyCFG): merges blocks and skips empty ones.
//!
//! In: any function. Out: the same function, where no edge leads to a block that only jumps, no branch has equal edges or
//! repeats that of the only predecessor, and no block ends with a jump to a block that has no other predecessor. Parameters of merged blocks are replaced by
//! their arguments. Blocks are renumbered in their old order.

use super::cfg::Cfg;
use super::remove_blocks;
use super::replace_uses::Replacements;
use crate::ir::{Block, BlockId, Edge, Function, Terminator};

/// Runs the pass.
pub fn run(function: &mut Function) {
    skip_empty(function);
    skip_repeated(function);
    let graph = Cfg::new(function);
    let mut names = Replacements::new(function);
    let mut stays: Vec<_> = (0..function.blocks.len() as u32)
        .map(|number| graph.is_reached(BlockId(number)))
        .collect();
    for &block in graph.order() {
        // A merged block has been followed to its end already.
        while stays[block.index()]
            && let Some(next) = follower(function, &graph, block)
        {
            merge_successor(function, block, next, &mut names);
            stays[next.index()] = false;
        }
    }
    names.apply(function);
    remove_blocks::blocks(function, &stays);
}

/// Redirects edges to blocks that only jump to the targets of those jumps.
fn skip_empty(function: &mut Function) {
    let nexts: Vec<_> = function.blocks.iter().map(only_jump).collect();
    for block in &mut function.blocks {
        for edge in block.terminator.edges_mut() {
            // Bounded, since such blocks may form a cycle.
            for _ in 0..MAX_SKIPPED {
                let Some(next) = &nexts[edge.block.index()] else {
                    break;
                };
                *edge = next.clone();
            }
        }
        if let Terminator::Branch(_, yes, no) = &block.terminator
            && yes == no
        {
            block.terminator = Terminator::Jump(yes.clone());
        }
    }
}

/// Replaces branches whose condition the branch of the only predecessor has decided already.
fn skip_repeated(function: &mut Function) {
    let mut entries = vec![0_u32; function.blocks.len()];
    entries[Function::ENTRY.index()] += 1;
    let mut decided = vec![None; function.blocks.len()];
    for block in &function.blocks {
        for (place, next) in block.terminator.successors().into_iter().enumerate() {
            entries[next.index()] += 1;
            let condition = block.terminator.condition();
            decided[next.index()] = condition.map(|condition| (condition, place == 0));
        }
    }
    for (number, block) in function.blocks.iter_mut().enumerate() {
        let known = decided[number].filter(|_| entries[number] == 1);
        if let Terminator::Branch(condition, yes, no) = &block.terminator
            && let Some((_, holds)) = known.filter(|(known, _)| known == condition)
        {
            let edge = if holds { yes } else { no };
            block.terminator = Terminator::Jump(edge.clone());
        }
    }
}

/// The most empty blocks that an edge skips.
const MAX_SKIPPED: usize = 8;

/// The edge of a block that is empty except for a jump.
fn only_jump(block: &Block) -> Option<Edge> {
    match &block.terminator {
        Terminator::Jump(edge) if block.insts.is_empty() && block.parameters.is_empty() => {
            Some(edge.clone())
        }
        _ => None,
    }
}

/// The single successor of a block, if the block is its single predecessor.
fn follower(function: &Function, graph: &Cfg, block: BlockId) -> Option<BlockId> {
    match &function.block(block).terminator {
        Terminator::Jump(edge) => {
            let is_only_way = graph.predecessors(edge.block).len() == 1;
            (is_only_way && edge.block != block).then_some(edge.block)
        }
        _ => None,
    }
}

fn merge_successor(
    function: &mut Function,
    block: BlockId,
    next: BlockId,
    names: &mut Replacements,
) {
    let taken = function.block_mut(next);
    let parameters = std::mem::take(&mut taken.parameters);
    let mut insts = std::mem::take(&mut taken.insts);
    let end = Terminator::Resume(Vec::new());
    let terminator = std::mem::replace(&mut taken.terminator, end);
    let block = function.block_mut(block);
    block.insts.append(&mut insts);
    let jump = std::mem::replace(&mut block.terminator, terminator);
    let arguments = jump.edges().flat_map(|edge| edge.arguments.iter().copied());
    for (parameter, argument) in parameters.into_iter().zip(arguments) {
        names.put(parameter, argument);
    }
}
