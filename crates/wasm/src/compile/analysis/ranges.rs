//! Unsigned ranges of `I32` values and of linear forms.
//!
//! In: a function, its linear forms, and the workgroup size if it is known. Out: upper bounds. A
//! bound is structural (masks, shifts, remainders, ids), or a fact: a check or a branch with a
//! constant on the way to an instruction, as in the elimination of bounds checks by dominating
//! conditions. Facts are kept by linear form, so that a check of `16 * i + j < 256` bounds an
//! address with the term `64 * i + 4 * j`.
//!
//! What always holds: a range contains the value in every execution that reaches the instruction.

use std::collections::HashMap;

use super::linear::{Linear, LinearForms};
use crate::compile::ir::{
    Binary, Block, Builtin, Cfg, Dominators, Function, Op, Terminator, Type, Unary, Value, Width,
};

/// Facts about one form, at most.
const MAX_FACTS: usize = 16;

/// Conditions that one check can consist of, at most.
const MAX_PARTS: usize = 8;

/// A bound that holds from a place on.
#[derive(Clone, Copy, Debug)]
struct Fact {
    /// The block, and the number of instructions in it before the fact holds.
    place: (Block, u32),
    /// The terms plus this constant are at most `bound`.
    constant: u32,
    bound: u32,
}

/// The ranges of a function.
#[derive(Debug)]
pub(crate) struct Ranges {
    dominators: Dominators,
    /// The structural upper bounds.
    upper: Vec<u32>,
    /// By terms.
    facts: HashMap<Vec<(Value, u32)>, Vec<Fact>>,
    /// Block and position of each instruction.
    places: HashMap<Value, (Block, u32)>,
}

impl Ranges {
    /// Analyses a function.
    pub(crate) fn new(
        function: &Function,
        cfg: &Cfg,
        forms: &LinearForms,
        workgroup_size: Option<[u32; 3]>,
    ) -> Self {
        let mut ranges = Self {
            dominators: Dominators::new(function, cfg),
            upper: vec![u32::MAX; function.value_count()],
            facts: HashMap::new(),
            places: HashMap::new(),
        };
        for number in 0..function.value_count() {
            ranges.upper[number] = match *function.op(Value(number as u32)) {
                Op::Const(bits) => u32::try_from(bits).unwrap_or(u32::MAX),
                Op::Builtin(builtin) => of_builtin(builtin, workgroup_size),
                _ => u32::MAX,
            };
        }
        for &block in &cfg.order {
            ranges.block(function, cfg, forms, block);
        }
        ranges
    }

    fn block(&mut self, function: &Function, cfg: &Cfg, forms: &LinearForms, block: Block) {
        let data = function.block(block);
        for (at, &inst) in (0_u32..).zip(&data.insts) {
            self.places.insert(inst, (block, at));
            if function.ty(inst) == Type::I32 {
                self.upper[inst.0 as usize] = self.operation(function, function.op(inst));
            }
            if let Op::TrapIf { condition, .. } = *function.op(inst) {
                self.learn(function, forms, (condition, false), (block, at + 1));
            }
        }
        if let Terminator::Branch { condition, yes, no } = &data.terminator {
            for (edge, holds) in [(yes, true), (no, false)] {
                if cfg.predecessors(edge.block).len() == 1 {
                    self.learn(function, forms, (*condition, holds), (edge.block, 0));
                }
            }
        }
    }

    fn of(&self, value: Value) -> u32 {
        self.upper
            .get(value.0 as usize)
            .copied()
            .unwrap_or(u32::MAX)
    }

