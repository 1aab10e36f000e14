//! Critical edges: from a block with several ways on to one with several ways in.
//!
//! In: any function. Out: the same, with a block on each of them, so that there is a place for what an edge has to do.

use super::graph::Graph;
use crate::ir::{BlockId, Edge, Function, Terminator};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Graph::new(function);
    for &block in graph.order() {
        let is_critical = |it: BlockId| graph.predecessors(it).len() > 1;
        let mut terminator = std::mem::replace(
            &mut function.block_mut(block).terminator,
            Terminator::Resume(Vec::new()),
        );
        match &mut terminator {
            Terminator::Branch(_, yes, no) => {
                for edge in [yes, no].into_iter().filter(|it| is_critical(it.block)) {
                    let next = std::mem::replace(edge, Edge::to(block));
                    *edge = Edge::to(split(function, next));
                }
            }
            Terminator::Resume(targets) if targets.len() > 1 => {
                for target in targets.iter_mut().filter(|it| is_critical(**it)) {
                    *target = split(function, Edge::to(*target));
                }
            }
            _ => {}
        }
        function.block_mut(block).terminator = terminator;
    }
}

/// A new block that goes where an edge went.
fn split(function: &mut Function, edge: Edge) -> BlockId {
    let block = function.add_block();
    function.block_mut(block).terminator = Terminator::Jump(edge);
    block
}
