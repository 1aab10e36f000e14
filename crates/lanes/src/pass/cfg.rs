//! The control-flow graph of a function: reverse postorder, predecessors, dominators and postdominators.
//!
//! In: a function. Out: tables that are valid as long as no terminator changes. Unreachable blocks are not in the
//! order, are not predecessors and dominate nothing. A barrier is an edge like any other.
//!
//! Immediate dominators come from the algorithm of Lengauer and Tarjan (`dominators`), in almost linear time. Each
//! block has an interval of the preorder of the dominator tree, so that a dominance query is two comparisons.

use anywarp_program::work::{Meter, OverBudget};
use smallvec::SmallVec;

use super::csr::CsrLists;
use super::dominators::dominators;
use crate::ir::{BlockId, Function};

const NONE: u32 = u32::MAX;

/// The control-flow graph of a function.
#[derive(Clone, Debug)]
pub struct Cfg {
    order: Vec<BlockId>,
    /// By block: its index in the reverse postorder.
    position: Vec<u32>,
    predecessors: CsrLists<BlockId>,
    /// By block: its immediate dominator; the entry is its own.
    dominator: Vec<BlockId>,
    /// By block: the interval of its subtree in the preorder of the dominator tree.
    interval: Vec<(u32, u32)>,
}

impl Cfg {
    /// Computes the graph of a function as it is now.
    pub fn new(function: &Function) -> Self {
        let order = function.order();
        let mut position = vec![NONE; function.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            position[block.index()] = place as u32;
        }
        let mut pairs = Vec::with_capacity(2 * order.len());
        for &block in &order {
            let successors = function.block(block).terminator.successors();
            pairs.extend(successors.into_iter().map(|next| (next.0, block)));
        }
        let predecessors = CsrLists::new(function.blocks.len(), &pairs);
        let successors = |block: BlockId| function.block(block).terminator.successors();
        let dominator = dominators(Function::ENTRY, successors, &predecessors);
        let interval = intervals(&order, &dominator);
        Self {
            order,
            position,
            predecessors,
            dominator,
            interval,
        }
    }

    /// The reachable blocks in reverse postorder: each before the blocks that it dominates.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// The index of a block in the reverse postorder, if it is reachable.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        let position = self.position[block.index()];
        (position != NONE).then_some(position as usize)
    }

    /// Whether a block is reachable.
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.position[block.index()] != NONE
    }

    /// The predecessors of a block, once for each edge.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.of(block.index())
    }

    /// The immediate dominator of a block; `None` for the entry.
    pub fn dominator(&self, block: BlockId) -> Option<BlockId> {
        (block != Function::ENTRY).then(|| self.dominator[block.index()])
    }

    /// Whether the first block dominates the second. A block dominates itself.
    pub fn dominates(&self, first: BlockId, second: BlockId) -> bool {
        let (outer, inner) = (self.interval[first.index()], self.interval[second.index()]);
        outer.0 <= inner.0 && inner.0 < outer.1
    }

    /// The first and the last of some blocks in preorder of the dominator tree. A block that dominates both dominates all
    /// of them.
    pub(crate) fn span(&self, blocks: impl Iterator<Item = BlockId>) -> Option<[BlockId; 2]> {
        let place = |block: BlockId| self.interval[block.index()].0;
        blocks.fold(None, |span, block| {
            let [first, last] = span.unwrap_or([block; 2]);
            Some([
                std::cmp::min_by_key(first, block, |block| place(*block)),
                std::cmp::max_by_key(last, block, |block| place(*block)),
            ])
        })
    }

    /// Whether an edge is retreating: its target does not come after its source in the reverse postorder.
    pub fn is_backward(&self, from: BlockId, to: BlockId) -> bool {
        self.position[to.index()] <= self.position[from.index()]
    }

    /// By block: its immediate postdominator, the nearest block on all paths from it to an exit of the function, if
    /// there is one.
    pub(crate) fn postdominators(&self, function: &Function) -> Vec<Option<BlockId>> {
        // Dominators of the reversed graph, with one virtual exit.
        let end = BlockId(self.position.len() as u32);
        let mut pairs = Vec::with_capacity(2 * self.order.len());
        let mut ends = Vec::new();
        for &block in &self.order {
            let next = function.block(block).terminator.successors();
            if next.is_empty() {
                ends.push(block);
                pairs.push((block.0, end));
            }
            pairs.extend(next.into_iter().map(|next| (block.0, next)));
        }
        let after = CsrLists::new(self.position.len() + 1, &pairs);
        let before = |block: BlockId| {
            if block == end {
                ends.iter().copied().collect()
            } else {
                SmallVec::from_slice(self.predecessors(block))
            }
        };
        let postdominator = dominators(end, before, &after);
        let postdominator = postdominator[..self.position.len()].iter().copied();
        postdominator
            .map(|postdominator| {
                Some(postdominator)
                    .filter(|postdominator| *postdominator != end && postdominator.0 != NONE)
            })
            .collect()
    }

    /// The reachable blocks, in preorder of the dominator tree.
    pub fn tree(&self) -> Vec<BlockId> {
        let mut tree = vec![Function::ENTRY; self.order.len()];
        for &block in &self.order {
            tree[self.interval[block.index()].0 as usize] = block;
        }
        tree
    }

    /// By block: its dominance frontier, the blocks of which it dominates a predecessor but which it does not strictly
    /// dominate (Cooper, Harvey and Kennedy).
    pub(crate) fn frontiers(&self, meter: &Meter) -> Result<CsrLists<BlockId>, OverBudget> {
        let mut pairs: Vec<(u32, BlockId)> = Vec::new();
        let mut last = vec![NONE; self.position.len()];
        for &join in &self.order {
            let above = self.dominator(join);
            for &predecessor in self.predecessors(join) {
                let mut runner = predecessor;
                while Some(runner) != above && last[runner.index()] != join.0 {
                    last[runner.index()] = join.0;
                    pairs.push((runner.0, join));
                    meter.tick(1)?;
                    match self.dominator(runner) {
                        Some(next) => runner = next,
                        None => break,
                    }
                }
            }
        }
        Ok(CsrLists::new(self.position.len(), &pairs))
    }
}

