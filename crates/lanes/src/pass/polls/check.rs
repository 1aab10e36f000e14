//! The longest path between two polls, computed independently of the placement.
//!
//! In: any function, and the functions that it calls. Out: the cost of the longest path without a poll, or `None` if
//! there is none. Blocks are cut at polls into *segments*; an edge leads from a segment to another if code can go there
//! without a poll. `longest_path` finds the longest path in that graph: a cycle there is a loop that does not poll, and
//! has a bound only if its trip count has one.

use super::cost::{self, Path, PollDistances};
use super::longest_path::{Costs, Cycles, Segments};
use super::trip_count::TripCounts;
use crate::ir::{BlockId, CallOutcome, Function, Op, Terminator};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};

/// The cost of the longest path of a function, or of what it calls, that has no poll. `None` if there is no bound.
///
/// Callees are given by number; `None` among them is a host function.
pub fn longest_unpolled_path(function: &Function, callees: &[Option<&Function>]) -> Option<u64> {
    let mut known: Vec<PollDistances> = Vec::with_capacity(callees.len());
    for callee in callees {
        let distances = match callee {
            Some(callee) => distances(callee, &known)?,
            None => PollDistances::host_call(function.lanes),
        };
        known.push(distances);
    }
    let own = distances(function, &known)?.longest();
    let others = known.iter().map(PollDistances::longest);
    others.chain([own]).max()
}

/// The poll distances of a function.
fn distances(function: &Function, callees: &[PollDistances]) -> Option<PollDistances> {
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let graph_of_segments = PollGraph::new(function, &graph, callees)?;
    let headers = HeaderTripCounts::new(function, &graph, &loops);
    let starts = [(
        graph_of_segments.starts[Function::ENTRY.index()],
        Path::ENTRY.longest(),
    )];
    let from_start = graph_of_segments.segments.longest(&starts, &headers)?;
    let from_polls = graph_of_segments
        .segments
        .longest(&graph_of_segments.polled, &headers)?;
    let ends = |costs: &Costs| {
        let ends = graph_of_segments
            .ends
            .iter()
            .filter_map(|segment| costs.get(segment));
        ends.copied().max()
    };
    let longest = |costs: &Costs| costs.values().copied().max().unwrap_or(0);
    Some(PollDistances {
        first: longest(&from_start),
        through: ends(&from_start),
        between: longest(&from_polls).max(graph_of_segments.between),
        last: ends(&from_polls),
    })
}

/// The segments of a function.
struct PollGraph {
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

impl PollGraph {
    fn new(function: &Function, graph: &Cfg, callees: &[PollDistances]) -> Option<Self> {
        let mut graph_of_segments = Self {
            segments: Segments::default(),
            starts: vec![usize::MAX; function.blocks.len()],
            polled: Vec::new(),
            ends: Vec::new(),
            between: 0,
        };
        for &block in graph.order() {
            graph_of_segments.starts[block.index()] = graph_of_segments.segments.add(block, true);
        }
        for &id in graph.order() {
            let block = function.block(id);
            let mut at = graph_of_segments.starts[id.index()];
            for inst in &block.insts {
                at = match inst.op {
                    Op::Poll(_) => graph_of_segments.poll(id, 0),
                    Op::Call(number, _) => {
                        graph_of_segments.call(id, at, callees.get(number as usize)?)
                    }
                    op => {
                        graph_of_segments
                            .segments
                            .spend(at, cost::weight(op, function.lanes));
                        at
                    }
                };
            }
            graph_of_segments
                .segments
                .spend(at, cost::terminator(&block.terminator));
            if let Terminator::Return(CallOutcome::FINISHED) = block.terminator {
                graph_of_segments.ends.push(at);
            }
            for next in block.terminator.successors() {
                graph_of_segments
                    .segments
                    .connect(at, graph_of_segments.starts[next.index()]);
            }
        }
        Some(graph_of_segments)
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
struct HeaderTripCounts<'a> {
    loops: &'a Loops,
    /// By block: the loop of which it is the header, and its trip count.
    trip_count: Vec<Option<(LoopId, u64)>>,
}

impl<'a> HeaderTripCounts<'a> {
    fn new(function: &Function, graph: &Cfg, loops: &'a Loops) -> Self {
        let trip_counts = TripCounts::new(function, graph, loops);
        let mut trip_count = vec![None; function.blocks.len()];
        for (index, inner) in loops.all().iter().enumerate() {
            let id = LoopId(index as u32);
            trip_count[inner.header.index()] = trip_counts
                .trip_count(id)
                .map(|trip_count| (id, trip_count));
        }
        Self { loops, trip_count }
    }
}

impl Cycles for HeaderTripCounts<'_> {
    fn trip_count(&self, head: BlockId, mut blocks: impl Iterator<Item = BlockId>) -> Option<u64> {
        let (id, trip_count) = self.trip_count[head.index()]?;
        blocks
            .all(|block| self.loops.contains(id, block))
            .then_some(trip_count)
    }
}
