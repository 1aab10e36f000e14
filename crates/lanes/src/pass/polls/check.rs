//! The longest path between two polls, computed independently of the placement.
//!
//! In: any function, and the functions that it calls. Out: the cost of the longest path without a poll, or `None` if
//! there is none. Blocks are cut at polls into *segments*; an edge leads from a segment to another if code can go there
//! without a poll. `components` finds the longest path in that graph: a cycle there is a loop that does not poll, and
//! has a bound only if its trip count has one.

use super::cost::{self, Path, PollDistances};
use super::longest_path::{Costs, Cycles, Segments};
use super::trip_count::Counter;
use crate::ir::{BlockId, CallOutcome, Function, Op, Terminator};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};

/// The cost of the longest path of a function, or of what it calls, that has no poll. `None` if there is no bound.
///
/// Callees are given by number; `None` among them is a host function.
pub fn longest_unpolled_path(function: &Function, callees: &[Option<&Function>]) -> Option<u64> {
    let mut known: Vec<PollDistances> = Vec::with_capacity(callees.len());
    for callee in callees {
        let stretches = match callee {
            Some(callee) => stretches(callee, &known)?,
            None => PollDistances::host_call(function.lanes),
        };
        known.push(stretches);
    }
    let own = stretches(function, &known)?.longest();
    let others = known.iter().map(PollDistances::longest);
    others.chain([own]).max()
}

/// The poll distances of a function.
fn stretches(function: &Function, callees: &[PollDistances]) -> Option<PollDistances> {
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let parts = Parts::new(function, &graph, callees)?;
    let headers = Headers::new(function, &graph, &loops);
    let starts = [(parts.starts[Function::ENTRY.index()], Path::ENTRY.longest())];
    let from_start = parts.segments.longest(&starts, &headers)?;
    let from_polls = parts.segments.longest(&parts.polled, &headers)?;
    let ends = |costs: &Costs| {
        let ends = parts.ends.iter().filter_map(|it| costs.get(it));
        ends.copied().max()
    };
    let longest = |costs: &Costs| costs.values().copied().max().unwrap_or(0);
    Some(PollDistances {
        first: longest(&from_start),
        through: ends(&from_start),
        between: longest(&from_polls).max(parts.between),
        last: ends(&from_polls),
    })
}

/// The segments of a function.
struct Parts {
    segments: Segments,
    /// By block: its first segment.
    starts: Vec<usize>,
    /// Segments that begin with a poll, and what they have cost before: the end of a callee.
    polled: Vec<(usize, u64)>,
    /// Segments that return.
    ends: Vec<usize>,
    /// The longest path between polls in a callee.
    between: u64,
}

impl Parts {
    fn new(function: &Function, graph: &Cfg, callees: &[PollDistances]) -> Option<Self> {
        let mut parts = Self {
            segments: Segments::default(),
            starts: vec![usize::MAX; function.blocks.len()],
            polled: Vec::new(),
            ends: Vec::new(),
            between: 0,
        };
        for &block in graph.order() {
            parts.starts[block.index()] = parts.segments.add(block, true);
        }
        for &id in graph.order() {
            let block = function.block(id);
            let mut at = parts.starts[id.index()];
            for inst in &block.insts {
                at = match inst.op {
                    Op::Poll(_) => parts.poll(id, 0),
                    Op::Call(number, _) => parts.call(id, at, callees.get(number as usize)?),
                    op => {
                        parts.segments.spend(at, cost::weight(op, function.lanes));
                        at
                    }
                };
            }
            parts
                .segments
                .spend(at, cost::terminator(&block.terminator));
            if let Terminator::Return(CallOutcome::FINISHED) = block.terminator {
                parts.ends.push(at);
            }
            for next in block.terminator.successors() {
                parts.segments.connect(at, parts.starts[next.index()]);
            }
        }
        Some(parts)
    }

    /// A segment that begins with a poll.
    fn poll(&mut self, block: BlockId, cost: u64) -> usize {
        let next = self.segments.add(block, false);
        self.polled.push((next, cost));
        next
    }

    /// Adds the segments of a call. Returns the segment after it.
    fn call(&mut self, block: BlockId, at: usize, callee: &PollDistances) -> usize {
        let Some(last) = callee.last else {
            self.segments.spend(at, callee.first);
            return at;
        };
        self.between = self.between.max(callee.between);
        let to_poll = self.segments.add(block, false);
        self.segments.spend(to_poll, callee.first);
        self.segments.connect(at, to_poll);
        let next = self.poll(block, last);
        if let Some(cost) = callee.through {
            let through = self.segments.add(block, false);
            self.segments.spend(through, cost);
            self.segments.connect(at, through);
            self.segments.connect(through, next);
        }
        next
    }
}

/// The loops of a function by their headers, with trip counts.
struct Headers<'a> {
    loops: &'a Loops,
    /// By block: the loop of which it is the header, and its trip count.
    turns: Vec<Option<(LoopId, u64)>>,
}

impl<'a> Headers<'a> {
    fn new(function: &Function, graph: &Cfg, loops: &'a Loops) -> Self {
        let counter = Counter::new(function, graph, loops);
        let mut turns = vec![None; function.blocks.len()];
        for (index, it) in loops.all().iter().enumerate() {
            let id = LoopId(index as u32);
            turns[it.header.index()] = counter.turns(id).map(|turns| (id, turns));
        }
        Self { loops, turns }
    }
}

impl Cycles for Headers<'_> {
    fn turns(&self, head: BlockId, mut blocks: impl Iterator<Item = BlockId>) -> Option<u64> {
        let (id, turns) = self.turns[head.index()]?;
        blocks
            .all(|it| self.loops.contains(id, it))
            .then_some(turns)
    }
}