/// Intervals of the dominator tree's preorder: sizes of subtrees bottom-up, then starts top-down. No stack is needed,
/// as each block comes after its dominator in the order.
fn intervals(order: &[BlockId], dominator: &[BlockId]) -> Vec<(u32, u32)> {
    let mut size = vec![0; dominator.len()];
    for &block in order[1..].iter().rev() {
        size[block.index()] += 1;
        size[dominator[block.index()].index()] += size[block.index()];
    }
    size[Function::ENTRY.index()] += 1;
    let mut interval = vec![(NONE, NONE); dominator.len()];
    let mut next = vec![0; dominator.len()];
    for &block in order {
        let above = dominator[block.index()].index();
        let start = next[above];
        next[above] += size[block.index()];
        next[block.index()] = start + 1;
        interval[block.index()] = (start, start + size[block.index()]);
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Edge, Terminator, Value};

    /// A function with these edges, by the numbers of blocks; at most two from each block.
    fn function(successors_of: &[Vec<u32>]) -> Function {
        let mut function = Function::new(8);
        for _ in 1..successors_of.len() {
            function.add_block();
        }
        for (block, next) in function.blocks.iter_mut().zip(successors_of) {
            let to = |number: u32| Edge::to(BlockId(number));
            block.terminator = match next[..] {
                [] => continue,
                [one] => Terminator::Jump(to(one)),
                [one, two] => Terminator::Branch(Value(0), to(one), to(two)),
                _ => panic!("too many ways"),
            };
        }
        function
    }

    /// The blocks that are reachable without passing a block.
    fn reached_without(successors_of: &[Vec<u32>], without: u32) -> Vec<bool> {
        let mut seen = vec![false; successors_of.len()];
        let mut open = if without == 0 { vec![] } else { vec![0] };
        while let Some(at) = open.pop() {
            if at != without && !std::mem::replace(&mut seen[at as usize], true) {
                open.extend(&successors_of[at as usize]);
            }
        }
        seen
    }

    #[test]
    fn dominance_is_reachability_without_a_block() {
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..2000 {
            let count = 1 + random(12);
            let successors_of: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(3)).map(|_| random(count) as u32).collect())
                .collect();
            let graph = Cfg::new(&function(&successors_of));
            let reached = reached_without(&successors_of, NONE);
            for first in 0..count as u32 {
                assert_eq!(graph.is_reached(BlockId(first)), reached[first as usize]);
                let others = reached_without(&successors_of, first);
                for second in 0..count as u32 {
                    if reached[first as usize] && reached[second as usize] {
                        let expected = !others[second as usize];
                        let found = graph.dominates(BlockId(first), BlockId(second));
                        assert_eq!(found, expected, "{first} {second} {successors_of:?}");
                    }
                }
            }
        }
    }
}
