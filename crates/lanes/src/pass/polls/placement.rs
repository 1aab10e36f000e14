//! Poll placement: an analysis of a function without polls, loop by loop.
//!
//! In: a function and a budget. Out: a list of insertion points. A *region* is the body of a loop, or the function; its
//! *nodes* are its own blocks and the loops directly inside it. Nodes are visited in reverse postorder, each with the
//! join of the paths that reach it, so that every block is visited once, and those of a loop that polls at its header
//! twice.

use super::SourceLoopNumbers;
use super::cost::{self, Path, PollDistances};
use super::trip_count::TripCounts;
use crate::ir::{BlockId, CallOutcome, Function, Inst, Op, Terminator};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::preheader;

/// A node of a region.
#[derive(Clone, Copy)]
enum Node {
    Block(BlockId),
    Loop(LoopId),
}

/// An insertion point for a poll.
#[derive(Clone, Copy)]
enum Site {
    /// Before an instruction of a block, or before its terminator.
    Inst(BlockId, usize),
    /// Before a loop.
    Loop(LoopId),
}

/// The insertion points of polls.
pub(super) struct Placement {
    sites: Vec<Site>,
}

impl Placement {
    /// Finds the insertion points, and the poll distances of the function with polls there.
    pub(super) fn find(
        function: &Function,
        graph: &Cfg,
        loops: &Loops,
        callees: &[PollDistances],
        budget: u64,
    ) -> (Self, PollDistances) {
        let trip_counts = TripCounts::new(function, graph, loops);
        let mut analysis = PlacementAnalysis::new(function, graph, loops, callees, budget);
        for index in 0..loops.all().len() as u32 {
            let id = LoopId(index);
            analysis.place_in_loop(id, trip_counts.trip_count(id));
        }
        let whole = analysis.walk(None, false);
        let sites = analysis
            .regions
            .into_iter()
            .flat_map(|region| region.sites)
            .chain(whole.sites)
            .collect();
        let distances = PollDistances {
            first: whole.first,
            through: whole.exit.unpolled,
            between: whole.between,
            last: whole.exit.since_poll,
        };
        (Self { sites }, distances)
    }

    /// Inserts the polls.
    pub(super) fn apply(
        self,
        function: &mut Function,
        graph: &Cfg,
        loops: &Loops,
        source_numbers: &SourceLoopNumbers,
    ) {
        if self.sites.is_empty() {
            return;
        }
        let numbers = PollNumbers::new(function, graph, loops, source_numbers);
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
        for site in &self.sites {
            if let Site::Inst(block, place) = *site {
                places[block.index()].push(place);
            }
        }
        for (index, mut places) in places.into_iter().enumerate() {
            if !places.is_empty() {
                places.sort_unstable();
                let insts = &mut function.blocks[index].insts;
                insert(insts, &places, numbers.of_blocks[index]);
            }
        }
        for site in self.sites {
            if let Site::Loop(id) = site {
                let before = preheader::find_or_add(function, graph, loops.get(id).header);
                let number = numbers.before_loops[id.0 as usize];
                function.block_mut(before).insts.push(poll(number));
            }
        }
    }
}

fn poll(number: u32) -> Inst {
    Inst {
        op: Op::Poll(number),
        operands: Default::default(),
        result: None,
    }
}

fn insert(insts: &mut Vec<Inst>, places: &[usize], number: u32) {
    let mut all = Vec::with_capacity(insts.len() + places.len());
    let mut next = places.iter().peekable();
    for (place, inst) in insts.drain(..).enumerate() {
        if next.next_if(|site| **site == place).is_some() {
            all.push(poll(number));
        }
        all.push(inst);
    }
    if next.next().is_some() {
        all.push(poll(number));
    }
    *insts = all;
}

/// The numbers of polls: that of the innermost numbered loop around the poll or, without one, that of the last loop
/// before it, marked as passed ([`CallOutcome::AFTER_LOOP`]).
struct PollNumbers {
    of_blocks: Vec<u32>,
    before_loops: Vec<u32>,
}

impl PollNumbers {
    fn new(
        function: &Function,
        graph: &Cfg,
        loops: &Loops,
        source_numbers: &SourceLoopNumbers,
    ) -> Self {
        let mut numbers = Self {
            of_blocks: vec![CallOutcome::OUTSIDE_LOOPS; function.blocks.len()],
            before_loops: vec![CallOutcome::OUTSIDE_LOOPS; loops.all().len()],
        };
        let number = |enclosing: Option<u32>, passed: Option<u32>| {
            let passed = passed.map_or(CallOutcome::OUTSIDE_LOOPS, |number| {
                number | CallOutcome::AFTER_LOOP
            });
            enclosing.unwrap_or(passed)
        };
        let mut passed = source_numbers.of_function;
        for &block in graph.order() {
            let id = loops.innermost(block);
            if let Some(id) = id.filter(|id| loops.get(*id).header == block) {
                let enclosing = source_numbers.enclosing(loops, loops.get(id).parent);
                numbers.before_loops[id.0 as usize] = number(enclosing, passed);
            }
            let enclosing = source_numbers.enclosing(loops, id);
            numbers.of_blocks[block.index()] = number(enclosing, passed);
            passed = enclosing.or(passed);
        }
        numbers
    }
}

