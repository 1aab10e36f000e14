//! Blocks in the order in which they become code.
//!
//! In: a function. Out: its reachable blocks with those that critical edges need between them. What always
//! holds: an edge from a block with several successors to one with several predecessors has a block of its own, so that
//! moves have a place; loops are contiguous where [`Function::order`] makes them so. Block 0 is made up, comes first and goes to the first block
//! of the function, which therefore may have predecessors.

use anywarp_lanes::ir::{BlockId, Edge, Function, Terminator};

/// What a block is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// What comes before everything.
    Start,
    /// A block of the function.
    Block(BlockId),
    /// One of the ways out of a block.
    Way(BlockId, usize),
}

/// The blocks in order, by number.
#[derive(Debug)]
pub(crate) struct Graph {
    /// What each is made from.
    pub(crate) origins: Vec<Origin>,
    /// For each block of the function, the numbers of its successors.
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
        // Ways to a block that comes later wait for it, so that they lie outside of loops that they leave.
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

    /// Ways without a block of their own go directly to their successors.
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

    /// Where the ways out of a block go, by number.
    pub(crate) fn ways(&self, block: BlockId) -> &[u32] {
        &self.ways[block.index()]
    }

    /// Whether a way has a block of its own.
    pub(crate) fn is_split(&self, block: BlockId, way: usize) -> bool {
        let number = self.ways[block.index()][way];
        matches!(self.origins[number as usize], Origin::Way(..))
    }
}

fn count_predecessors(function: &Function, order: &[BlockId]) -> Vec<u32> {
    let mut count = vec![0; function.blocks.len()];
    // The made-up first block goes there.
    count[Function::ENTRY.index()] = 1;
    for &block in order {
        for next in function.block(block).terminator.successors() {
            count[next.index()] += 1;
        }
    }
    count
}

/// An edge by the number of its way; none where ways carry nothing.
pub(crate) fn edge(terminator: &Terminator, way: usize) -> Option<&Edge> {
    terminator.edges().nth(way)
}
