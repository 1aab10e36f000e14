//! The loop nest: for each block its innermost loop, in almost linear time.
//!
//! Headers are taken in reverse of the reverse postorder, so inner loops come first. The body of a loop is found from
//! its back edges; a loop that is found already counts as one block, its outermost known header (Havlak, "Nesting of
//! Reducible and Irreducible Loops", 1997).

use crate::compile::ir::{Block, Cfg, Dominators};

/// The loop nest. Loops are named by their headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopNest {
    /// For each block the header of its innermost loop; a header is in its own loop.
    innermost: Vec<Option<Block>>,
    /// For each header the header of the loop around its loop.
    parent: Vec<Option<Block>>,
    /// For each header the depth of its loop.
    depth: Vec<u32>,
    /// Whether the graph is irreducible.
    pub irreducible: bool,
}

impl LoopNest {
    pub(crate) fn new(cfg: &Cfg, dominators: &Dominators) -> Self {
        let count = cfg.position.len();
        let mut nest = Self {
            innermost: vec![None; count],
            parent: vec![None; count],
            depth: vec![0; count],
            irreducible: false,
        };
        // For each block the representative of the outermost loop found so far.
        let mut outer: Vec<u32> = (0..count as u32).collect();
        for &header in cfg.order.iter().rev() {
            nest.body_of(header, cfg, dominators, &mut outer);
        }
        for &block in &cfg.order {
            if nest.innermost[block.0 as usize] == Some(block) {
                let around = nest.parent[block.0 as usize];
                nest.depth[block.0 as usize] =
                    1 + around.map_or(0, |one| nest.depth[one.0 as usize]);
            }
        }
        nest
    }

    fn body_of(&mut self, header: Block, cfg: &Cfg, dominators: &Dominators, outer: &mut [u32]) {
        let at = cfg.position[header.0 as usize];
        let mut open = Vec::new();
        let mut is_header = false;
        for &before in cfg.predecessors(header) {
            if dominators.dominates(header, before) {
                is_header = true;
                open.push(find(outer, before));
            } else if cfg.position[before.0 as usize] >= at {
                self.irreducible = true;
            }
        }
        if !is_header {
            return;
        }
        self.innermost[header.0 as usize] = Some(header);
        while let Some(block) = open.pop() {
            // Only a dominated block can be in a natural loop.
            if block == header
                || !dominators.dominates(header, block)
                || find(outer, block) != block
            {
                continue;
            }
            if self.innermost[block.0 as usize] == Some(block) {
                self.parent[block.0 as usize] = Some(header);
            } else {
                self.innermost[block.0 as usize] = Some(header);
            }
            outer[block.0 as usize] = header.0;
            for &before in cfg.predecessors(block) {
                open.push(find(outer, before));
            }
        }
    }

    /// The innermost loop of a block.
    pub(crate) fn innermost(&self, block: Block) -> Option<Block> {
        self.innermost[block.0 as usize]
    }

    /// The loop around a loop.
    pub(crate) fn parent(&self, header: Block) -> Option<Block> {
        self.parent[header.0 as usize]
    }

    /// Whether a block is the header of a loop.
    pub(crate) fn is_header(&self, block: Block) -> bool {
        self.innermost(block) == Some(block)
    }

    /// Whether a loop contains a block.
    pub(crate) fn contains(&self, header: Block, block: Block) -> bool {
        let mut at = self.innermost(block);
        while let Some(one) = at
            && one != header
        {
            at = self.parent(one);
        }
        at.is_some()
    }

    /// The outermost loop that contains a block, but not another.
    pub(crate) fn left(&self, from: Block, to: Block) -> Option<Block> {
        let mut inside = self.innermost(to);
        let mut at = self.innermost(from);
        let depth = |one: Option<Block>| one.map_or(0, |header| self.depth[header.0 as usize]);
        while depth(inside) > depth(at) {
            inside = inside.and_then(|header| self.parent(header));
        }
        let mut left = None;
        while at != inside {
            left = at;
            if depth(inside) == depth(at) {
                inside = inside.and_then(|header| self.parent(header));
            }
            at = at.and_then(|header| self.parent(header));
        }
        left
    }
}

/// The representative of a block, with path halving.
fn find(outer: &mut [u32], block: Block) -> Block {
    let mut at = block.0 as usize;
    while outer[at] as usize != at {
        outer[at] = outer[outer[at] as usize];
        at = outer[at] as usize;
    }
    Block(at as u32)
}
