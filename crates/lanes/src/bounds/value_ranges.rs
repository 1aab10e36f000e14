//! The range of every integer, by one forward pass over the blocks in reverse postorder.
//!
//! In: the control flow of a function. Out: for each value a range that holds wherever the value is used, and what branch
//! conditions add to it where they hold. A loop counter has the range that induction shows: its start, and on the
//! back edge either a comparison of the very argument, or a step from a value that a test bounds.

use smallvec::SmallVec;

use crate::ir::{
    BlockId, ContextField, Inst, LaneBinary, LaneUnary, Op, Type, Value, WordBinary, WordCompare,
};
use crate::pass::value_def::ValueDef;

use super::flow::{Condition, Flow, IncomingEdge};
use super::range::{Range, binary, shift_left, shift_right, ternary};

/// Largest step of a loop counter that is followed, so that sums do not wrap.
const MAX_STEP: u32 = 1 << 24;

/// The largest integer that is not negative.
const MAX_SIGNED: u32 = i32::MAX as u32;

/// The range of a tested value without the test.
#[derive(Clone, Copy)]
enum Start {
    Anywhere,
    /// It counts up from a value of this range, by less than [`MAX_STEP`] at a time.
    Counter(Range),
}

/// The ranges of a function's integers.
pub(super) struct Ranges<'a, 'f> {
    flow: &'a Flow<'f>,
    subgroups: Option<u32>,
    known: Vec<Range>,
    /// By value: ranges that hold in blocks which a block dominates, the innermost last.
    scoped: Vec<Vec<(BlockId, Range)>>,
}

impl<'a, 'f> Ranges<'a, 'f> {
    pub(super) fn new(flow: &'a Flow<'f>, subgroups: Option<u32>) -> Self {
        let count = flow.function.types.len();
        let mut ranges = Self {
            flow,
            subgroups,
            known: vec![Range::FULL; count],
            scoped: vec![Vec::new(); count],
        };
        for &block in flow.graph.order() {
            ranges.visit(block);
        }
        ranges
    }

    /// The range of a value in a block.
    pub(super) fn of(&self, value: Value, block: BlockId) -> Range {
        let value = self.flow.resolve(value);
        if let Some(bits) = self.flow.bits(value) {
            return Range::exactly(bits);
        }
        let mut range = self.known[value.index()];
        for &(home, scoped) in self.scoped[value.index()].iter().rev().take(4) {
            if self.flow.graph.dominates(home, block) {
                range = range.intersection(scoped);
                // Each includes the ones around it.
                break;
            }
        }
        range
    }

    fn visit(&mut self, block: BlockId) {
        let flow = self.flow;
        let data = flow.function.block(block);
        if let Some(condition) = flow.condition(block) {
            self.add_condition(block, condition);
        }
        for (place, &parameter) in data.parameters.iter().enumerate() {
            if matches!(flow.function.type_of(parameter), Type::Word | Type::Lanes) {
                self.known[parameter.index()] = self.parameter(block, place);
            }
        }
        for inst in &data.insts {
            if let Some(result) = inst.result {
                self.known[result.index()] = self.result(inst, block);
            }
        }
    }

    fn result(&self, inst: &Inst, block: BlockId) -> Range {
        let at = |place: usize| self.of(inst.operands[place], block);
        match inst.op {
            Op::Word(bits) | Op::Splat(bits) => Range::exactly(bits),
            Op::Pattern(id) => {
                let words = self.flow.function.patterns[id.0 as usize].iter();
                let ranges = words.map(|word| Range::exactly(*word));
                ranges.reduce(Range::union).unwrap_or(Range::FULL)
            }
            Op::ContextField(ContextField::Subgroup) => match self.subgroups {
                Some(count) => Range::at_most(count.saturating_sub(1)),
                None => Range::FULL,
            },
            Op::Broadcast | Op::Extract(_) => at(0),
            // Every lane of the result is a lane of the first operand.
            Op::Permute => at(0),
            Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => binary(op, at(0), at(1)),
            Op::Masked(LaneBinary::Int(op)) => binary(op, at(1), at(2)).union(at(0)),
            Op::ShlBy(by) => shift_left(at(0), u32::from(by)),
            Op::ShrBy(by) => shift_right(at(0), u32::from(by)),
            Op::Ternary(table) => ternary(table, [at(0), at(1), at(2)]),
            Op::WordCompare(_) | Op::Any => Range::at_most(1),
            Op::Unary(LaneUnary::CountOnes | LaneUnary::LeadingZeros) => Range::at_most(32),
            Op::Ballot => Range::at_most(self.flow.function.all_lanes()),
            Op::WordSelect | Op::Select => at(1).union(at(2)),
            _ => Range::FULL,
        }
    }

