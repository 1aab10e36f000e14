//! Block order and critical-edge splitting, like Cranelift's `BlockLoweringOrder`.
//!
//! In: a function. Out: its reachable blocks in [`Function::order`], with an extra block on each critical edge. What
//! always holds: an edge from a block with several successors to a block with several predecessors has a block of its
//! own, where the register allocator can place moves. Loops are contiguous where [`Function::order`] makes them so.
//! Block 0 is synthetic: it precedes the function's entry block, which therefore may have predecessors.

use anywarp_lanes::ir::{BlockId, Edge, Function, Terminator};

/// What a block of machine code is lowered from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// The synthetic entry block.
    Start,
    /// A block of the function.
    Block(BlockId),
    /// A critical edge: a block and the index of the successor.
    Edge(BlockId, usize),
}

/// The block order.
#[derive(Debug)]
pub(crate) struct BlockOrder {
    /// The blocks in order.
    pub(crate) origins: Vec<Origin>,
    /// For each block of the function, the numbers of its successors in the order, edge blocks included.
    successors: Vec<Vec<u32>>,
    numbers: Vec<u32>,
}

impl BlockOrder {
    pub(crate) fn new(function: &Function) -> Self {
        let order = function.order();
        let mut block_order = Self {
            origins: vec![Origin::Start],
            successors: vec![Vec::new(); function.blocks.len()],
            numbers: vec![u32::MAX; function.blocks.len()],
        };
        let predecessors = count_predecessors(function, &order);
        // The block of a forward edge is placed directly before its target, so that an exit edge lies outside the loop.
        let mut waiting: Vec<Vec<(BlockId, usize)>> = vec![Vec::new(); function.blocks.len()];
        for &block in &order {
            for (from, index) in std::mem::take(&mut waiting[block.index()]) {
                block_order.place_edge(from, index);
            }
            block_order.numbers[block.index()] = block_order.origins.len() as u32;
            block_order.origins.push(Origin::Block(block));
            let successors = function.block(block).terminator.successors();
            block_order.successors[block.index()] = vec![u32::MAX; successors.len()];
            for (index, next) in successors.iter().enumerate() {
                if successors.len() < 2 || predecessors[next.index()] < 2 {
                    continue;
                }
                if block_order.numbers[next.index()] == u32::MAX {
                    waiting[next.index()].push((block, index));
                } else {
                    block_order.place_edge(block, index);
                }
            }
        }
        block_order.finish(function, &order);
        block_order
    }

    fn place_edge(&mut self, from: BlockId, index: usize) {
        self.successors[from.index()][index] = self.origins.len() as u32;
        self.origins.push(Origin::Edge(from, index));
    }

    /// Edges that are not split go directly to their target.
    fn finish(&mut self, function: &Function, order: &[BlockId]) {
        for &block in order {
            let successors = function.block(block).terminator.successors();
            for (index, next) in successors.iter().enumerate() {
                let number = &mut self.successors[block.index()][index];
                if *number == u32::MAX {
                    *number = self.numbers[next.index()];
                }
            }
        }
    }

    /// The number of a block of the function.
    pub(crate) fn number(&self, block: BlockId) -> u32 {
        self.numbers[block.index()]
    }

    /// The successors of a block, by number.
    pub(crate) fn successors(&self, block: BlockId) -> &[u32] {
        &self.successors[block.index()]
    }

    /// Whether an edge is split, that is, has a block of its own.
    pub(crate) fn is_split(&self, block: BlockId, index: usize) -> bool {
        let number = self.successors[block.index()][index];
        matches!(self.origins[number as usize], Origin::Edge(..))
    }
}

fn count_predecessors(function: &Function, order: &[BlockId]) -> Vec<u32> {
    let mut count = vec![0; function.blocks.len()];
    // The synthetic entry block is a predecessor, too.
    count[Function::ENTRY.index()] = 1;
    for &block in order {
        for next in function.block(block).terminator.successors() {
            count[next.index()] += 1;
        }
    }
    count
}

/// The edge to a successor; `None` if edges of this terminator carry no arguments.
pub(crate) fn edge(terminator: &Terminator, index: usize) -> Option<&Edge> {
    terminator.edges().nth(index)
}