    /// The structural bound of an operation.
    fn operation(&self, function: &Function, op: &Op) -> u32 {
        let sum = |number: Option<u32>| number.unwrap_or(u32::MAX);
        match *op {
            Op::Unary(Unary::BoolToI32, _) => 1,
            Op::Unary(Unary::CountOnes | Unary::CountLeadingZeros, _) => 64,
            Op::Unary(Unary::CountTrailingZeros, _) => 64,
            Op::Select { yes, no, .. } => self.of(yes).max(self.of(no)),
            Op::Load { access, .. } => match access.width {
                Width::Bits8 { signed: false } => 0xff,
                Width::Bits16 { signed: false } => 0xffff,
                _ => u32::MAX,
            },
            Op::Binary(binary, left, right) if function.ty(left) == Type::I32 => {
                let (first, second) = (self.of(left), self.of(right));
                let constant = function.as_word(right);
                match (binary, constant) {
                    (Binary::And, _) => first.min(second),
                    (Binary::Or | Binary::Xor, _) => {
                        let bits = u32::BITS - (first | second).leading_zeros();
                        u32::MAX.checked_shr(u32::BITS - bits).unwrap_or(0)
                    }
                    (Binary::Add, _) => sum(first.checked_add(second)),
                    (Binary::Mul, _) => sum(first.checked_mul(second)),
                    (Binary::Shl, Some(count)) => sum(first.checked_mul(1 << (count & 31))),
                    (Binary::ShrUnsigned, Some(count)) => first >> (count & 31),
                    (Binary::DivUnsigned, Some(by @ 1..)) => first / by,
                    (Binary::RemUnsigned, Some(by @ 1..)) => first.min(by - 1),
                    _ => u32::MAX,
                }
            }
            _ => u32::MAX,
        }
    }

