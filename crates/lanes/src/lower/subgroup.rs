//! Subgroup and quad operations: communication between the lanes of one vector.
//!
//! The active lanes are those of the execution mask. Behavior that WGSL leaves open is that of the reference
//! interpreter: floats are combined in lane order, and a value read from an inactive lane is zero.

use naga::{
    BinaryOperator, CollectiveOperation, Direction, Expression, GatherMode, Handle, MathFunction,
    SubgroupOperation,
};
use smallvec::SmallVec;

use crate::ir::{LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare};

use super::arithmetic::number::{Number, one};
use super::arithmetic::scalar::{Scalar, Scalars};
use super::error::{Result, unsupported};
use super::memory::layout::ScalarType;
use super::{Evaluated, Lowering};

/// A reduction operator and the type of its operands.
#[derive(Clone, Copy)]
struct Reduction {
    op: SubgroupOperation,
    number: Number,
}

impl Reduction {
    /// The identity element of the operator.
    fn neutral(self) -> Result<Scalars> {
        use SubgroupOperation as S;
        let number = self.number;
        let (low, high) = match (self.op, number.kind()) {
            (S::Add, _) if number == Number::F64 => (0, 0x8000_0000),
            (S::Mul, _) if number == Number::F64 => (0, 0x3ff0_0000),
            (S::Min | S::Max, _) if number == Number::F64 => (0, 0x7ff8_0000),
            (S::Add, ScalarType::Float) => ((-0f32).to_bits(), 0),
            (S::Mul, ScalarType::Float) => (1f32.to_bits(), 0),
            // `min` and `max` return the other operand if one is NaN.
            (S::Min | S::Max, ScalarType::Float) => (f32::NAN.to_bits(), 0),
            (S::Add | S::Or | S::Xor, _) => (0, 0),
            (S::Mul, _) => (1, 0),
            (S::And, _) => (u32::MAX, u32::MAX),
            (S::Min, _) if number == Number::I64 => (u32::MAX, i32::MAX.cast_unsigned()),
            (S::Max, _) if number == Number::I64 => (0, i32::MIN.cast_unsigned()),
            // Outside the range of 16 bits, if the numbers are that narrow.
            (S::Min, _) if number.is_signed() => (i32::MAX.cast_unsigned(), 0),
            (S::Max, _) if number.is_signed() => (i32::MIN.cast_unsigned(), 0),
            (S::Min, _) => (u32::MAX, u32::MAX),
            (S::Max, _) => (0, 0),
            _ => return unsupported("this subgroup operation"),
        };
        Ok(self.values(low, high))
    }

    /// The first value of an exclusive scan.
    fn start(self) -> Scalars {
        match (self.op, self.number.kind()) {
            (SubgroupOperation::Mul, _) if self.number == Number::F64 => {
                self.values(0, 0x3ff0_0000)
            }
            (SubgroupOperation::Mul, ScalarType::Float) => self.values(1f32.to_bits(), 0),
            (SubgroupOperation::Mul, _) => self.values(1, 0),
            _ => self.values(0, 0),
        }
    }

    fn values(self, low: u32, high: u32) -> Scalars {
        let all = [low, high].map(Scalar::Known);
        all.into_iter().take(self.number.values()).collect()
    }
}

/// The values of a number in all lanes.
type Lanes = SmallVec<[Value; 2]>;

