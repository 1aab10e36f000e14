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
pub(super) struct States {
    /// The alias regions that are tracked.
    regions: Vec<AliasRegions>,
    /// By block and region: the version.
    begin: Vec<u32>,
    /// By block: the first version that is free for writes in it.
    free: Vec<u32>,
}

/// The versions at a point in a block.
pub(super) struct State<'a> {
    regions: &'a [AliasRegions],
    now: Vec<u32>,
    free: u32,
}

impl State<'_> {
    /// The version of the memory that is read; `None` if it is in several regions.
    pub(super) fn of(&self, reads: AliasRegions) -> Option<u32> {
        if reads == 0 {
            return Some(0);
        }
        let place = self.regions.iter().position(|it| *it == reads)?;
        Some(self.now[place])
    }

    /// Gives written regions a new version.
    pub(super) fn change(&mut self, written: AliasRegions) {
        if written == 0 {
            return;
        }
        for (now, area) in self.now.iter_mut().zip(self.regions) {
            if area & written != 0 {
                *now = self.free;
            }
        }
        self.free += 1;
    }
}

impl States {
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
            .filter(|it| memory.written() & it != 0)
            .collect();
        let mut states = Self {
            begin: vec![0; regions.len() * function.blocks.len()],
            free: vec![0; function.blocks.len()],
            regions,
        };
        if states.regions.is_empty() {
            return states;
        }
        let mut ends = states.begin.clone();
        let mut next = 1;
        for &id in graph.order() {
            let changed = changed_by_loop(graph, loops, in_loop, id);
            for place in 0..states.regions.len() {
                let index = states.index(id, place);
                let area = states.regions[place];
                let known = meet(graph, id, |it| ends[states.index(it, place)]);
                states.begin[index] = match known {
                    Some(known) if area & changed == 0 => known,
                    _ => {
                        next += 1;
                        next - 1
                    }
                };
            }
            states.free[id.index()] = next;
            let block = function.block(id);
            let mut state = states.begin(id);
            block
                .insts
                .iter()
                .for_each(|it| state.change(memory.written_by(it)));
            state.change(memory.written_at(&block.terminator));
            next = state.free;
            let first = states.index(id, 0);
            ends[first..first + state.now.len()].copy_from_slice(&state.now);
        }
        states
    }

    fn index(&self, block: BlockId, place: usize) -> usize {
        block.index() * self.regions.len() + place
    }

    /// The versions at the start of a block.
    pub(super) fn begin(&self, block: BlockId) -> State<'_> {
        let first = self.index(block, 0);
        State {
            regions: &self.regions,
            now: self.begin[first..first + self.regions.len()].to_vec(),
            free: self.free[block.index()],
        }
    }
}

/// The regions written on cycles through the retreating edges to a block: those of its loop, or all of them if the
/// cycle is irreducible.
fn changed_by_loop(
    graph: &Cfg,
    loops: &Loops,
    in_loop: &[AliasRegions],
    block: BlockId,
) -> AliasRegions {
    let ways = graph.predecessors(block).iter();
    let mut back = ways.filter(|it| graph.is_backward(**it, block)).peekable();
    if back.peek().is_none() {
        return 0;
    }
    match loops.innermost(block) {
        Some(id) if loops.get(id).header == block && back.all(|it| graph.dominates(block, *it)) => {
            in_loop[id.0 as usize]
        }
        _ => AliasRegions::MAX,
    }
}

/// The version on which all forward edges to a block agree (the meet).
fn meet(graph: &Cfg, block: BlockId, end: impl Fn(BlockId) -> u32) -> Option<u32> {
    let ways = graph.predecessors(block).iter().copied();
    let mut ends = ways.filter(|it| !graph.is_backward(*it, block)).map(end);
    match ends.next() {
        // The entry block.
        None => Some(0),
        Some(first) => ends.all(|it| it == first).then_some(first),
    }
}
