//! Versions of memory, as in memory SSA: two points at which an alias region has the same version read the same from
//! it.
//!
//! In: the alias regions that instructions write. Out: the version of each region at the start of each block. A region
//! gets a new version at each write, where paths with different versions join (a memory phi), and at the header of a
//! loop that writes it.

use crate::ir::{BlockId, Function};
use crate::pass::alias::{AliasAnalysis, AliasRegions};
use crate::pass::cfg::Cfg;
use crate::pass::loops::Loops;

/// The versions at the start of each block.
pub(super) struct MemoryVersions {
    /// The alias regions that are tracked.
    regions: Vec<AliasRegions>,
    /// By block and region: the version.
    at_start: Vec<u32>,
    /// By block: the first version that is free for writes in it.
    free: Vec<u32>,
}

/// The versions at a point in a block.
pub(super) struct CurrentVersions<'a> {
    regions: &'a [AliasRegions],
    now: Vec<u32>,
    free: u32,
}

impl CurrentVersions<'_> {
    /// The version of the memory that is read; `None` if it is in several regions.
    pub(super) fn of(&self, reads: AliasRegions) -> Option<u32> {
        if reads == 0 {
            return Some(0);
        }
        let place = self.regions.iter().position(|region| *region == reads)?;
        Some(self.now[place])
    }

    /// Gives written regions a new version.
    pub(super) fn write(&mut self, written: AliasRegions) {
        if written == 0 {
            return;
        }
        for (now, region) in self.now.iter_mut().zip(self.regions) {
            if region & written != 0 {
                *now = self.free;
            }
        }
        self.free += 1;
    }
}

impl MemoryVersions {
    /// The versions of a function. `in_loop` has the regions that each loop writes.
    pub(super) fn new(
        function: &Function,
        graph: &Cfg,
        loops: &Loops,
        memory: &AliasAnalysis,
        in_loop: &[AliasRegions],
    ) -> Self {
        let regions: Vec<_> = (0..64)
            .map(|bit| 1 << bit)
            .filter(|region| memory.written() & region != 0)
            .collect();
        let mut versions = Self {
            at_start: vec![0; regions.len() * function.blocks.len()],
            free: vec![0; function.blocks.len()],
            regions,
        };
        if versions.regions.is_empty() {
            return versions;
        }
        let mut ends = versions.at_start.clone();
        let mut next = 1;
        for &id in graph.order() {
            let written_in_loop = written_by_loop(graph, loops, in_loop, id);
            for place in 0..versions.regions.len() {
                let index = versions.index(id, place);
                let region = versions.regions[place];
                let known = meet(graph, id, |from| ends[versions.index(from, place)]);
                versions.at_start[index] = match known {
                    Some(known) if region & written_in_loop == 0 => known,
                    _ => {
                        next += 1;
                        next - 1
                    }
                };
            }
            versions.free[id.index()] = next;
            let block = function.block(id);
            let mut current = versions.at_start(id);
            block
                .insts
                .iter()
                .for_each(|inst| current.write(memory.written_by(inst)));
            current.write(memory.written_at(&block.terminator));
            next = current.free;
            let first = versions.index(id, 0);
            ends[first..first + current.now.len()].copy_from_slice(&current.now);
        }
        versions
    }

    fn index(&self, block: BlockId, place: usize) -> usize {
        block.index() * self.regions.len() + place
    }

    /// The versions at the start of a block.
    pub(super) fn at_start(&self, block: BlockId) -> CurrentVersions<'_> {
        let first = self.index(block, 0);
        CurrentVersions {
            regions: &self.regions,
            now: self.at_start[first..first + self.regions.len()].to_vec(),
            free: self.free[block.index()],
        }
    }
}

/// The regions written on cycles through the retreating edges to a block: those of its loop, or all of them if the
/// cycle is irreducible.
fn written_by_loop(
    graph: &Cfg,
    loops: &Loops,
    in_loop: &[AliasRegions],
    block: BlockId,
) -> AliasRegions {
    let predecessors = graph.predecessors(block).iter();
    let mut back = predecessors
        .filter(|from| graph.is_backward(**from, block))
        .peekable();
    if back.peek().is_none() {
        return 0;
    }
    match loops.innermost(block) {
        Some(id)
            if loops.get(id).header == block && back.all(|from| graph.dominates(block, *from)) =>
        {
            in_loop[id.0 as usize]
        }
        _ => AliasRegions::MAX,
    }
}

/// The version on which all forward edges to a block agree (the meet).
fn meet(graph: &Cfg, block: BlockId, end: impl Fn(BlockId) -> u32) -> Option<u32> {
    let predecessors = graph.predecessors(block).iter().copied();
    let mut ends = predecessors
        .filter(|from| !graph.is_backward(*from, block))
        .map(end);
    match ends.next() {
        // The entry block.
        None => Some(0),
        Some(first) => ends.all(|end| end == first).then_some(first),
    }
}