/// An analyzed region. Costs count from its start.
#[derive(Default)]
struct Region {
    /// The longest paths without a poll, from the start and from a poll.
    first: u64,
    between: u64,
    /// The paths at the back edges, and at the edges that leave the region.
    back: Path,
    exit: Path,
    sites: Vec<Site>,
}

impl Region {
    /// Records that paths reach a point.
    fn reach(&mut self, path: Path) {
        self.first = self.first.max(path.unpolled.unwrap_or(0));
        self.between = self.between.max(path.since_poll.unwrap_or(0));
    }

    /// The poll distances of all iterations of a loop; `None` if their work without a poll has no bound.
    fn repeat(&self, trip_count: Option<u64>) -> Option<PollDistances> {
        let before_last = match self.back.unpolled {
            Some(iteration) => iteration.saturating_mul(trip_count?.saturating_sub(1)),
            None => 0,
        };
        let first = before_last.saturating_add(self.first);
        let from_poll = self.back.since_poll.map(|cost| cost.saturating_add(first));
        let is_left = self.exit.unpolled.is_some();
        // Exits are treated as if they were at the end of an iteration.
        Some(PollDistances {
            first,
            through: is_left.then_some(first),
            between: self.between.max(from_poll.unwrap_or(0)),
            last: self.exit.since_poll.max(from_poll.filter(|_| is_left)),
        })
    }
}

struct PlacementAnalysis<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    loops: &'a Loops,
    callees: &'a [PollDistances],
    budget: u64,
    /// By loop, and last for the function: its nodes in reverse postorder.
    nodes: Vec<Vec<Node>>,
    /// By loop, and last for the function: the blocks with exit edges.
    exits: Vec<Vec<BlockId>>,
    /// By processed loop: its region.
    regions: Vec<Region>,
    distances: Vec<PollDistances>,
    /// The paths after a block or a loop, from the start of the region of which it is a node.
    after_blocks: Vec<Path>,
    after_loops: Vec<Path>,
}

impl<'a> PlacementAnalysis<'a> {
    fn new(
        function: &'a Function,
        graph: &'a Cfg,
        loops: &'a Loops,
        callees: &'a [PollDistances],
        budget: u64,
    ) -> Self {
        let count = loops.all().len();
        let mut nodes = vec![Vec::new(); count + 1];
        let mut exits = vec![Vec::new(); count + 1];
        let place = |id: Option<LoopId>| id.map_or(count, |id| id.0 as usize);
        for &block in graph.order() {
            let innermost = loops.innermost(block);
            if let Some(id) = innermost.filter(|id| loops.get(*id).header == block) {
                nodes[place(loops.get(id).parent)].push(Node::Loop(id));
            }
            nodes[place(innermost)].push(Node::Block(block));
            let terminator = &function.block(block).terminator;
            if let Terminator::Return(CallOutcome::FINISHED) = terminator {
                exits[count].push(block);
            }
            for next in terminator.successors() {
                let mut enclosing = innermost;
                while let Some(id) = enclosing.filter(|id| !loops.contains(*id, next)) {
                    exits[id.0 as usize].push(block);
                    enclosing = loops.get(id).parent;
                }
            }
        }
        Self {
            function,
            graph,
            loops,
            callees,
            budget,
            nodes,
            exits,
            regions: Vec::with_capacity(count),
            distances: Vec::with_capacity(count),
            after_blocks: vec![Path::default(); function.blocks.len()],
            after_loops: vec![Path::default(); count],
        }
    }

    /// Decides whether a loop polls in each iteration. Inner loops have been processed.
    fn place_in_loop(&mut self, id: LoopId, trip_count: Option<u64>) {
        let mut region = self.walk(
            Some(id),
            self.is_irreducible_target(self.loops.get(id).header),
        );
        let entry = self.entry(id);
        let fits = |distances: &PollDistances| {
            distances.first.saturating_add(entry) <= self.budget && distances.between <= self.budget
        };
        let distances = match region.repeat(trip_count).filter(fits) {
            Some(distances) => distances,
            None => {
                region = self.walk(Some(id), true);
                let always = region.repeat(None);
                always.unwrap_or_else(|| unreachable!("the header polls in each iteration"))
            }
        };
        self.regions.push(region);
        self.distances.push(distances);
    }