    /// Adds what a condition tells at a place.
    fn learn(
        &mut self,
        function: &Function,
        forms: &LinearForms,
        condition: (Value, bool),
        place: (Block, u32),
    ) {
        let mut open = vec![condition];
        for _ in 0..MAX_PARTS {
            let Some((condition, holds)) = open.pop() else {
                return;
            };
            match *function.op(condition) {
                Op::Unary(Unary::Not, operand) => open.push((operand, !holds)),
                Op::Binary(binary, left, right) => match (binary, holds, function.ty(left)) {
                    (Binary::And, true, Type::Bool) | (Binary::Or, false, Type::Bool) => {
                        open.extend([(left, holds), (right, holds)]);
                    }
                    (_, _, Type::I32) => {
                        for (value, bound) in self.compared(binary, holds, left, right) {
                            self.add(function, forms, value, bound, place);
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// The bounds that a comparison tells.
    fn compared(
        &self,
        binary: Binary,
        holds: bool,
        left: Value,
        right: Value,
    ) -> Vec<(Value, u32)> {
        let (first, second) = (self.of(left), self.of(right));
        let below = |value, bound: u32| bound.checked_sub(1).map(|bound| (value, bound));
        let bounds = match (binary, holds) {
            (Binary::LtUnsigned, true) => [below(left, second), None],
            (Binary::LeUnsigned, true) => [Some((left, second)), None],
            (Binary::LtUnsigned, false) => [Some((right, first)), None],
            (Binary::LeUnsigned, false) => [below(right, first), None],
            (Binary::Eq, true) | (Binary::Ne, false) => {
                [Some((left, second)), Some((right, first))]
            }
            _ => [None, None],
        };
        let is_useful = |&(_, bound): &(Value, u32)| bound != u32::MAX;
        bounds.into_iter().flatten().filter(is_useful).collect()
    }

    fn add(
        &mut self,
        function: &Function,
        forms: &LinearForms,
        value: Value,
        bound: u32,
        place: (Block, u32),
    ) {
        let form = forms.get(function, value);
        if form.terms.is_empty() {
            return;
        }
        let constant = form.constant;
        let facts = self.facts.entry(form.terms).or_default();
        if facts.len() < MAX_FACTS {
            facts.push(Fact {
                place,
                constant,
                bound,
            });
        }
    }

    /// The first and the last value of a linear form where an instruction runs, if it is bounded.
    pub(crate) fn range(&self, form: &Linear, inst: Value) -> Option<[u32; 2]> {
        if let Some(constant) = form.as_constant() {
            return Some([constant, constant]);
        }
        let place = *self.places.get(&inst)?;
        let whole = self.by_whole(form, place);
        let terms = self.by_terms(form, place);
        let width = |range: &[u32; 2]| range[1] - range[0];
        [whole, terms].into_iter().flatten().min_by_key(width)
    }

    /// By facts about all terms together.
    fn by_whole(&self, form: &Linear, place: (Block, u32)) -> Option<[u32; 2]> {
        let factors = form.terms.iter().map(|term| term.1.trailing_zeros());
        let shifts = 0..=factors.min().unwrap_or(0);
        let ranges = shifts.filter_map(|shift| {
            let key: Vec<_> = (form.terms.iter())
                .map(|&(value, factor)| (value, factor >> shift))
                .collect();
            let facts = self.facts.get(&key)?.iter();
            let valid = facts.filter(|fact| self.holds(fact, place));
            let ranges = valid.filter_map(|fact| {
                let moved = fact.constant.wrapping_mul(1 << shift);
                let first = form.constant.wrapping_sub(moved);
                let bytes = fact.bound.checked_mul(1 << shift)?;
                Some([first, first.checked_add(bytes)?])
            });
            ranges.min_by_key(|range| range[1] - range[0])
        });
        ranges.min_by_key(|range| range[1] - range[0])
    }

    /// By the bounds of each term.
    fn by_terms(&self, form: &Linear, place: (Block, u32)) -> Option<[u32; 2]> {
        let (mut first, mut last) = (i64::from(form.constant), i64::from(form.constant));
        for &(value, factor) in &form.terms {
            let upper = i64::from(self.at(value, place));
            let most = i64::from(factor.cast_signed()) * upper;
            if most < 0 {
                first = first.checked_add(most)?;
            } else {
                last = last.checked_add(most)?;
            }
        }
        Some([u32::try_from(first).ok()?, u32::try_from(last).ok()?])
    }

    /// The upper bound of a value at a place.
    fn at(&self, value: Value, place: (Block, u32)) -> u32 {
        let facts = self.facts.get([(value, 1)].as_slice());
        let facts = facts.into_iter().flatten();
        facts
            .filter(|fact| fact.constant == 0 && self.holds(fact, place))
            .map(|fact| fact.bound)
            .fold(self.of(value), u32::min)
    }

    fn holds(&self, fact: &Fact, (block, at): (Block, u32)) -> bool {
        if fact.place.0 == block {
            fact.place.1 <= at
        } else {
            self.dominators.dominates(fact.place.0, block)
        }
    }
}

fn of_builtin(builtin: Builtin, workgroup_size: Option<[u32; 3]>) -> u32 {
    let Some(size) = workgroup_size else {
        return u32::MAX;
    };
    match builtin {
        Builtin::LocalId(axis) => size
            .get(usize::from(axis))
            .map_or(0, |size| size.max(&1) - 1),
        Builtin::LocalIndex => {
            let threads = size
                .iter()
                .try_fold(1_u32, |all, &size| all.checked_mul(size.max(1)));
            threads.map_or(u32::MAX, |threads| threads - 1)
        }
        Builtin::WorkgroupSize(axis) => size.get(usize::from(axis)).copied().unwrap_or(0),
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::ir::parse;

    fn range(text: &str, value: u32, size: Option<[u32; 3]>) -> Option<[u32; 2]> {
        let function = parse(text).expect("a function");
        let cfg = Cfg::new(&function);
        let forms = LinearForms::all(&function, &cfg);
        let ranges = Ranges::new(&function, &cfg, &forms, size);
        let load = Value(value);
        let Op::Load { address, .. } = *function.op(load) else {
            panic!("not a load");
        };
        ranges.range(&forms.get(&function, address), load)
    }

    #[test]
    fn checks_bound_the_addresses_after_them() {
        let text = "kernel f(i32, i32)
            b0:
              v0: i32 = Mul arg0, 16
              v1: i32 = Add v0, arg1
              v2: i32 = Shl v1, 2
              v3: i32 = Add v2, 4096
              v4: i32 = Load i32 v3
              v5: bool = LtUnsigned v1, 256
              v6: bool = Not v5
              TrapIf v6, Panic
              v7: i32 = Load i32 v3
              return";
        assert_eq!(range(text, 4, None), None);
        assert_eq!(range(text, 7, None), Some([4096, 4096 + 255 * 4]));
    }

    #[test]
    fn branches_and_ids_bound_terms() {
        let text = "kernel f(i32)
            b0:
              v0: bool = LtUnsigned arg0, 8
              branch v0, b1, b2
            b1:
              v1: i32 = Shl arg0, 2
              v2: i32 = Shl LocalIndex, 5
              v3: i32 = Add v1, v2
              v4: i32 = Load i32 v3
              jump b2
            b2:
              v5: i32 = Shl arg0, 2
              v6: i32 = Load i32 v5
              return";
        assert_eq!(range(text, 4, Some([8, 8, 1])), Some([0, 28 + 63 * 32]));
        assert_eq!(range(text, 4, None), None);
        assert_eq!(range(text, 6, Some([8, 8, 1])), None);
    }
}
