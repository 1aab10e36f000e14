//! Splits critical edges: edges from a block with several successors to a block with several predecessors.
//!
//! In: any function. Out: the same function, with an empty block on each critical edge, where code for the edge can be
//! inserted.

use super::cfg::Cfg;
use crate::ir::{BlockId, Edge, Function, Terminator};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Cfg::new(function);
    for &block in graph.order() {
        let is_critical = |block: BlockId| graph.predecessors(block).len() > 1;
        let mut terminator = std::mem::replace(
            &mut function.block_mut(block).terminator,
            Terminator::Resume(Vec::new()),
        );
        match &mut terminator {
            Terminator::Branch(_, yes, no) => {
                for edge in [yes, no].into_iter().filter(|edge| is_critical(edge.block)) {
                    let next = std::mem::replace(edge, Edge::to(block));
                    *edge = Edge::to(split(function, next));
                }
            }
            Terminator::Resume(targets) if targets.len() > 1 => {
                for target in targets.iter_mut().filter(|target| is_critical(**target)) {
                    *target = split(function, Edge::to(*target));
                }
            }
            _ => {}
        }
        function.block_mut(block).terminator = terminator;
    }
}

/// A new block that jumps along an edge.
fn split(function: &mut Function, edge: Edge) -> BlockId {
    let block = function.add_block();
    function.block_mut(block).terminator = Terminator::Jump(edge);
    block
}
