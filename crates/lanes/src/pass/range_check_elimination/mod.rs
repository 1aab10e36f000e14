//! Range-check elimination: removes comparisons and limits that value ranges decide (LLVM: CorrelatedValuePropagation,
//! InductiveRangeCheckElimination).
//!
//! In: any function, and the number of subgroups of a workgroup, if known. Out: the same function, where comparisons of
//! integers and bitwise operations are constants, or removed, if the ranges and known zero bits of their operands
//! decide them, and rows have no limit that they cannot reach. Ranges come from constants, arithmetic, dominating
//! branches, and the tests of induction variables (`induction`). One forward abstract interpretation in reverse
//! postorder.
//!
//! Afterwards an access may be safe only where it is: `gvn`, which moves loads, must not run after this pass.

mod induction;
mod range;

use super::cfg::Cfg;
use super::peephole::{self, Rewrite, Rewriter, Rules};
use crate::ir::{
    BlockId, ContextField, Function, Inst, LaneBinary, LaneCompare, LaneUnary, Op, Row, Terminator,
    Type, Value, WordBinary, WordCompare,
};

use induction::OriginalDefs;
use range::{Range, binary};

/// Runs the pass.
pub fn run(function: &mut Function, subgroups: Option<u32>) {
    let graph = Cfg::new(function);
    let mut ranges = Ranges {
        graph: &graph,
        original: OriginalDefs::new(function),
        subgroups,
        known: vec![Range::FULL; function.types.len()],
        facts: vec![None; function.types.len()],
        block: Function::ENTRY,
    };
    peephole::run(function, &mut ranges);
}

struct Ranges<'a> {
    graph: &'a Cfg,
    original: OriginalDefs,
    subgroups: Option<u32>,
    /// By value: its range at its definition.
    known: Vec<Range>,
    /// By value: a narrower range in the blocks that a block dominates.
    facts: Vec<Option<(BlockId, Range)>>,
    block: BlockId,
}

impl Rules for Ranges<'_> {
    fn begin(&mut self, rewriter: &mut Rewriter, block: BlockId) {
        self.block = block;
        for place in 0..rewriter.function.block(block).parameters.len() {
            let parameter = rewriter.function.block(block).parameters[place];
            if rewriter.function.type_of(parameter) == Type::Word {
                self.known[parameter.index()] = induction::parameter(self, rewriter, block, place);
            }
        }
        if let &[before] = self.graph.predecessors(block)
            && let Terminator::Branch(condition, yes, _) =
                &rewriter.function.block(before).terminator
        {
            self.add_condition(rewriter, *condition, yes.block == block);
        }
    }

    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
        if let Some(result) = inst.result {
            self.known[result.index()] = self.result(rewriter, inst);
        }
        match (inst.op, &inst.operands[..]) {
            (Op::WordCompare(op), &[a, b]) => {
                let holds = self.compare(rewriter, op, a, b)?;
                Rewrite::inst(Op::Word(u32::from(holds)), &[])
            }
            (Op::Compare(LaneCompare::Int(op)), &[a, b]) => {
                let all = rewriter.function.all_lanes();
                let holds = self.compare(rewriter, op, a, b)?;
                Rewrite::inst(Op::Mask(if holds { all } else { 0 }), &[])
            }
            (Op::MaskedCompare(LaneCompare::Int(op)), &[a, b, mask]) => {
                if self.compare(rewriter, op, a, b)? {
                    Some(Rewrite::Value(mask))
                } else {
                    Rewrite::inst(Op::Mask(0), &[])
                }
            }
            (Op::WordBinary(op), &[a, b]) => self.logic(rewriter, op, a, b, Op::Word),
            (Op::Binary(LaneBinary::Int(op)), &[a, b]) => self.logic(rewriter, op, a, b, Op::Splat),
            (Op::LoadRow(row), _) if row.is_limited => {
                self.without_limit(rewriter, inst, row, 2, Op::LoadRow)
            }
            (Op::StoreRow(row), _) if row.is_limited => {
                self.without_limit(rewriter, inst, row, 3, Op::StoreRow)
            }
            _ => None,
        }
    }
}