    /// Narrows the ranges of a condition's operands in the blocks that a block dominates.
    fn add_condition(&mut self, block: BlockId, condition: Condition) {
        if let Some((value, range)) = self.nonzero(condition, block) {
            self.add(block, value, range);
        }
        let Some((op, a, b)) = self.comparison(condition) else {
            return;
        };
        let (first, second) = (self.of(a, block), self.of(b, block));
        let (for_a, for_b) = compared(op, first, second);
        self.add(block, a, for_a);
        self.add(block, b, for_b);
    }

    /// The range of a word that a branch tests itself.
    fn nonzero(&self, condition: Condition, block: BlockId) -> Option<(Value, Range)> {
        let is_word = self.flow.function.type_of(condition.value) == Type::Word;
        let range = self.of(condition.value, block);
        is_word.then(|| {
            let range = if condition.side {
                Range::new(range.min.max(1), range.max)
            } else {
                Range::exactly(0)
            };
            (condition.value, range)
        })
    }

    /// The comparison that holds under a condition.
    fn comparison(&self, condition: Condition) -> Option<(WordCompare, Value, Value)> {
        let inst = self.flow.definition(condition.value)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordCompare(op), &[a, b]) if condition.side => Some((op, a, b)),
            (Op::WordCompare(op), &[a, b]) => Some(opposite(op, a, b)),
            _ => None,
        }
    }

    fn add(&mut self, block: BlockId, value: Value, range: Range) {
        let value = self.flow.resolve(value);
        if range == Range::FULL {
            return;
        }
        let graph = &self.flow.graph;
        let scoped = &mut self.scoped[value.index()];
        while scoped
            .last()
            .is_some_and(|scope| !graph.dominates(scope.0, block))
        {
            scoped.pop();
        }
        let around = scoped.last().map_or(Range::FULL, |scope| scope.1);
        scoped.push((block, range.intersection(around)));
    }

    /// The range of a parameter, by induction over its loop where it has one.
    fn parameter(&self, block: BlockId, place: usize) -> Range {
        let flow = self.flow;
        let parameter = flow.function.block(block).parameters[place];
        let is_back = |edge: &&IncomingEdge| flow.graph.is_backward(edge.from, block);
        let incoming = flow.incoming(block, place);
        let forward = incoming.iter().filter(|edge| !is_back(edge));
        let start = forward.map(|edge| self.on_edge(edge)).reduce(Range::union);
        let Some(start) = start else {
            return Range::FULL;
        };
        let mut range = start;
        let changes = |edge: &&IncomingEdge| flow.resolve(edge.argument) != flow.resolve(parameter);
        let back: SmallVec<[&IncomingEdge; 2]> =
            incoming.iter().filter(is_back).filter(changes).collect();
        // With several back edges, the value at the start of an iteration may come from any of them.
        let start = if back.len() > 1 { Range::FULL } else { start };
        for back in back {
            let Some(next) = self.on_back_edge(parameter, block, back, start) else {
                return Range::FULL;
            };
            range = range.union(next);
        }
        range
    }

    /// The range of an argument on an edge from a block that has been visited.
    fn on_edge(&self, edge: &IncomingEdge) -> Range {
        let range = self.of(edge.argument, edge.from);
        match edge
            .condition
            .and_then(|condition| self.bound_by(condition, edge.argument, edge.from))
        {
            Some(bound) => range.intersection(bound),
            None => range,
        }
    }

    /// The range of a value where a condition holds.
    fn bound_by(&self, condition: Condition, value: Value, block: BlockId) -> Option<Range> {
        let (op, a, b) = self.comparison(condition)?;
        let value = self.flow.resolve(value);
        let (for_a, for_b) = compared(op, self.of(a, block), self.of(b, block));
        if self.flow.resolve(a) == value {
            Some(for_a)
        } else if self.flow.resolve(b) == value {
            Some(for_b)
        } else {
            None
        }
    }

    /// The range of an argument on a back edge, given the range with which its parameter enters the loop.
    fn on_back_edge(
        &self,
        parameter: Value,
        header: BlockId,
        edge: &IncomingEdge,
        start: Range,
    ) -> Option<Range> {
        if let Some(bits) = self.flow.bits(edge.argument) {
            return Some(Range::exactly(bits));
        }
        let inst = self.flow.definition(edge.argument)?;
        let is_parameter = |value: Value| self.flow.resolve(value) == self.flow.resolve(parameter);
        let step = match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)), &[a, b]) if is_parameter(a) => {
                self.flow.bits(b).map(|by| (op, by))
            }
            (Op::ShrBy(by), &[a]) if is_parameter(a) => Some((ShrU, u32::from(by))),
            _ => None,
        };
        let Some((op, by)) = step else {
            return self.tested_argument(edge, header, Start::Anywhere);
        };
        use WordBinary::{And, DivU, MinU, RemU, ShrU};
        let never_grows = matches!(op, ShrU | DivU | RemU | And | MinU);
        if never_grows {
            return Some(Range::at_most(start.max));
        }
        if op != WordBinary::Add || by == 0 || by >= MAX_STEP {
            return self.tested_argument(edge, header, Start::Anywhere);
        }
        let counter = Start::Counter(start);
        let aligned = |bound: Range| {
            let zeros = start.trailing_zeros().min(by.trailing_zeros());
            bound.with_zeros(super::range::low_bits(zeros))
        };
        if let Some(range) = self.tested_argument(edge, header, counter) {
            return Some(aligned(range));
        }
        // The step is taken where a test of the parameter holds.
        let ValueDef::Inst(home, _) = self.flow.origin(self.flow.resolve(edge.argument)) else {
            return None;
        };
        let bound = self.tested_parameter(parameter, header, home, counter)?;
        let max = bound.max.checked_add(by)?;
        Some(aligned(Range::at_most(max)))
    }

    /// The range that the condition of a back edge, or one in the loop that dominates it, gives to its argument. Every
    /// path from the argument's definition to the edge passes a test of it that dominates the edge.
    fn tested_argument(&self, edge: &IncomingEdge, header: BlockId, start: Start) -> Option<Range> {
        let argument = self.flow.resolve(edge.argument);
        let around = self.flow.conditions_within(edge.from, header);
        edge.condition
            .into_iter()
            .chain(around)
            .find_map(|condition| {
                let (op, a, b) = self.comparison(condition)?;
                let is_it = self.flow.resolve(a) == argument;
                is_it.then(|| self.counter_bound(op, b, start))?
            })
    }

    /// The bound of a parameter by a test in its loop that dominates a block.
    fn tested_parameter(
        &self,
        parameter: Value,
        header: BlockId,
        block: BlockId,
        start: Start,
    ) -> Option<Range> {
        let parameter = self.flow.resolve(parameter);
        // The conditions of the loop come first; those around it are of earlier iterations.
        self.flow
            .conditions_within(block, header)
            .find_map(|condition| {
                let (op, a, b) = self.comparison(condition)?;
                let is_it = self.flow.resolve(a) == parameter;
                is_it.then(|| self.counter_bound(op, b, start))?
            })
    }

    /// The largest value that passes a test. A signed test bounds a counter that starts at 0 or above and cannot wrap: it
    /// grows by less than [`MAX_STEP`] at a time and stays below the limit.
    fn counter_bound(&self, op: WordCompare, limit: Value, start: Start) -> Option<Range> {
        let limit = match self.flow.bits(limit) {
            Some(bits) => bits,
            None => self.known[self.flow.resolve(limit).index()].max,
        };
        let is_plain = match start {
            Start::Counter(start) => start.max.max(limit) <= MAX_SIGNED - MAX_STEP,
            Start::Anywhere => false,
        };
        match op {
            WordCompare::LtU => Some(Range::at_most(limit.checked_sub(1)?)),
            WordCompare::LeU => Some(Range::at_most(limit)),
            WordCompare::LtS if is_plain => Some(Range::at_most(limit.checked_sub(1)?)),
            WordCompare::LeS if is_plain => Some(Range::at_most(limit)),
            _ => None,
        }
    }
}

