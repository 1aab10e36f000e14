//! Which blocks lie on every way to others.
//!
//! In: a function whose blocks exist where terminators name them. Out: for each block that can be reached, its
//! immediate dominator, and an interval by which dominance is asked in constant time. After Lengauer and Tarjan, "A
//! fast algorithm for finding dominators in a flowgraph" (1979), the simple version: `O(m log n)`, whatever the graph
//! looks like, and no recursion.

use crate::ir::{BlockId, Function};

/// No number.
const NONE: u32 = u32::MAX;

/// The dominator tree of a function.
#[derive(Clone, Debug)]
pub struct Dominance {
    /// For each block: its immediate dominator; [`NONE`] for the first block and those that cannot be reached.
    parents: Vec<u32>,
    /// For each block: where its subtree begins and ends, in preorder; empty where it cannot be reached.
    subtrees: Vec<(u32, u32)>,
}

impl Dominance {
    /// The dominator tree of a function.
    pub fn new(function: &Function) -> Self {
        let walk = Walk::new(function);
        let parents = Links::new(&walk).dominators(&walk);
        let count = walk.blocks.len();
        let mut sizes = vec![1; count];
        for index in (1..count).rev() {
            sizes[parents[index] as usize] += sizes[index];
        }
        // Parents have smaller numbers than their children, so that they are placed first.
        let mut begins = vec![0; count];
        let mut free = vec![1; count];
        for index in 1..count {
            let parent = parents[index] as usize;
            begins[index] = free[parent];
            free[parent] += sizes[index];
            free[index] = begins[index] + 1;
        }
        let mut dominance = Self {
            parents: vec![NONE; function.blocks.len()],
            subtrees: vec![(0, 0); function.blocks.len()],
        };
        for (index, block) in walk.blocks.iter().enumerate() {
            dominance.subtrees[block.index()] = (begins[index], begins[index] + sizes[index]);
            if index > 0 {
                dominance.parents[block.index()] = walk.blocks[parents[index] as usize].0;
            }
        }
        dominance
    }

    /// Whether a block can be reached.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        let (begin, end) = self.subtrees[block.index()];
        begin < end
    }

    /// The closest block that lies on every way to another; none for the first and those that cannot be reached.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.parents[block.index()];
        (parent != NONE).then_some(BlockId(parent))
    }

    /// Whether the first block lies on every way to the second, or is it. Both can be reached.
    pub fn dominates(&self, first: BlockId, second: BlockId) -> bool {
        let (begin, end) = self.subtrees[first.index()];
        (begin..end).contains(&self.subtrees[second.index()].0)
    }
}

/// Blocks numbered as a search in depth comes to them.
struct Walk {
    /// The blocks by number.
    blocks: Vec<BlockId>,
    /// For each number: that of the block from which the search came.
    parents: Vec<u32>,
    /// The ways into each number: where its part of `sources` begins; one more at the end.
    starts: Vec<u32>,
    /// Numbers of the blocks that ways come from.
    sources: Vec<u32>,
}

