//! Upper bounds for the trip counts of loops.
//!
//! In: a function, its graph and its loops. Out: how often the head of a loop is run at most, each time that the loop is
//! entered. A bound comes from an induction variable: a parameter of the head that is a constant at first, grows by
//! constants on every way back, and is compared with a constant at the head or on every way back. `None` where no
//! parameter is one.

use crate::ir::{BlockId, Edge, Function, Op, Terminator, Value, WordBinary, WordCompare};
use crate::pass::graph::Graph;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::origin::{Origin, definition, origins};

/// Constants from here on are not followed: below, signed and unsigned numbers are the same, and sums do not wrap.
const FAR: u32 = 1 << 24;

/// The most sums that a step is made of: `unroll` puts up to eight turns together.
const MOST_SUMS: usize = 8;

/// The most block parameters through which a constant is followed, and the most predecessors of such a block.
const MOST_EDGES: usize = 3;

/// Finds trip counts.
pub(super) struct Counter<'a> {
    function: &'a Function,
    graph: &'a Graph,
    loops: &'a Loops,
    origins: Vec<Origin>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(function: &'a Function, graph: &'a Graph, loops: &'a Loops) -> Self {
        Self {
            function,
            graph,
            loops,
            origins: origins(function),
        }
    }

    /// The most times that the head of a loop is run.
    pub(super) fn turns(&self, id: LoopId) -> Option<u64> {
        let header = self.loops.get(id).header;
        let places = 0..self.function.block(header).parameters.len();
        let counted = places.filter_map(|it| self.counted(id, header, it));
        counted.min()
    }

    /// The most times that a parameter of a loop's head allows.
    fn counted(&self, id: LoopId, header: BlockId, place: usize) -> Option<u64> {
        let parameter = self.function.block(header).parameters[place];
        let tested = self.head_limit(id, header, parameter);
        let (mut first, mut limit, mut step) = (u32::MAX, tested.unwrap_or(0), u32::MAX);
        for &before in self.graph.predecessors(header) {
            let terminator = &self.function.block(before).terminator;
            for edge in terminator.edges().filter(|it| it.block == header) {
                let given = edge.arguments[place];
                if !self.graph.dominates(header, before) {
                    first = first.min(self.least(given, MOST_EDGES)?);
                    continue;
                }
                step = step.min(self.step(given, parameter)?);
                if tested.is_none() {
                    limit = limit.max(self.latch_limit(terminator, edge, given)?);
                }
            }
        }
        let distance = u64::from(limit.saturating_sub(first));
        // A comparison may include the limit; the head runs once more before it leaves.
        Some(distance / u64::from(step) + 2)
    }

    /// A constant that a value is not below: the least of those that it may be.
    fn least(&self, value: Value, edges: usize) -> Option<u32> {
        let Origin::Parameter(block, place) = self.origins[value.index()] else {
            return self.word(value);
        };
        let edges = edges.checked_sub(1)?;
        let before = self.graph.predecessors(block);
        let given = before
            .iter()
            .flat_map(|it| self.function.block(*it).terminator.edges());
        let given = given.filter(|it| it.block == block);
        let mut least = None;
        if before.len() > MOST_EDGES {
            return None;
        }
        for value in given.map(|it| it.arguments[place as usize]) {
            let word = self.least(value, edges)?;
            least = Some(least.map_or(word, |it: u32| it.min(word)));
        }
        least
    }

    /// What the head compares a parameter with before every turn.
    fn head_limit(&self, id: LoopId, header: BlockId, parameter: Value) -> Option<u32> {
        let Terminator::Branch(condition, yes, no) = &self.function.block(header).terminator else {
            return None;
        };
        let is_test = self.loops.contains(id, yes.block) && !self.loops.contains(id, no.block);
        is_test.then(|| self.limit(*condition, parameter))?
    }

    /// What the end of a turn compares a parameter's next value with.
    fn latch_limit(&self, terminator: &Terminator, edge: &Edge, next: Value) -> Option<u32> {
        match terminator {
            Terminator::Branch(condition, yes, no) if yes == edge && no.block != edge.block => {
                self.limit(*condition, next)
            }
            _ => None,
        }
    }

    /// The constant that a value is not above where a condition holds.
    fn limit(&self, condition: Value, value: Value) -> Option<u32> {
        use WordCompare::{LeS, LeU, LtS, LtU};
        let inst = definition(self.function, &self.origins, condition)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordCompare(LtU | LtS | LeU | LeS), &[a, b]) if a == value => self.word(b),
            _ => None,
        }
    }

    /// The constant above 0 that a value is more than a parameter.
    fn step(&self, value: Value, parameter: Value) -> Option<u32> {
        let (mut value, mut step) = (value, 0u32);
        for _ in 0..MOST_SUMS {
            let inst = definition(self.function, &self.origins, value)?;
            let (Op::WordBinary(WordBinary::Add), &[a, b]) = (inst.op, &inst.operands[..]) else {
                return None;
            };
            step += self.word(b).filter(|it| *it > 0)?;
            if a == parameter {
                return Some(step);
            }
            value = a;
        }
        None
    }

    /// A constant that is not too large.
    fn word(&self, value: Value) -> Option<u32> {
        match definition(self.function, &self.origins, value)?.op {
            Op::Word(bits) => Some(bits).filter(|it| *it < FAR),
            _ => None,
        }
    }
}
