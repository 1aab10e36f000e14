//! The dominator tree, by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
//! Algorithm", 2001). Dominance is answered in constant time by intervals of a preorder walk.

use super::{Block, Cfg, Function};

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub(crate) struct Dominators {
    /// The immediate dominator of each block; `None` for the entry and for unreachable blocks.
    immediate: Vec<Option<Block>>,
    /// The children in the tree, in reverse postorder.
    children: Vec<Vec<Block>>,
    /// First and last preorder number of each subtree.
    interval: Vec<(u32, u32)>,
}

impl Dominators {
    /// The dominator tree of a function.
    pub(crate) fn new(function: &Function, cfg: &Cfg) -> Self {
        let immediate = immediate_dominators(function, cfg);
        let count = function.blocks.len();
        let mut children = vec![Vec::new(); count];
        for &block in &cfg.order {
            if let Some(parent) = immediate[block.0 as usize] {
                children[parent.0 as usize].push(block);
            }
        }
        let mut interval = vec![(u32::MAX, 0); count];
        let mut number = 0;
        let mut stack = vec![(Function::ENTRY, false)];
        while let Some((block, is_left)) = stack.pop() {
            if is_left {
                interval[block.0 as usize].1 = number;
                continue;
            }
            number += 1;
            interval[block.0 as usize].0 = number;
            stack.push((block, true));
            let inner: &Vec<Block> = &children[block.0 as usize];
            stack.extend(inner.iter().rev().map(|&child| (child, false)));
        }
        Self {
            immediate,
            children,
            interval,
        }
    }

    /// The immediate dominator of a block.
    pub(crate) fn immediate(&self, block: Block) -> Option<Block> {
        self.immediate[block.0 as usize]
    }

    /// The blocks that a block dominates immediately, in reverse postorder.
    pub(crate) fn children(&self, block: Block) -> &[Block] {
        &self.children[block.0 as usize]
    }

    /// Whether a block dominates another, or is it.
    pub(crate) fn dominates(&self, above: Block, below: Block) -> bool {
        let (first, last) = self.interval[above.0 as usize];
        let (at, _) = self.interval[below.0 as usize];
        first <= at && at <= last
    }
}

fn immediate_dominators(function: &Function, cfg: &Cfg) -> Vec<Option<Block>> {
    // By position in reverse postorder.
    let mut parents: Vec<Option<u32>> = vec![None; cfg.order.len()];
    parents[0] = Some(0);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (at, &block) in (0_u32..).zip(&cfg.order).skip(1) {
            let known = cfg.predecessors(block).iter().filter_map(|&before| {
                let position = cfg.position[before.0 as usize]?;
                parents[position as usize].map(|_| position)
            });
            let new = known.reduce(|left, right| intersect(&parents, left, right));
            if new.is_some() && parents[at as usize] != new {
                parents[at as usize] = new;
                has_changed = true;
            }
        }
    }
    let mut immediate = vec![None; function.blocks.len()];
    for (at, &block) in cfg.order.iter().enumerate().skip(1) {
        immediate[block.0 as usize] = parents[at].map(|parent| cfg.order[parent as usize]);
    }
    immediate
}

fn intersect(parents: &[Option<u32>], mut left: u32, mut right: u32) -> u32 {
    let parent = |at: u32| parents[at as usize].unwrap_or(0);
    while left != right {
        while left > right {
            left = parent(left);
        }
        while right > left {
            right = parent(right);
        }
    }
    left
}