impl Walk {
    fn new(function: &Function) -> Self {
        let mut numbers = vec![NONE; function.blocks.len()];
        let (mut blocks, mut parents, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        let mut open = vec![(Function::ENTRY, NONE)];
        while let Some((block, parent)) = open.pop() {
            if numbers[block.index()] != NONE {
                continue;
            }
            let number = blocks.len() as u32;
            numbers[block.index()] = number;
            blocks.push(block);
            parents.push(parent);
            for next in function.block(block).terminator.successors() {
                ways.push((number, next));
                open.push((next, number));
            }
        }
        let mut starts = vec![0; blocks.len() + 1];
        for (_, to) in &ways {
            starts[numbers[to.index()] as usize + 1] += 1;
        }
        for index in 0..blocks.len() {
            starts[index + 1] += starts[index];
        }
        let mut sources = vec![0; ways.len()];
        let mut free = starts.clone();
        for (from, to) in ways {
            let place = &mut free[numbers[to.index()] as usize];
            sources[*place as usize] = from;
            *place += 1;
        }
        Self {
            blocks,
            parents,
            starts,
            sources,
        }
    }

    fn sources(&self, number: usize) -> &[u32] {
        &self.sources[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// The forest of the algorithm, by number.
struct Links {
    ancestors: Vec<u32>,
    labels: Vec<u32>,
    /// Semidominators.
    semis: Vec<u32>,
    path: Vec<u32>,
}

impl Links {
    fn new(walk: &Walk) -> Self {
        let numbers: Vec<_> = (0..walk.blocks.len() as u32).collect();
        Self {
            ancestors: vec![NONE; numbers.len()],
            labels: numbers.clone(),
            semis: numbers,
            path: Vec::new(),
        }
    }

    /// The immediate dominator of each number.
    fn dominators(mut self, walk: &Walk) -> Vec<u32> {
        let count = walk.blocks.len();
        let mut dominators = vec![0; count];
        // Linked lists of the numbers that have a semidominator.
        let (mut heads, mut nexts) = (vec![NONE; count], vec![NONE; count]);
        for index in (1..count).rev() {
            for &source in walk.sources(index) {
                let best = self.best(source);
                self.semis[index] = self.semis[index].min(self.semis[best as usize]);
            }
            let semi = self.semis[index] as usize;
            nexts[index] = std::mem::replace(&mut heads[semi], index as u32);
            let parent = walk.parents[index];
            self.ancestors[index] = parent;
            let mut member = std::mem::replace(&mut heads[parent as usize], NONE);
            while member != NONE {
                let (best, at) = (self.best(member), member as usize);
                let is_lower = self.semis[best as usize] < self.semis[at];
                dominators[at] = if is_lower { best } else { parent };
                member = nexts[at];
            }
        }
        for index in 1..count {
            if dominators[index] != self.semis[index] {
                dominators[index] = dominators[dominators[index] as usize];
            }
        }
        dominators
    }

    /// Of a number and its ancestors below the root, that with the lowest semidominator; shortens the way there.
    fn best(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.ancestors[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestors[at as usize];
        }
        // The root's child stays as it is: the root itself does not count.
        self.path.pop();
        while let Some(at) = self.path.pop() {
            let ancestor = self.ancestors[at as usize] as usize;
            let (own, other) = (self.labels[at as usize], self.labels[ancestor]);
            if self.semis[other as usize] < self.semis[own as usize] {
                self.labels[at as usize] = other;
            }
            self.ancestors[at as usize] = self.ancestors[ancestor];
        }
        self.labels[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Edge, Terminator, Value};

    /// A function with these ways, at most two from a block, by the numbers of blocks.
    fn graph(ways: &[Vec<u32>]) -> Function {
        let mut function = Function::new(8);
        for _ in 1..ways.len() {
            function.add_block();
        }
        for (block, next) in function.blocks.iter_mut().zip(ways) {
            let to = |it: u32| Edge::to(BlockId(it));
            block.terminator = match next[..] {
                [] => continue,
                [one] => Terminator::Jump(to(one)),
                [one, two] => Terminator::Branch(Value(0), to(one), to(two)),
                _ => panic!("too many ways"),
            };
        }
        function
    }

    /// What can be reached without a block.
    fn reached_without(ways: &[Vec<u32>], without: u32) -> Vec<bool> {
        let mut seen = vec![false; ways.len()];
        let mut open = if without == 0 { vec![] } else { vec![0] };
        while let Some(at) = open.pop() {
            if at != without && !std::mem::replace(&mut seen[at as usize], true) {
                open.extend(&ways[at as usize]);
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
            let ways: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(3)).map(|_| random(count) as u32).collect())
                .collect();
            let dominance = Dominance::new(&graph(&ways));
            let reached = reached_without(&ways, NONE);
            for first in 0..count as u32 {
                assert_eq!(
                    dominance.is_reachable(BlockId(first)),
                    reached[first as usize]
                );
                let others = reached_without(&ways, first);
                for second in 0..count as u32 {
                    if reached[first as usize] && reached[second as usize] {
                        let expected = !others[second as usize];
                        let found = dominance.dominates(BlockId(first), BlockId(second));
                        assert_eq!(found, expected, "{first} {second} {ways:?}");
                    }
                }
            }
        }
    }
}
