//! Natural loops. A WebAssembly function is reducible, and the passes keep it so: the target of
//! each back edge dominates its source.

use std::collections::BTreeSet;

use super::{Block, Cfg, Dominators, Function};

/// A natural loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its header.
    pub header: Block,
    /// Its blocks, those of inner loops included.
    pub blocks: BTreeSet<Block>,
    /// The sources of its back edges, once for each edge.
    pub latches: Vec<Block>,
    /// The sources of the edges that enter it, once for each edge.
    pub entries: Vec<Block>,
}

/// The loops of a function, inner ones before those around them.
#[derive(Clone, Debug)]
pub(crate) struct Loops {
    /// The loops.
    pub loops: Vec<Loop>,
}

impl Loops {
    /// Finds the loops.
    pub(crate) fn new(function: &Function, cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut loops = Vec::new();
        for &header in &cfg.order {
            let before = cfg.predecessors(header).iter().copied();
            let (latches, entries): (Vec<_>, Vec<_>) =
                before.partition(|&block| dominators.dominates(header, block));
            if latches.is_empty() {
                continue;
            }
            let mut blocks = BTreeSet::from([header]);
            let mut open = latches.clone();
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(cfg.predecessors(block));
                }
            }
            loops.push(Loop {
                header,
                blocks,
                latches,
                entries,
            });
        }
        debug_assert!(loops.len() <= function.blocks.len());
        loops.sort_by_key(|one| one.blocks.len());
        Self { loops }
    }
}
