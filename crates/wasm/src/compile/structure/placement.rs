//! Where each block stands in the tree, relative to the block that it belongs to.
//!
//! What always holds: a block belongs to a block that dominates it; of the blocks of one list, jumps go to later ones
//! only (reverse postorder).

use super::loops::LoopNest;
use super::unsupported;
use crate::compile::CompileError;
use crate::compile::ir::{Block, Cfg, Dominators, Edge, Function, Op, Terminator};

/// Where a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is the entry, or is never entered.
    Root,
    /// At the only jump to it.
    Inline,
    /// In the list of blocks after its dominator.
    Merge(u32),
    /// In the list of blocks after a loop.
    After(u32),
}

/// The places of all blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    pub place: Vec<Place>,
    /// For each block those after it, in the same loops.
    pub merges: Vec<Vec<Block>>,
    /// For each header the blocks after its loop.
    pub after: Vec<Vec<Block>>,
    pub nest: LoopNest,
    /// For each block the numbers, in the order of the text, at which the scope of its instructions begins and ends.
    scope: Vec<(u32, u32)>,
    /// Whether the block is small and ends the kernel.
    pub is_stub: Vec<bool>,
}

impl Place {
    pub(crate) const fn index(self) -> u32 {
        match self {
            Self::Merge(index) | Self::After(index) => index,
            Self::Root | Self::Inline => 0,
        }
    }
}

impl Placement {
    pub(crate) fn new(
        function: &Function,
        cfg: &Cfg,
        dominators: &Dominators,
    ) -> Result<Self, CompileError> {
        let nest = LoopNest::new(cfg, dominators);
        if nest.irreducible {
            return Err(unsupported(function, "irreducible control flow".to_owned()));
        }
        let count = function.blocks.len();
        let mut placement = Self {
            place: vec![Place::Root; count],
            merges: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            scope: vec![(0, 0); count],
            is_stub: function
                .block_ids()
                .map(|block| is_stub(function, block))
                .collect(),
            nest,
        };
        let ways = forward_edges(function, cfg, dominators);
        let mut inline = vec![Vec::new(); count];
        for &block in &cfg.order {
            let Some(parent) = dominators.immediate(block) else {
                continue;
            };
            let left = placement.nest.left(parent, block);
            let place = &mut placement.place[block.0 as usize];
            if let Some(header) = left {
                let list = &mut placement.after[header.0 as usize];
                *place = Place::After(list.len() as u32);
                list.push(block);
            } else if ways[block.0 as usize] > 1 {
                let list = &mut placement.merges[parent.0 as usize];
                *place = Place::Merge(list.len() as u32);
                list.push(block);
            } else {
                *place = Place::Inline;
                inline[parent.0 as usize].push(block);
            }
        }
        placement.number(&inline);
        Ok(placement)
    }

    /// Numbers the scopes by a walk over the tree.
    fn number(&mut self, inline: &[Vec<Block>]) {
        enum Step {
            Enter(Block),
            Leave(Block),
        }
        let mut next = 0;
        let mut stack = vec![Step::Enter(Function::ENTRY)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Enter(block) => {
                    next += 1;
                    let at = block.0 as usize;
                    self.scope[at].0 = next;
                    stack.extend(self.after[at].iter().copied().map(Step::Enter));
                    stack.push(Step::Leave(block));
                    let inner = self.merges[at].iter().chain(&inline[at]);
                    stack.extend(inner.copied().map(Step::Enter));
                }
                Step::Leave(block) => self.scope[block.0 as usize].1 = next,
            }
        }
    }

    /// Whether the values of a block can be used by their names in another one, which it dominates.
    pub(crate) fn is_in_scope(&self, definition: Block, user: Block) -> bool {
        let (first, last) = self.scope[definition.0 as usize];
        let at = self.scope[user.0 as usize].0;
        first <= at && at <= last
    }
}

/// The different edges of a block, each with the indices of the switch that take it; the default has none.
pub(crate) fn distinct_edges(terminator: &Terminator) -> Vec<(&Edge, Vec<u32>)> {
    let mut edges: Vec<(&Edge, Vec<u32>)> = Vec::new();
    let Terminator::Switch {
        targets, default, ..
    } = terminator
    else {
        for edge in terminator.edges() {
            if edges.iter().all(|(other, _)| *other != edge) {
                edges.push((edge, Vec::new()));
            }
        }
        return edges;
    };
    let mut known = std::collections::HashMap::new();
    known.insert((default.block, &default.args), 0);
    edges.push((default, Vec::new()));
    for (index, edge) in (0..).zip(targets) {
        let next = edges.len();
        let at = *known.entry((edge.block, &edge.args)).or_insert(next);
        if at == next {
            edges.push((edge, Vec::new()));
        }
        if at > 0 {
            edges[at].1.push(index);
        }
    }
    edges
}

fn forward_edges(function: &Function, cfg: &Cfg, dominators: &Dominators) -> Vec<u32> {
    let mut ways = vec![0_u32; function.blocks.len()];
    for &block in &cfg.order {
        for (edge, _) in distinct_edges(&function.block(block).terminator) {
            if !dominators.dominates(edge.block, block) {
                ways[edge.block.0 as usize] += 1;
            }
        }
    }
    ways
}

fn is_stub(function: &Function, block: Block) -> bool {
    const MAX_INSTS: usize = 4;
    let data = function.block(block);
    let ends = matches!(
        data.terminator,
        Terminator::Return(_) | Terminator::Trap { .. } | Terminator::Unreachable
    );
    let is_cheap = |op: &Op| op.is_pure();
    ends && data.insts.len() <= MAX_INSTS
        && data.insts.iter().all(|&inst| is_cheap(function.op(inst)))
}