impl Ranges<'_> {
    /// The range of a value in the current block.
    fn of(&self, rewriter: &Rewriter, value: Value) -> Range {
        if let Some(bits) = rewriter.bits(value) {
            return Range::of(bits);
        }
        let known = self.known.get(value.index()).copied();
        let fact = self
            .facts
            .get(value.index())
            .copied()
            .flatten()
            .filter(|fact| self.graph.dominates(fact.0, self.block))
            .map_or(Range::FULL, |fact| fact.1);
        known.unwrap_or(Range::FULL).and(fact)
    }

    /// The range of the result of an instruction.
    fn result(&self, rewriter: &Rewriter, inst: &Inst) -> Range {
        let at = |place: usize| self.of(rewriter, inst.operands[place]);
        match inst.op {
            Op::Word(bits) | Op::Splat(bits) => Range::of(bits),
            Op::Pattern(id) => {
                let words = rewriter.function.patterns[id.0 as usize].iter();
                let all = words.map(|word| Range::of(*word));
                all.reduce(Range::or).unwrap_or(Range::FULL)
            }
            Op::ContextField(ContextField::Subgroup) => match self.subgroups {
                Some(count) => Range::up_to(count.saturating_sub(1)),
                None => Range::FULL,
            },
            Op::Broadcast | Op::Extract(_) => at(0),
            Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => binary(op, at(0), at(1)),
            Op::ShlBy(by) => range::shl(at(0), u32::from(by)),
            Op::ShrBy(by) => range::shr(at(0), u32::from(by)),
            Op::WordCompare(_) | Op::Any => Range::up_to(1),
            Op::Unary(LaneUnary::CountOnes | LaneUnary::LeadingZeros) => Range::up_to(32),
            Op::Ballot => Range::up_to(rewriter.function.all_lanes()),
            Op::WordSelect | Op::Select => at(1).or(at(2)),
            _ => Range::FULL,
        }
    }

    /// The result of a comparison, if the ranges decide it.
    fn compare(&self, rewriter: &Rewriter, op: WordCompare, a: Value, b: Value) -> Option<bool> {
        /// Below this number signed and unsigned order agree.
        const SIGN: u32 = 1 << 31;
        let (first, second) = (self.of(rewriter, a), self.of(rewriter, b));
        let is_plain = first.max < SIGN && second.max < SIGN;
        match op {
            WordCompare::LtS | WordCompare::LeS if !is_plain => None,
            WordCompare::LtU | WordCompare::LtS if first.max < second.min => Some(true),
            WordCompare::LtU | WordCompare::LtS if first.min >= second.max => Some(false),
            WordCompare::LeU | WordCompare::LeS if first.max <= second.min => Some(true),
            WordCompare::LeU | WordCompare::LeS if first.min > second.max => Some(false),
            WordCompare::Eq | WordCompare::Ne
                if first.max < second.min || second.max < first.min =>
            {
                Some(op == WordCompare::Ne)
            }
            _ => None,
        }
    }

    /// Operations that do not change their first operand, and operations whose result can only be 0.
    fn logic(
        &self,
        rewriter: &Rewriter,
        op: WordBinary,
        a: Value,
        b: Value,
        constant: fn(u32) -> Op,
    ) -> Option<Rewrite> {
        let (first, second) = (self.of(rewriter, a), self.of(rewriter, b));
        if binary(op, first, second).max == 0 {
            return Rewrite::inst(constant(0), &[]);
        }
        let bits = rewriter.bits(b)?;
        if op == WordBinary::ShrU {
            return self.shifted_back(rewriter, a, bits);
        }
        let changes_nothing = match op {
            WordBinary::And => !first.zeros & !bits == 0,
            WordBinary::MinU => first.max <= bits,
            WordBinary::RemU => first.max < bits,
            _ => false,
        };
        changes_nothing.then_some(Rewrite::Value(a))
    }

    /// A right shift that undoes a left shift which lost no bits.
    fn shifted_back(&self, rewriter: &Rewriter, a: Value, by: u32) -> Option<Rewrite> {
        let (op, operands) = rewriter.parts(a)?;
        let (from, amount) = match (op, operands) {
            (Op::WordBinary(WordBinary::Shl), &[from, amount]) => (from, rewriter.bits(amount)?),
            _ => return None,
        };
        let is_whole = by < 32 && amount == by && self.of(rewriter, from).max <= u32::MAX >> by;
        is_whole.then_some(Rewrite::Value(from))
    }

    /// Removes the limit of a row whose last word is below it.
    fn without_limit(
        &self,
        rewriter: &Rewriter,
        inst: &Inst,
        row: Row,
        limit: usize,
        op: fn(Row) -> Op,
    ) -> Option<Rewrite> {
        let last = self
            .of(rewriter, inst.operands[1])
            .max
            .checked_add(rewriter.function.lanes - 1)?;
        let is_inside = last < rewriter.bits(inst.operands[limit])?;
        let row = Row {
            is_limited: false,
            ..row
        };
        let mut operands = inst.operands.clone();
        operands.remove(limit);
        is_inside.then(|| Rewrite::Inst(op(row), operands))
    }

    /// Narrows the ranges of compared values on one side of a branch.
    fn add_condition(&mut self, rewriter: &Rewriter, condition: Value, side: bool) {
        let Some((Op::WordCompare(op), &[a, b])) = rewriter.parts(condition) else {
            return;
        };
        let (first, second) = (self.of(rewriter, a), self.of(rewriter, b));
        let below = |max: u32| Range::up_to(max.saturating_sub(1));
        match (op, side) {
            (WordCompare::LtU, true) => self.add_fact(a, below(second.max)),
            (WordCompare::LeU, true) => self.add_fact(a, Range::up_to(second.max)),
            (WordCompare::LtU, false) => self.add_fact(b, Range::up_to(first.max)),
            (WordCompare::LeU, false) => self.add_fact(b, below(first.max)),
            (WordCompare::Eq, true) | (WordCompare::Ne, false) => {
                self.add_fact(a, second);
                self.add_fact(b, first);
            }
            // Where both numbers are below 2^31, the signed comparison is the unsigned one.
            (WordCompare::LtS, true) if first.max >> 31 == 0 && second.max >> 31 == 0 => {
                self.add_fact(a, below(second.max));
            }
            _ => {}
        }
    }

    fn add_fact(&mut self, value: Value, range: Range) {
        if let Some(known) = self.facts.get_mut(value.index()) {
            let before = known.filter(|fact| self.graph.dominates(fact.0, self.block));
            let range = before.map_or(range, |fact| fact.1.and(range));
            *known = Some((self.block, range));
        }
    }
}
