//! The loops of a function: their heads, how they are nested, and which blocks they have.
//!
//! In: a [`Graph`]. Out: tables that hold as long as the graph does. A loop is natural: its head dominates the
//! blocks that go back to it. Cycles with several ways in are no loops here; passes must not rely on every cycle
//! being one.

use super::graph::Graph;
use crate::ir::BlockId;

const NONE: u32 = u32::MAX;

/// A loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Where it is entered.
    pub header: BlockId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How many loops it is in, itself included.
    pub depth: u32,
}

/// A loop, by its place in [`Loops::all`]. Those inside of others come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopId(pub u32);

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    all: Vec<Loop>,
    /// By block: the innermost loop that has it.
    innermost: Vec<u32>,
}

impl Loops {
    /// The loops of a function with `blocks` blocks.
    pub fn new(graph: &Graph, blocks: usize) -> Self {
        let mut loops = Self {
            all: Vec::new(),
            innermost: vec![NONE; blocks],
        };
        for &header in graph.order().iter().rev() {
            let latches = graph.predecessors(header).iter().copied();
            let latches: Vec<_> = latches.filter(|it| graph.dominates(header, *it)).collect();
            if !latches.is_empty() {
                loops.add(graph, header, latches);
            }
        }
        for index in (0..loops.all.len()).rev() {
            let parent = loops.all[index].parent;
            loops.all[index].depth = 1 + parent.map_or(0, |it| loops.get(it).depth);
        }
        loops
    }

    fn add(&mut self, graph: &Graph, header: BlockId, latches: Vec<BlockId>) {
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

    /// The loops, those inside of others first.
    pub fn all(&self) -> &[Loop] {
        &self.all
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> Loop {
        self.all[id.0 as usize]
    }

    /// The innermost loop that has a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        let id = self.innermost[block.index()];
        (id != NONE).then_some(LoopId(id))
    }

    /// How many loops have a block.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |it| self.get(it).depth)
    }

    /// Whether a loop has a block.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let mut found = self.innermost(block);
        while let Some(inner) = found {
            if inner == id {
                return true;
            }
            found = self.get(inner).parent;
        }
        false
    }
}