impl Lowering<'_> {
    pub(super) fn ballot(
        &mut self,
        result: Handle<Expression>,
        predicate: Option<Handle<Expression>>,
    ) -> Result {
        let votes = match predicate {
            Some(predicate) => {
                let predicate = self.scalar(predicate)?;
                self.mask(&predicate)
            }
            None => self.full_mask(),
        };
        let votes = self.active(votes);
        let word = self.emit(Op::Ballot, &[votes], Type::Word);
        let zero = Scalar::ZERO;
        let votes = [Scalar::Word(word), zero.clone(), zero.clone(), zero];
        self.set_subgroup(result, Scalars::from_iter(votes));
        Ok(())
    }

    fn set_subgroup(&mut self, result: Handle<Expression>, scalars: Scalars) {
        self.uses_subgroups = true;
        self.set(result, Evaluated::Scalars(scalars));
    }

    pub(super) fn collective(
        &mut self,
        op: SubgroupOperation,
        collective: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result {
        let scalars = self.scalars(argument)?;
        let number = self.number_of(argument)?;
        let fold = Reduction { op, number };
        let mut results = Scalars::new();
        for each in scalars.chunks(number.values()) {
            results.extend(match (op, collective) {
                (SubgroupOperation::All | SubgroupOperation::Any, _) => {
                    one(self.vote(op, &each[0]))
                }
                (_, CollectiveOperation::Reduce) => self.reduce(fold, each)?,
                _ => self.scan(fold, collective, each)?,
            });
        }
        self.set_subgroup(result, results);
        Ok(())
    }

    fn vote(&mut self, op: SubgroupOperation, scalar: &Scalar) -> Scalar {
        let is_all = op == SubgroupOperation::All;
        let condition = if is_all {
            self.not(scalar)
        } else {
            scalar.clone()
        };
        let mask = self.mask(&condition);
        let mask = self.active(mask);
        let any = Scalar::Word(self.emit(Op::Any, &[mask], Type::Word));
        if is_all { self.not(&any) } else { any }
    }

    fn combine(&mut self, fold: Reduction, a: &[Value], b: &[Value]) -> Result<Lanes> {
        use SubgroupOperation as S;
        let of =
            |values: &[Value]| -> Scalars { values.iter().copied().map(Scalar::Lanes).collect() };
        let (a, b) = (of(a), of(b));
        let number = fold.number;
        let both = match fold.op {
            S::Add => self.operate_on(BinaryOperator::Add, number, &a, &b)?,
            S::Mul => self.operate_on(BinaryOperator::Multiply, number, &a, &b)?,
            S::And => self.operate_on(BinaryOperator::And, number, &a, &b)?,
            S::Or => self.operate_on(BinaryOperator::InclusiveOr, number, &a, &b)?,
            S::Xor => self.operate_on(BinaryOperator::ExclusiveOr, number, &a, &b)?,
            S::Min => self.function_of(MathFunction::Min, number, &[&a, &b])?,
            S::Max => self.function_of(MathFunction::Max, number, &[&a, &b])?,
            S::All | S::Any => return unsupported("this subgroup operation"),
        };
        Ok(both.iter().map(|scalar| self.lanes(scalar)).collect())
    }

    /// The values of active lanes; the identity element in the others.
    fn with_neutral(&mut self, fold: Reduction, scalars: &[Scalar]) -> Result<Lanes> {
        let mut values = Lanes::new();
        for (scalar, neutral) in scalars.iter().zip(&fold.neutral()?) {
            let (value, neutral) = (self.lanes(scalar), self.lanes(neutral));
            values.push(match self.control.exec {
                Some(exec) => self.select(exec, value, neutral),
                None => value,
            });
        }
        Ok(values)
    }

    fn permuted(&mut self, values: &[Value], from: impl Fn(u32) -> u32) -> Lanes {
        let pattern: Vec<u32> = (0..self.function.lanes).map(from).collect();
        let from = self.pattern(&pattern);
        let each = values.iter();
        each.map(|value| self.emit(Op::Permute, &[*value, from], Type::Lanes))
            .collect()
    }

    fn reduce(&mut self, fold: Reduction, scalars: &[Scalar]) -> Result<Scalars> {
        let values = self.with_neutral(fold, scalars)?;
        let lanes = self.function.lanes;
        if fold.number.is_float() {
            // In lane order: another order would round differently.
            let mut all = self.permuted(&values, |_| 0);
            for lane in 1..lanes {
                let next = self.permuted(&values, |_| lane);
                all = self.combine(fold, &all, &next)?;
            }
            return Ok(all.into_iter().map(Scalar::UniformLanes).collect());
        }
        let mut all = values;
        let mut step = 1;
        while step < lanes {
            let other = self.permuted(&all, |lane| lane ^ step);
            all = self.combine(fold, &all, &other)?;
            step *= 2;
        }
        let words = all.iter();
        Ok(words
            .map(|value| Scalar::Word(self.emit(Op::Extract(0), &[*value], Type::Word)))
            .collect())
    }

    fn scan(
        &mut self,
        fold: Reduction,
        collective: CollectiveOperation,
        scalars: &[Scalar],
    ) -> Result<Scalars> {
        let values = self.with_neutral(fold, scalars)?;
        let mut before: Lanes = fold
            .start()
            .iter()
            .map(|scalar| self.lanes(scalar))
            .collect();
        let mut sum: Lanes = fold
            .neutral()?
            .iter()
            .map(|scalar| self.lanes(scalar))
            .collect();
        let mut result = before.clone();
        let exec = self.exec_mask();
        for lane in 0..self.function.lanes {
            let next = self.permuted(&values, |_| lane);
            sum = self.combine(fold, &sum, &next)?;
            let here = self.mask_const(1 << lane);
            let shown = match collective {
                CollectiveOperation::ExclusiveScan => &before,
                _ => &sum,
            };
            let shown = shown.iter().zip(&result);
            result = shown
                .map(|(shown, old)| self.select(here, *shown, *old))
                .collect();
            // An inactive lane contributes nothing, not even a zero of another sign.
            let is_here = self.mask_binary(crate::ir::MaskBinary::And, exec, here);
            let is_here = Scalar::Word(self.emit(Op::Any, &[is_here], Type::Word));
            let is_here = self.mask(&is_here);
            let left = sum.iter().zip(&before);
            before = left
                .map(|(sum, old)| self.select(is_here, *sum, *old))
                .collect();
        }
        Ok(result.into_iter().map(Scalar::Lanes).collect())
    }

    pub(super) fn gather_lanes(
        &mut self,
        mode: GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result {
        let iota = Scalar::Affine(None, self.iota());
        let known = Scalar::Known;
        let from = match mode {
            GatherMode::BroadcastFirst => self.first_active(),
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) => self.scalar(lane)?,
            GatherMode::ShuffleDown(by) => {
                let by = self.scalar(by)?;
                // Clamped, so that the sum cannot wrap; lanes past the last give zero.
                let by = self.integer(WordBinary::MinU, &by, &known(1 << 16));
                self.add(&iota, &by)
            }
            GatherMode::ShuffleUp(by) => {
                let by = self.scalar(by)?;
                let by = self.integer(WordBinary::MinU, &by, &known(1 << 16));
                self.integer(WordBinary::Sub, &iota, &by)
            }
            GatherMode::ShuffleXor(mask) => {
                let mask = self.scalar(mask)?;
                self.integer(WordBinary::Xor, &iota, &mask)
            }
            GatherMode::QuadBroadcast(lane) => {
                let lane = self.scalar(lane)?;
                let first = (0..self.function.lanes).map(|lane| lane & !3).collect();
                self.add(&Scalar::Affine(None, first), &lane)
            }
            GatherMode::QuadSwap(direction) => {
                let bits = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                let lanes = (0..self.function.lanes).map(|lane| lane ^ bits).collect();
                Scalar::Affine(None, lanes)
            }
        };
        let index = self.lanes(&from);
        let lanes = self.splat(self.function.lanes);
        let exists = self.compare(LaneCompare::Int(WordCompare::LtU), index, lanes);
        let exec = self.exec_mask();
        let active = self.lanes(&Scalar::Mask(exec));
        let active = self.emit(Op::Permute, &[active, index], Type::Lanes);
        let active = self.mask(&Scalar::Lanes(active));
        let is_there = self.mask_binary(crate::ir::MaskBinary::And, exists, active);
        let scalars = self.scalars(argument)?;
        let zero = self.splat(0);
        let mut results = Scalars::new();
        for scalar in &scalars {
            let value = self.lanes(scalar);
            let value = self.emit(Op::Permute, &[value, index], Type::Lanes);
            results.push(Scalar::Lanes(self.select(is_there, value, zero)));
        }
        self.set_subgroup(result, results);
        Ok(())
    }

    /// The index of the first active lane.
    fn first_active(&mut self) -> Scalar {
        let exec = self.exec_mask();
        let active = self.emit(Op::Ballot, &[exec], Type::Word);
        let zero = self.word_const(0);
        let minus = self.word_binary(WordBinary::Sub, zero, active);
        let lowest = self.word_binary(WordBinary::And, active, minus);
        let lowest = self.emit(Op::Broadcast, &[lowest], Type::Lanes);
        let zeros = self.emit(Op::Unary(LaneUnary::LeadingZeros), &[lowest], Type::Lanes);
        let last = self.splat(31);
        Scalar::Lanes(self.int(WordBinary::Sub, last, zeros))
    }
}
