//! Immediate dominators by the algorithm of Lengauer and Tarjan, with path compression.
//!
//! In: the entry block of a graph, its successors and predecessors. Out: the immediate dominator of each reachable
//! block; that of the entry is the entry itself. The time is O(m log n) for n blocks and m edges on every graph,
//! irreducible ones included: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", the simple
//! version.

use smallvec::SmallVec;

use super::csr::CsrLists;
use crate::ir::BlockId;

const NONE: u32 = u32::MAX;

/// The immediate dominator of each block; `BlockId(u32::MAX)` for unreachable blocks.
pub(super) fn dominators(
    first: BlockId,
    successors: impl Fn(BlockId) -> SmallVec<[BlockId; 2]>,
    predecessors: &CsrLists<BlockId>,
) -> Vec<BlockId> {
    let tree = Tree::new(first, successors, predecessors.count());
    let mut forest = Forest::new(tree.blocks.len());
    let mut dominator = vec![0; tree.blocks.len()];
    // By vertex: the first vertex whose semidominator it is, and by vertex the next one of that list.
    let (mut bucket, mut next) = (vec![NONE; tree.blocks.len()], vec![NONE; tree.blocks.len()]);
    for vertex in (1..tree.blocks.len() as u32).rev() {
        let parent = tree.parent[vertex as usize];
        for before in predecessors.of(tree.blocks[vertex as usize].index()) {
            let before = tree.number[before.index()];
            if before != NONE {
                let least = forest.least(before);
                let least = forest.semi[least as usize];
                let semi = &mut forest.semi[vertex as usize];
                *semi = least.min(*semi);
            }
        }
        let semi = forest.semi[vertex as usize] as usize;
        next[vertex as usize] = std::mem::replace(&mut bucket[semi], vertex);
        forest.ancestor[vertex as usize] = parent;
        let mut open = std::mem::replace(&mut bucket[parent as usize], NONE);
        while open != NONE {
            let least = forest.least(open);
            let is_below = forest.semi[least as usize] < forest.semi[open as usize];
            dominator[open as usize] = if is_below { least } else { parent };
            open = next[open as usize];
        }
    }
    let mut result = vec![BlockId(NONE); predecessors.count()];
    for vertex in 0..tree.blocks.len() {
        if vertex > 0 && dominator[vertex] != forest.semi[vertex] {
            dominator[vertex] = dominator[dominator[vertex] as usize];
        }
        result[tree.blocks[vertex].index()] = tree.blocks[dominator[vertex] as usize];
    }
    result
}

/// A depth-first spanning tree; vertices are numbered in preorder.
struct Tree {
    /// By vertex.
    blocks: Vec<BlockId>,
    /// By vertex.
    parent: Vec<u32>,
    /// By block.
    number: Vec<u32>,
}

impl Tree {
    fn new(
        first: BlockId,
        successors: impl Fn(BlockId) -> SmallVec<[BlockId; 2]>,
        count: usize,
    ) -> Self {
        let mut tree = Self {
            blocks: Vec::with_capacity(count),
            parent: Vec::with_capacity(count),
            number: vec![NONE; count],
        };
        let mut open = vec![(first, 0)];
        while let Some((block, parent)) = open.pop() {
            if tree.number[block.index()] != NONE {
                continue;
            }
            let vertex = tree.blocks.len() as u32;
            tree.number[block.index()] = vertex;
            tree.blocks.push(block);
            tree.parent.push(parent);
            open.extend(successors(block).into_iter().map(|next| (next, vertex)));
        }
        tree
    }
}

/// The forest of the vertices that have been processed, with path compression. All by vertex.
struct Forest {
    semi: Vec<u32>,
    /// The vertex with the least semidominator on the compressed path to the root.
    label: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(count: usize) -> Self {
        Self {
            semi: (0..count as u32).collect(),
            label: (0..count as u32).collect(),
            ancestor: vec![NONE; count],
            path: Vec::new(),
        }
    }

    /// The vertex with the least semidominator on the path from a vertex to its root, excluding the root (EVAL).
    fn least(&mut self, vertex: u32) -> u32 {
        if self.ancestor[vertex as usize] == NONE {
            return vertex;
        }
        let mut at = vertex;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor[below as usize] as usize;
            let (mine, theirs) = (self.label[below as usize], self.label[above]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.label[below as usize] = theirs;
            }
            self.ancestor[below as usize] = self.ancestor[above];
        }
        self.label[vertex as usize]
    }
}
