//! Subgroup and quad operations: lanes of one vector look at each other.
//!
//! The lanes that act together are those of the mask under which the statement is lowered. What WGSL leaves open is
//! answered as the reference evaluator does: floats are added from the first lane to the last, and what comes from a
//! lane that is not active is zero.

use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, SubgroupOperation};

use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare};

use super::error::{Result, unsupported};
use super::scalar::{Scalar, Scalars};
use super::shape::Kind;
use super::{Evaluated, Lowering};

/// How values of lanes are combined.
#[derive(Clone, Copy)]
struct Fold {
    op: SubgroupOperation,
    kind: Kind,
}

impl Fold {
    /// What changes nothing when it is combined with something.
    fn neutral(self) -> Result<u32> {
        use SubgroupOperation as S;
        Ok(match (self.op, self.kind) {
            (S::Add, Kind::Float) => (-0f32).to_bits(),
            (S::Mul, Kind::Float) => 1f32.to_bits(),
            // The other one of two is taken where one is not a number.
            (S::Min | S::Max, Kind::Float) => f32::NAN.to_bits(),
            (S::Add | S::Or | S::Xor, _) | (S::Max, Kind::Uint) => 0,
            (S::Mul, _) => 1,
            (S::And, _) | (S::Min, Kind::Uint) => u32::MAX,
            (S::Min, Kind::Sint) => i32::MAX.cast_unsigned(),
            (S::Max, Kind::Sint) => i32::MIN.cast_unsigned(),
            _ => return unsupported("this subgroup operation"),
        })
    }

    /// What an exclusive scan begins with.
    fn start(self) -> Scalar {
        match (self.op, self.kind) {
            (SubgroupOperation::Mul, Kind::Float) => Scalar::Known(1f32.to_bits()),
            (SubgroupOperation::Mul, _) => Scalar::Known(1),
            _ => Scalar::ZERO,
        }
    }
}

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
        let kinds = self.shapes.kinds(self.type_of(argument))?;
        let mut results = Scalars::new();
        for (scalar, kind) in scalars.iter().zip(kinds) {
            let fold = Fold { op, kind };
            results.push(match (op, collective) {
                (SubgroupOperation::All | SubgroupOperation::Any, _) => self.vote(op, scalar),
                (_, CollectiveOperation::Reduce) => self.reduce(fold, scalar)?,
                _ => self.scan(fold, collective, scalar)?,
            });
        }
        self.set_subgroup(result, results);
        Ok(())
    }

    fn vote(&mut self, op: SubgroupOperation, scalar: &Scalar) -> Scalar {
        let is_all = op == SubgroupOperation::All;
        let asked = if is_all {
            self.not(scalar)
        } else {
            scalar.clone()
        };
        let mask = self.mask(&asked);
        let mask = self.active(mask);
        let any = Scalar::Word(self.emit(Op::Any, &[mask], Type::Word));
        if is_all { self.not(&any) } else { any }
    }

    fn combine(&mut self, fold: Fold, a: Value, b: Value) -> Result<Value> {
        use SubgroupOperation as S;
        let is_signed = fold.kind == Kind::Sint;
        Ok(match (fold.op, fold.kind) {
            (S::Add, Kind::Float) => self.binary(LaneBinary::AddF, a, b),
            (S::Mul, Kind::Float) => self.binary(LaneBinary::MulF, a, b),
            (S::Min, Kind::Float) => self.float_extreme(LaneBinary::MinF, a, b),
            (S::Max, Kind::Float) => self.float_extreme(LaneBinary::MaxF, a, b),
            (S::Add, _) => self.int(WordBinary::Add, a, b),
            (S::Mul, _) => self.int(WordBinary::Mul, a, b),
            (S::Min, _) if is_signed => self.int(WordBinary::MinS, a, b),
            (S::Min, _) => self.int(WordBinary::MinU, a, b),
            (S::Max, _) if is_signed => self.int(WordBinary::MaxS, a, b),
            (S::Max, _) => self.int(WordBinary::MaxU, a, b),
            (S::And, _) => self.int(WordBinary::And, a, b),
            (S::Or, _) => self.int(WordBinary::Or, a, b),
            (S::Xor, _) => self.int(WordBinary::Xor, a, b),
            _ => return unsupported("this subgroup operation"),
        })
    }

    /// The values of active lanes; in the others what changes nothing.
    fn with_neutral(&mut self, fold: Fold, scalar: &Scalar) -> Result<Value> {
        let (value, neutral) = (self.lanes(scalar), self.splat(fold.neutral()?));
        Ok(match self.exec {
            Some(exec) => self.select(exec, value, neutral),
            None => value,
        })
    }

    fn permuted(&mut self, value: Value, from: impl Fn(u32) -> u32) -> Value {
        let pattern: Vec<u32> = (0..self.function.lanes).map(from).collect();
        let from = self.pattern(&pattern);
        self.emit(Op::Permute, &[value, from], Type::Lanes)
    }

    fn reduce(&mut self, fold: Fold, scalar: &Scalar) -> Result<Scalar> {
        let value = self.with_neutral(fold, scalar)?;
        let lanes = self.function.lanes;
        let mut all = value;
        if fold.kind == Kind::Float {
            // One after the other: another order would round otherwise.
            all = self.permuted(value, |_| 0);
            for lane in 1..lanes {
                let next = self.permuted(value, |_| lane);
                all = self.combine(fold, all, next)?;
            }
            return Ok(Scalar::Same(all));
        }
        let mut step = 1;
        while step < lanes {
            let other = self.permuted(all, |lane| lane ^ step);
            all = self.combine(fold, all, other)?;
            step *= 2;
        }
        let word = self.emit(Op::Extract(0), &[all], Type::Word);
        Ok(Scalar::Word(word))
    }

    fn scan(
        &mut self,
        fold: Fold,
        collective: CollectiveOperation,
        scalar: &Scalar,
    ) -> Result<Scalar> {
        let value = self.with_neutral(fold, scalar)?;
        let start = fold.start();
        let mut before = self.lanes(&start);
        let mut sum = self.splat(fold.neutral()?);
        let mut result = before;
        let exec = self.exec_mask();
        for lane in 0..self.function.lanes {
            let next = self.permuted(value, |_| lane);
            sum = self.combine(fold, sum, next)?;
            let here = self.mask_const(1 << lane);
            let shown = match collective {
                CollectiveOperation::ExclusiveScan => before,
                _ => sum,
            };
            result = self.select(here, shown, result);
            // A lane that is not active leaves nothing behind, not even a zero of another sign.
            let is_here = self.mask_binary(crate::ir::MaskBinary::And, exec, here);
            let is_here = Scalar::Word(self.emit(Op::Any, &[is_here], Type::Word));
            let is_here = self.mask(&is_here);
            before = self.select(is_here, sum, before);
        }
        Ok(Scalar::Lanes(result))
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
                // Beyond the last lane nothing is, and sums do not wrap.
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
                let first = (0..self.function.lanes).map(|it| it & !3).collect();
                self.add(&Scalar::Affine(None, first), &lane)
            }
            GatherMode::QuadSwap(direction) => {
                let bits = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                let lanes = (0..self.function.lanes).map(|it| it ^ bits).collect();
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

    /// The number of the first active lane.
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
