//! Upper bounds of the trip counts of loops (compare LLVM's ScalarEvolution).
//!
//! In: a function, its control-flow graph and its loops. Out: the most executions of a loop header for each entry of
//! the loop. A bound comes from an induction variable: a header parameter that starts at a constant, grows by constants
//! on every back edge, and is compared with a constant in the header or at every back edge. `None` if there is no such
//! parameter.
//!
//! Constants are read as signed numbers. This also bounds a loop with an unsigned test whose start is negative: the
//! parameter fails the test until it has wrapped to 0, which is on the way to the limit.

use crate::ir::{BlockId, Edge, Function, Op, Terminator, Value, WordBinary, WordCompare};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// The limit on the sizes of constants: below it, signed and unsigned order of nonnegative numbers agree, and sums do not
/// wrap.
const MAX_CONSTANT: u32 = 1 << 24;

/// The most additions that make up a step: `loop_unroll` combines up to eight iterations.
const MAX_SUMS: usize = 8;

/// The most block parameters through which a constant is followed, and the most predecessors of such a block.
const MAX_EDGES: usize = 3;

/// Computes upper bounds of trip counts.
pub(super) struct TripCounts<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    loops: &'a Loops,
    value_defs: Vec<ValueDef>,
}

impl<'a> TripCounts<'a> {
    pub(super) fn new(function: &'a Function, graph: &'a Cfg, loops: &'a Loops) -> Self {
        Self {
            function,
            graph,
            loops,
            value_defs: value_defs(function),
        }
    }

    /// The most executions of the header of a loop for each entry.
    pub(super) fn trip_count(&self, id: LoopId) -> Option<u64> {
        let header = self.loops.get(id).header;
        let places = 0..self.function.block(header).parameters.len();
        let bound_by = places.filter_map(|place| self.bound_by(id, header, place));
        bound_by.min()
    }

    /// The bound that one header parameter gives.
    fn bound_by(&self, id: LoopId, header: BlockId, place: usize) -> Option<u64> {
        let parameter = self.function.block(header).parameters[place];
        let tested = self.header_limit(id, header, parameter);
        let (mut first, mut limit) = (i32::MAX, tested.unwrap_or(i32::MIN));
        let mut step = u32::MAX;
        for &before in self.graph.predecessors(header) {
            let terminator = &self.function.block(before).terminator;
            for edge in terminator.edges().filter(|edge| edge.block == header) {
                let given = edge.arguments[place];
                if !self.graph.dominates(header, before) {
                    first = first.min(self.least(given, MAX_EDGES)?);
                    continue;
                }
                step = step.min(self.step(given, parameter)?);
                if tested.is_none() {
                    limit = limit.max(self.latch_limit(terminator, edge, given)?);
                }
            }
        }
        let distance = (i64::from(limit) - i64::from(first)).max(0).unsigned_abs();
        // A comparison may include the limit, and the header runs once more before the exit.
        Some(distance / u64::from(step) + 2)
    }

    /// A lower bound of a value: the least of the constants that it may be.
    fn least(&self, value: Value, edges: usize) -> Option<i32> {
        let ValueDef::Parameter(block, place) = self.value_defs[value.index()] else {
            return self.word(value);
        };
        let edges = edges.checked_sub(1)?;
        let before = self.graph.predecessors(block);
        let given = before
            .iter()
            .flat_map(|from| self.function.block(*from).terminator.edges())
            .filter(|edge| edge.block == block);
        let mut least = None;
        if before.len() > MAX_EDGES {
            return None;
        }
        for value in given.map(|edge| edge.arguments[place as usize]) {
            let word = self.least(value, edges)?;
            least = Some(least.map_or(word, |least: i32| least.min(word)));
        }
        least
    }

    /// The limit with which the header compares a parameter before each iteration.
    fn header_limit(&self, id: LoopId, header: BlockId, parameter: Value) -> Option<i32> {
        let Terminator::Branch(condition, yes, no) = &self.function.block(header).terminator else {
            return None;
        };
        let is_test = self.loops.contains(id, yes.block) && !self.loops.contains(id, no.block);
        is_test.then(|| self.limit(*condition, parameter))?
    }

    /// The limit with which the latch compares the next value of a parameter.
    fn latch_limit(&self, terminator: &Terminator, edge: &Edge, next: Value) -> Option<i32> {
        match terminator {
            Terminator::Branch(condition, yes, no) if yes == edge && no.block != edge.block => {
                self.limit(*condition, next)
            }
            _ => None,
        }
    }

    /// The constant upper bound of a value where a condition holds.
    fn limit(&self, condition: Value, value: Value) -> Option<i32> {
        use WordCompare::{LeS, LeU, LtS, LtU};
        let inst = definition(self.function, &self.value_defs, condition)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordCompare(LtS | LeS), &[a, b]) if a == value => self.word(b),
            // As an unsigned number, a negative one is beyond the limit on constants.
            (Op::WordCompare(LtU | LeU), &[a, b]) if a == value => {
                self.word(b).filter(|limit| *limit >= 0)
            }
            _ => None,
        }
    }

    /// The step: the positive constant by which a value exceeds a parameter.
    fn step(&self, value: Value, parameter: Value) -> Option<u32> {
        let (mut value, mut step) = (value, 0u32);
        for _ in 0..MAX_SUMS {
            let inst = definition(self.function, &self.value_defs, value)?;
            let (Op::WordBinary(WordBinary::Add), &[a, b]) = (inst.op, &inst.operands[..]) else {
                return None;
            };
            step += self.word(b).filter(|step| *step > 0)?.unsigned_abs();
            if a == parameter {
                return Some(step);
            }
            value = a;
        }
        None
    }

    /// The constant of a value, if its size is below the limit.
    fn word(&self, value: Value) -> Option<i32> {
        match definition(self.function, &self.value_defs, value)?.op {
            Op::Word(bits) => {
                Some(bits.cast_signed()).filter(|word| word.unsigned_abs() < MAX_CONSTANT)
            }
            _ => None,
        }
    }
}
