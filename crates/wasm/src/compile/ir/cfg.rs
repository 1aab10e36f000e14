//! Predecessors and reverse postorder of the reachable blocks.

use super::{Block, Function};

/// The control-flow graph of a function at one time.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    /// The reachable blocks in reverse postorder; the entry is first.
    pub order: Vec<Block>,
    /// For each block its position in `order`; `None` if it is never entered.
    pub position: Vec<Option<u32>>,
    /// For each block its reachable predecessors, once for each edge.
    pub predecessors: Vec<Vec<Block>>,
}

impl Cfg {
    /// The graph of a function. Nothing recurses, so that depth costs no stack.
    pub(crate) fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut order = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        seen[0] = true;
        let successors = |block: Block| -> Vec<Block> {
            function
                .block(block)
                .terminator
                .edges()
                .map(|edge| edge.block)
                .collect()
        };
        let mut stack = vec![(Function::ENTRY, successors(Function::ENTRY), 0)];
        while let Some((block, targets, next)) = stack.last_mut() {
            match targets.get(*next).copied() {
                Some(target) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[target.0 as usize], true) {
                        stack.push((target, successors(target), 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut position = vec![None; count];
        let mut predecessors = vec![Vec::new(); count];
        for (at, &block) in (0..).zip(&order) {
            position[block.0 as usize] = Some(at);
            for edge in function.block(block).terminator.edges() {
                predecessors[edge.block.0 as usize].push(block);
            }
        }
        Self {
            order,
            position,
            predecessors,
        }
    }

    /// Whether a block can be entered.
    pub(crate) fn is_reachable(&self, block: Block) -> bool {
        self.position[block.0 as usize].is_some()
    }

    /// The predecessors of a block, once for each edge.
    pub(crate) fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block.0 as usize]
    }
}
