//! Natural loops: their headers, nesting and blocks.
//!
//! In: a control-flow graph ([`Cfg`]). Out: tables that are valid as long as the graph is. The header of a natural loop
//! dominates the sources of its back edges (latches). Irreducible cycles, which have several entries, are not loops
//! here; passes must not assume that every cycle is a loop.

use super::cfg::Cfg;
use super::csr::CsrLists;
use crate::ir::BlockId;

const NONE: u32 = u32::MAX;

/// A natural loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// The loop header: the block through which the loop is entered.
    pub header: BlockId,
    /// The innermost loop that contains it.
    pub parent: Option<LoopId>,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
}

/// A loop, by its index in [`Loops::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopId(pub u32);

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    all: Vec<Loop>,
    /// By block: the innermost loop that contains it.
    innermost: Vec<u32>,
}

impl Loops {
    /// The loops of a function with `blocks` blocks.
    pub fn new(graph: &Cfg, blocks: usize) -> Self {
        let mut loops = Self {
            all: Vec::new(),
            innermost: vec![NONE; blocks],
        };
        for &header in graph.order().iter().rev() {
            let latches: Vec<_> = graph
                .predecessors(header)
                .iter()
                .copied()
                .filter(|latch| graph.dominates(header, *latch))
                .collect();
            if !latches.is_empty() {
                loops.add(graph, header, latches);
            }
        }
        for index in (0..loops.all.len()).rev() {
            let parent = loops.all[index].parent;
            loops.all[index].depth = 1 + parent.map_or(0, |parent| loops.get(parent).depth);
        }
        loops
    }

    fn add(&mut self, graph: &Cfg, header: BlockId, latches: Vec<BlockId>) {
        let id = LoopId(self.all.len() as u32);
        self.all.push(Loop {
            header,
            parent: None,
            depth: 0,
        });
        self.innermost[header.index()] = id.0;
        let mut open = latches;
        while let Some(block) = open.pop() {
            let outermost = self.outermost(block);
            let entered = match outermost {
                Some(known) if known == id => continue,
                Some(inner) => {
                    self.all[inner.0 as usize].parent = Some(id);
                    self.get(inner).header
                }
                None => {
                    self.innermost[block.index()] = id.0;
                    block
                }
            };
            open.extend_from_slice(graph.predecessors(entered));
        }
    }

    fn outermost(&self, block: BlockId) -> Option<LoopId> {
        let mut found = self.innermost(block)?;
        while let Some(parent) = self.get(found).parent {
            found = parent;
        }
        Some(found)
    }

    /// The loops, inner loops before outer ones.
    pub fn all(&self) -> &[Loop] {
        &self.all
    }

    /// The data of a loop.
    pub fn get(&self, id: LoopId) -> Loop {
        self.all[id.0 as usize]
    }

    /// The innermost loop that contains a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        let id = self.innermost[block.index()];
        (id != NONE).then_some(LoopId(id))
    }

    /// The number of loops that contain a block.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |id| self.get(id).depth)
    }

    /// Whether a loop contains a block.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let depth = self.get(id).depth;
        let mut found = self.innermost(block);
        while let Some(inner) = found.filter(|inner| self.get(*inner).depth >= depth) {
            if inner == id {
                return true;
            }
            found = self.get(inner).parent;
        }
        false
    }
}

/// The inner loops and the blocks of each loop.
#[derive(Clone, Debug)]
pub(crate) struct LoopTree {
    /// By loop: the loops of which it is the parent.
    inner: CsrLists<LoopId>,
    /// By loop: the blocks in it that are in no inner loop, in reverse postorder.
    own_blocks: CsrLists<BlockId>,
}

impl LoopTree {
    /// The tree of all loops.
    pub(crate) fn new(graph: &Cfg, loops: &Loops) -> Self {
        let all = loops.all().iter().zip(0..);
        let inner = all.filter_map(|(found, number)| Some((found.parent?.0, LoopId(number))));
        let inner: Vec<_> = inner.collect();
        let order = graph.order().iter();
        let own = order.filter_map(|block| Some((loops.innermost(*block)?.0, *block)));
        let own: Vec<_> = own.collect();
        Self {
            inner: CsrLists::new(loops.all().len(), &inner),
            own_blocks: CsrLists::new(loops.all().len(), &own),
        }
    }

    /// The loops of which a loop is the parent.
    pub(crate) fn inner(&self, id: LoopId) -> &[LoopId] {
        self.inner.of(id.0 as usize)
    }

    /// The loops in a loop, at any depth.
    pub(crate) fn descendants(&self, id: LoopId) -> Vec<LoopId> {
        let mut found = self.inner(id).to_vec();
        let mut visited = 0;
        while let Some(&next) = found.get(visited) {
            visited += 1;
            found.extend_from_slice(self.inner(next));
        }
        found
    }

    /// The blocks of a loop and of the loops in it, in reverse postorder. Takes time for these blocks only.
    pub(crate) fn blocks(&self, graph: &Cfg, id: LoopId) -> Vec<BlockId> {
        let mut blocks = self.own_blocks.of(id.0 as usize).to_vec();
        for inner in self.descendants(id) {
            blocks.extend_from_slice(self.own_blocks.of(inner.0 as usize));
        }
        blocks.sort_unstable_by_key(|block| graph.position(*block));
        blocks
    }
}
