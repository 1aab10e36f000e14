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
    Way(BlockId, usize),
}

/// The block order.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The blocks in order.
    pub(crate) origins: Vec<Origin>,
    /// For each block of the function, the numbers of its successors in the order, edge blocks included.
    ways: Vec<Vec<u32>>,
    numbers: Vec<u32>,
}

impl Graph {
    pub(crate) fn new(function: &Function) -> Self {
        let order = function.order();
        let mut graph = Self {
            origins: vec![Origin::Start],
            ways: vec![Vec::new(); function.blocks.len()],
            numbers: vec![u32::MAX; function.blocks.len()],
        };
        let predecessors = count_predecessors(function, &order);
        // The block of a forward edge is placed directly before its target, so that an exit edge lies outside the loop.
        let mut waiting: Vec<Vec<(BlockId, usize)>> = vec![Vec::new(); function.blocks.len()];
        for &block in &order {
            for (from, way) in std::mem::take(&mut waiting[block.index()]) {
                graph.place_way(from, way);
            }
            graph.numbers[block.index()] = graph.origins.len() as u32;
            graph.origins.push(Origin::Block(block));
            let successors = function.block(block).terminator.successors();
            graph.ways[block.index()] = vec![u32::MAX; successors.len()];
            for (way, next) in successors.iter().enumerate() {
                if successors.len() < 2 || predecessors[next.index()] < 2 {
                    continue;
                }
                if graph.numbers[next.index()] == u32::MAX {
                    waiting[next.index()].push((block, way));
                } else {
                    graph.place_way(block, way);
                }
            }
        }
        graph.finish(function, &order);
        graph
    }

    fn place_way(&mut self, from: BlockId, way: usize) {
        self.ways[from.index()][way] = self.origins.len() as u32;
        self.origins.push(Origin::Way(from, way));
    }

    /// Edges that are not split go directly to their target.
    fn finish(&mut self, function: &Function, order: &[BlockId]) {
        for &block in order {
            let successors = function.block(block).terminator.successors();
            for (way, next) in successors.iter().enumerate() {
                let number = &mut self.ways[block.index()][way];
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
    pub(crate) fn ways(&self, block: BlockId) -> &[u32] {
        &self.ways[block.index()]
    }

    /// Whether an edge is split, that is, has a block of its own.
    pub(crate) fn is_split(&self, block: BlockId, way: usize) -> bool {
        let number = self.ways[block.index()][way];
        matches!(self.origins[number as usize], Origin::Way(..))
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
pub(crate) fn edge(terminator: &Terminator, way: usize) -> Option<&Edge> {
    terminator.edges().nth(way)
}