    /// The cost of the edge from a poll before a loop to its header.
    fn entry(&self, id: LoopId) -> u64 {
        cost::jump(
            self.function
                .block(self.loops.get(id).header)
                .parameters
                .len(),
        )
    }

    /// Whether a block is the target of a retreating edge of an irreducible cycle.
    fn is_irreducible_target(&self, block: BlockId) -> bool {
        let mut before = self.graph.predecessors(block).iter();
        before
            .any(|from| self.graph.is_backward(*from, block) && !self.graph.dominates(block, *from))
    }

    /// Analyzes a region.
    fn walk(&mut self, id: Option<LoopId>, polls_at_header: bool) -> Region {
        let place = id.map_or(self.loops.all().len(), |id| id.0 as usize);
        let nodes = std::mem::take(&mut self.nodes[place]);
        let mut region = Region::default();
        for (number, &node) in nodes.iter().enumerate() {
            let block = match node {
                Node::Block(block) => block,
                Node::Loop(inner) => self.loops.get(inner).header,
            };
            let mut path = match (number, id) {
                (0, Some(_)) => Path::START,
                (0, None) => Path::ENTRY,
                _ => self.arriving(id, block),
            };
            region.reach(path);
            match node {
                Node::Block(block) => {
                    let is_polling_header = number == 0 && polls_at_header;
                    if is_polling_header || number > 0 && self.is_irreducible_target(block) {
                        region.sites.push(Site::Inst(block, 0));
                        path = Path::POLL;
                    }
                    self.after_blocks[block.index()] = self.block(block, path, &mut region);
                }
                Node::Loop(inner) => {
                    self.after_loops[inner.0 as usize] = self.inner(inner, path, &mut region);
                }
            }
        }
        self.nodes[place] = nodes;
        for &block in &self.exits[place] {
            region.exit = region.exit.join(self.after(id, block));
        }
        if let Some(id) = id {
            let header = self.loops.get(id).header;
            for &latch in self.graph.predecessors(header) {
                if self.loops.contains(id, latch) {
                    region.back = region.back.join(self.after(Some(id), latch));
                }
            }
        }
        region
    }

    /// The join of the paths that reach a node of a region from its forward predecessors.
    fn arriving(&self, id: Option<LoopId>, block: BlockId) -> Path {
        let before = self
            .graph
            .predecessors(block)
            .iter()
            .filter(|from| !self.graph.is_backward(**from, block));
        let paths = before.map(|from| self.after(id, *from));
        paths.fold(Path::default(), Path::join)
    }

    /// The paths after the node of a region that contains a block.
    fn after(&self, id: Option<LoopId>, block: BlockId) -> Path {
        let mut enclosing = self.loops.innermost(block);
        if enclosing == id {
            return self.after_blocks[block.index()];
        }
        while let Some(inner) = enclosing {
            let parent = self.loops.get(inner).parent;
            if parent == id {
                return self.after_loops[inner.0 as usize];
            }
            enclosing = parent;
        }
        unreachable!("a block that leads to a node of a region is in the region")
    }

    /// Follows paths through a block, and places polls in it.
    fn block(&self, block: BlockId, mut path: Path, region: &mut Region) -> Path {
        let Self { function, .. } = self;
        let insts = &function.block(block).insts;
        let ends = [PollDistances::without_poll(cost::terminator(
            &function.block(block).terminator,
        ))];
        let steps = insts.iter().map(|inst| self.step(inst)).chain(ends);
        for (place, step) in steps.enumerate() {
            if path.before(&step) > self.budget && path.longest() > 0 {
                region.sites.push(Site::Inst(block, place));
                path = Path::POLL;
            }
            path = self.pass(path, &step, region);
        }
        path
    }

    /// Follows paths through an inner loop, and places a poll before it if needed.
    fn inner(&self, id: LoopId, mut path: Path, region: &mut Region) -> Path {
        let distances = self.distances[id.0 as usize];
        if path.before(&distances) > self.budget && path.longest() > 0 {
            region.sites.push(Site::Loop(id));
            path = Path {
                unpolled: None,
                since_poll: Some(self.entry(id)),
            };
        }
        self.pass(path, &distances, region)
    }

    fn pass(&self, path: Path, step: &PollDistances, region: &mut Region) -> Path {
        region.between = region.between.max(step.between);
        region.reach(Path {
            unpolled: path.unpolled.map(|cost| cost.saturating_add(step.first)),
            since_poll: path.since_poll.map(|cost| cost.saturating_add(step.first)),
        });
        path.then(step)
    }

    fn step(&self, inst: &Inst) -> PollDistances {
        match inst.op {
            Op::Call(number, _) => {
                let callee = self.callees.get(number as usize).copied();
                callee.unwrap_or(PollDistances::without_poll(self.budget))
            }
            op => PollDistances::without_poll(cost::weight(op, self.function.lanes)),
        }
    }
}
