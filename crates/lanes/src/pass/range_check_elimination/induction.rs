//! Ranges of block parameters, in particular of induction variables.
//!
//! The range of a parameter is the union of the ranges of its arguments. The range of an argument on a back edge is not
//! known yet when the header is visited. It is derived if the argument is the parameter plus a constant, computed where
//! the loop's test has bounded the parameter, or if the back edge is one side of a branch that bounds the argument.

use super::{Range, Ranges};
use crate::ir::{BlockId, Edge, Function, Op, Terminator, Value, WordBinary, WordCompare};
use crate::pass::peephole::Rewriter;

/// The limit on steps of induction variables. Limits of signed tests must be below 2^31 minus this. So sums do not
/// wrap, and signed and unsigned order agree.
const MAX_STEP: u32 = 1 << 24;
const SIGN: u32 = 1 << 31;

/// Sums, comparisons and constants as they were before any instruction was rewritten.
pub(super) struct OriginalDefs {
    /// By value: the sum of a value and a constant that it is, and its block.
    sums: Vec<Option<(Value, u32, BlockId)>>,
    /// By value: the comparison that it is.
    compares: Vec<Option<(WordCompare, Value, Value)>>,
    /// By value: the constant that it is.
    words: Vec<Option<u32>>,
}

impl OriginalDefs {
    pub(super) fn new(function: &Function) -> Self {
        let count = function.types.len();
        let mut original = Self {
            sums: vec![None; count],
            compares: vec![None; count],
            words: vec![None; count],
        };
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        for inst in insts() {
            if let (Op::Word(bits), Some(result)) = (inst.op, inst.result) {
                original.words[result.index()] = Some(bits);
            }
        }
        for (number, block) in function.blocks.iter().enumerate() {
            let id = BlockId(number as u32);
            for inst in &block.insts {
                let (Some(result), &[a, b]) = (inst.result, &inst.operands[..]) else {
                    continue;
                };
                match inst.op {
                    Op::WordBinary(WordBinary::Add) => {
                        let known = original.words[b.index()].map(|by| (a, by, id));
                        original.sums[result.index()] = known;
                    }
                    Op::WordCompare(op) => original.compares[result.index()] = Some((op, a, b)),
                    _ => {}
                }
            }
        }
        original
    }
}

/// The range of a parameter of a block, by its index.
pub(super) fn parameter(
    ranges: &Ranges,
    rewriter: &Rewriter,
    block: BlockId,
    place: usize,
) -> Range {
    let parameter = rewriter.function.block(block).parameters[place];
    let predecessors = ranges.graph.predecessors(block).iter().copied();
    let mut known: Option<Range> = None;
    let add =
        |known: Option<Range>, range: Range| Some(known.map_or(range, |known| known.or(range)));
    // Entering edges first: whether a signed test bounds an induction variable depends on its start.
    let (back, forward): (Vec<_>, Vec<_>) =
        predecessors.partition(|from| ranges.graph.is_backward(*from, block));
    for before in forward {
        for (edge, side) in edges(rewriter, before, block) {
            let given = edge.arguments[place];
            let range = ranges.at_end(rewriter, before, given);
            let limit = ranges.limit(rewriter, before, given, side);
            known = add(known, range.and(limit.unwrap_or(Range::FULL)));
        }
    }
    let back_edges = back.iter().flat_map(|from| edges(rewriter, *from, block));
    let changes = back_edges.filter(|(edge, _)| edge.arguments[place] != parameter);
    // With several back edges, the value at the start of an iteration may come from any of them.
    let start = match changes.count() {
        0 | 1 => known.unwrap_or(Range::FULL),
        _ => Range::FULL,
    };
    for before in back {
        for (edge, side) in edges(rewriter, before, block) {
            let given = edge.arguments[place];
            if given == parameter {
                continue;
            }
            let Some(range) =
                ranges.counted(rewriter, block, parameter, (before, given, side), start)
            else {
                return Range::FULL;
            };
            known = add(known, range);
        }
    }
    known.unwrap_or(Range::FULL)
}

/// The edges from a block to another, and the side of the branch that each of them is.
fn edges<'a>(
    rewriter: &'a Rewriter,
    from: BlockId,
    to: BlockId,
) -> impl Iterator<Item = (&'a Edge, Option<bool>)> {
    let terminator = &rewriter.function.block(from).terminator;
    let sides = match terminator {
        Terminator::Branch(..) => [Some(true), Some(false)],
        _ => [None, None],
    };
    let edges = terminator.edges().zip(sides);
    edges.filter(move |(edge, _)| edge.block == to)
}

impl Ranges<'_> {
    /// The range of a value at the end of a visited block.
    fn at_end(&self, rewriter: &Rewriter, block: BlockId, value: Value) -> Range {
        if let Some(bits) = rewriter.bits(value) {
            return Range::of(bits);
        }
        let known = self.known[value.index()];
        match self.facts[value.index()] {
            Some((from, fact)) if self.graph.dominates(from, block) => known.and(fact),
            _ => known,
        }
    }

    /// The range of a value on one side of the branch at the end of a block, if the branch tests that it is below a
    /// limit.
    fn limit(
        &self,
        rewriter: &Rewriter,
        block: BlockId,
        value: Value,
        side: Option<bool>,
    ) -> Option<Range> {
        let condition = rewriter.function.block(block).terminator.condition()?;
        let (op, a, b) = self.original.compares.get(condition.index()).copied()??;
        let is_less = op == WordCompare::LtU && a == value && side == Some(true);
        is_less.then(|| self.below(b))?
    }

    fn below(&self, limit: Value) -> Option<Range> {
        let word = self.original.words.get(limit.index()).copied().flatten();
        let max = word.unwrap_or(self.known.get(limit.index())?.max);
        Some(Range::up_to(max.checked_sub(1)?))
    }

    /// The range of the argument of a back edge for a header parameter, given the range with which it enters the loop.
    fn counted(
        &self,
        rewriter: &Rewriter,
        header: BlockId,
        parameter: Value,
        (latch, given, side): (BlockId, Value, Option<bool>),
        start: Range,
    ) -> Option<Range> {
        if let Some(range) = self.limit(rewriter, latch, given, side) {
            return Some(range);
        }
        let (counter, step, home) = self.original.sums.get(given.index()).copied()??;
        let Terminator::Branch(condition, yes, _) = &rewriter.function.block(header).terminator
        else {
            return None;
        };
        let (op, a, b) = self.original.compares.get(condition.index()).copied()??;
        let limit = self.below(b)?.max;
        let is_test = match op {
            WordCompare::LtU => true,
            // From a nonnegative start it stays nonnegative, as it only grows and stays below the limit.
            WordCompare::LtS => start.max < SIGN && limit < SIGN - MAX_STEP,
            _ => false,
        };
        let is_inside =
            self.graph.predecessors(yes.block) == [header] && self.graph.dominates(yes.block, home);
        let is_count = counter == parameter && a == parameter && step < MAX_STEP;
        let max = limit.checked_add(step)?;
        (is_test && is_inside && is_count).then(|| Range::up_to(max))
    }
}