/// The ranges of two words for which a comparison holds.
fn compared(op: WordCompare, a: Range, b: Range) -> (Range, Range) {
    let is_plain = a.max <= MAX_SIGNED && b.max <= MAX_SIGNED;
    match op {
        WordCompare::LtS | WordCompare::LeS if !is_plain => (Range::FULL, Range::FULL),
        WordCompare::LtU | WordCompare::LtS => (
            Range::at_most(b.max.saturating_sub(1)),
            Range::new(a.min.saturating_add(1), u32::MAX),
        ),
        WordCompare::LeU | WordCompare::LeS => (Range::at_most(b.max), Range::new(a.min, u32::MAX)),
        WordCompare::Eq => (b, a),
        WordCompare::Ne => {
            let without = |range: Range, other: Range| {
                if other == Range::exactly(0) {
                    Range::new(range.min.max(1), u32::MAX)
                } else {
                    Range::FULL
                }
            };
            (without(a, b), without(b, a))
        }
    }
}

/// The comparison that holds where another does not.
pub(super) fn opposite(op: WordCompare, a: Value, b: Value) -> (WordCompare, Value, Value) {
    match op {
        WordCompare::Eq => (WordCompare::Ne, a, b),
        WordCompare::Ne => (WordCompare::Eq, a, b),
        WordCompare::LtU => (WordCompare::LeU, b, a),
        WordCompare::LeU => (WordCompare::LtU, b, a),
        WordCompare::LtS => (WordCompare::LeS, b, a),
        WordCompare::LeS => (WordCompare::LtS, b, a),
    }
}
