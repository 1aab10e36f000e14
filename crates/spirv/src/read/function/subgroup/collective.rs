//! Subgroup reductions and scans.
//!
//! naga has reductions with all operations, and scans for sums and products. All others are expanded: a loop in which
//! each lane reads the value of every other lane and combines those that apply.

use anywarp_program::naga::{
    BinaryOperator as Binary, Block, CollectiveOperation, Expression, GatherMode, Handle, Literal,
    MathFunction as Math, RelationalFunction, Scalar, ScalarKind, Statement, SubgroupOperation,
    Type, TypeInner,
};
use rspirv::spirv::{GroupOperation, Op};

use super::{ExchangedValue, Expr};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::Body;

/// The binary operation of a reduction.
#[derive(Clone, Copy)]
enum ReductionOperator {
    Binary(Binary),
    Math(Math),
}

/// The lanes whose values a lane combines.
#[derive(Clone, Copy)]
enum LaneSet {
    /// The lanes before it.
    ExclusiveScan,
    /// The lanes up to and including it.
    InclusiveScan,
    /// The lanes of its cluster of this size.
    Cluster(Expr),
    /// The lanes in a ballot, all of them or a part.
    Partition(Expr, Option<PartitionScan>),
}

/// A scan over the lanes of a partition.
#[derive(Clone, Copy)]
enum PartitionScan {
    Exclusive,
    Inclusive,
}

/// The operation of an instruction, and the signedness that it implies.
fn operation(op: Op) -> Option<(SubgroupOperation, ReductionOperator, Option<ScalarKind>)> {
    use ScalarKind::{Sint, Uint};
    use SubgroupOperation as To;
    let (operation, combine, kind) = match op {
        Op::GroupNonUniformIAdd | Op::GroupIAdd | Op::GroupIAddNonUniformAMD => {
            (To::Add, ReductionOperator::Binary(Binary::Add), Some(Uint))
        }
        Op::GroupNonUniformFAdd | Op::GroupFAdd | Op::GroupFAddNonUniformAMD => {
            (To::Add, ReductionOperator::Binary(Binary::Add), None)
        }
        Op::GroupNonUniformIMul | Op::GroupIMulKHR => (
            To::Mul,
            ReductionOperator::Binary(Binary::Multiply),
            Some(Uint),
        ),
        Op::GroupNonUniformFMul | Op::GroupFMulKHR => {
            (To::Mul, ReductionOperator::Binary(Binary::Multiply), None)
        }
        Op::GroupNonUniformSMin | Op::GroupSMin | Op::GroupSMinNonUniformAMD => {
            (To::Min, ReductionOperator::Math(Math::Min), Some(Sint))
        }
        Op::GroupNonUniformUMin | Op::GroupUMin | Op::GroupUMinNonUniformAMD => {
            (To::Min, ReductionOperator::Math(Math::Min), Some(Uint))
        }
        Op::GroupNonUniformFMin | Op::GroupFMin | Op::GroupFMinNonUniformAMD => {
            (To::Min, ReductionOperator::Math(Math::Min), None)
        }
        Op::GroupNonUniformSMax | Op::GroupSMax | Op::GroupSMaxNonUniformAMD => {
            (To::Max, ReductionOperator::Math(Math::Max), Some(Sint))
        }
        Op::GroupNonUniformUMax | Op::GroupUMax | Op::GroupUMaxNonUniformAMD => {
            (To::Max, ReductionOperator::Math(Math::Max), Some(Uint))
        }
        Op::GroupNonUniformFMax | Op::GroupFMax | Op::GroupFMaxNonUniformAMD => {
            (To::Max, ReductionOperator::Math(Math::Max), None)
        }
        Op::GroupNonUniformBitwiseAnd
        | Op::GroupBitwiseAndKHR
        | Op::GroupNonUniformLogicalAnd
        | Op::GroupLogicalAndKHR => (To::And, ReductionOperator::Binary(Binary::And), Some(Uint)),
        Op::GroupNonUniformBitwiseOr
        | Op::GroupBitwiseOrKHR
        | Op::GroupNonUniformLogicalOr
        | Op::GroupLogicalOrKHR => (
            To::Or,
            ReductionOperator::Binary(Binary::InclusiveOr),
            Some(Uint),
        ),
        Op::GroupNonUniformBitwiseXor
        | Op::GroupBitwiseXorKHR
        | Op::GroupNonUniformLogicalXor
        | Op::GroupLogicalXorKHR => (
            To::Xor,
            ReductionOperator::Binary(Binary::ExclusiveOr),
            Some(Uint),
        ),
        _ => return None,
    };
    Some((operation, combine, kind))
}

impl Body<'_, '_> {
    /// Translates a subgroup reduction or scan.
    pub(in crate::read::function) fn collective(
        &mut self,
        instruction: &Instruction<'_>,
    ) -> Result<()> {
        let value = self.collective_value(instruction)?;
        self.set(instruction, value)
    }

    fn collective_value(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let Some((operation, combine, kind)) = operation(instruction.op) else {
            return Err(instruction.unsupported("this instruction"));
        };
        self.over_subgroup(instruction)?;
        let shared = self.shared(instruction.id(2)?, kind)?;
        let is_scanned = matches!(operation, SubgroupOperation::Add | SubgroupOperation::Mul);
        let group = GroupOperation::from_u32(instruction.word(1)?);
        let lanes = match group {
            Some(GroupOperation::Reduce) => {
                let all = CollectiveOperation::Reduce;
                let value = self.reduced(operation, all, shared.value, shared.naga);
                return self.combined_result(instruction, shared, value, kind);
            }
            Some(scan @ (GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan))
                if is_scanned =>
            {
                let scan = match scan {
                    GroupOperation::InclusiveScan => CollectiveOperation::InclusiveScan,
                    _ => CollectiveOperation::ExclusiveScan,
                };
                let value = self.reduced(operation, scan, shared.value, shared.naga);
                return self.combined_result(instruction, shared, value, kind);
            }
            Some(GroupOperation::InclusiveScan) => LaneSet::InclusiveScan,
            Some(GroupOperation::ExclusiveScan) => LaneSet::ExclusiveScan,
            Some(GroupOperation::ClusteredReduce) => {
                LaneSet::Cluster(self.operand(instruction.id(3)?, Some(ScalarKind::Uint))?)
            }
            Some(
                partitioned @ (GroupOperation::PartitionedReduceEXT
                | GroupOperation::PartitionedInclusiveScanEXT
                | GroupOperation::PartitionedExclusiveScanEXT),
            ) => {
                let ballot = self.operand(instruction.id(3)?, Some(ScalarKind::Uint))?;
                LaneSet::Partition(
                    ballot,
                    match partitioned {
                        GroupOperation::PartitionedReduceEXT => None,
                        GroupOperation::PartitionedInclusiveScanEXT => {
                            Some(PartitionScan::Inclusive)
                        }
                        _ => Some(PartitionScan::Exclusive),
                    },
                )
            }
            None => return Err(instruction.invalid("its group operation is unknown")),
        };
        let value = self.combined_in_turn(shared, operation, combine, lanes)?;
        self.combined_result(instruction, shared, value, kind)
    }

    fn combined_result(
        &mut self,
        instruction: &Instruction<'_>,
        shared: ExchangedValue,
        value: Expr,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        if shared.is_bool {
            self.given_back(shared, value)
        } else {
            self.result(instruction.result_type()?, value, kind)
        }
    }

    pub(super) fn reduced(
        &mut self,
        op: SubgroupOperation,
        collective_op: CollectiveOperation,
        argument: Expr,
        ty: Handle<Type>,
    ) -> Expr {
        let result = self.add_apart(Expression::SubgroupOperationResult { ty });
        self.push(Statement::SubgroupCollectiveOperation {
            op,
            collective_op,
            argument,
            result,
        });
        result
    }

    /// A loop over all lanes that combines the values of those in `lanes`.
    fn combined_in_turn(
        &mut self,
        shared: ExchangedValue,
        operation: SubgroupOperation,
        combine: ReductionOperator,
        lanes: LaneSet,
    ) -> Result<Expr> {
        let sum = self.local(Some("combined".to_owned()), shared.naga);
        let start = self.identity(shared, operation)?;
        self.store_local(sum, start);
        let own = self.own_lane();
        self.for_each_lane(
            |body, lane| {
                let other = body.gather(shared, GatherMode::Shuffle(lane));
                let is_taken = body.takes(lanes, own, lane);
                Ok((is_taken, other))
            },
            |body, _, other| {
                let so_far = body.load_local(sum);
                let value = match combine {
                    ReductionOperator::Binary(op) => body.two(op, so_far, other),
                    ReductionOperator::Math(math) => body.function_of(math, &[so_far, other]),
                };
                body.store_local(sum, value);
                Ok(())
            },
        )?;
        Ok(self.load_local(sum))
    }

    fn takes(&mut self, lanes: LaneSet, own: Expr, lane: Expr) -> Expr {
        match lanes {
            LaneSet::ExclusiveScan => self.two(Binary::Less, lane, own),
            LaneSet::InclusiveScan => self.two(Binary::LessEqual, lane, own),
            LaneSet::Cluster(size) => {
                // Cluster sizes are powers of two: the lane indices of a cluster differ in the low bits only.
                let difference = self.two(Binary::ExclusiveOr, lane, own);
                self.two(Binary::Less, difference, size)
            }
            LaneSet::Partition(ballot, part) => {
                let is_inside = self.is_in_ballot(ballot, lane);
                let part = match part {
                    None => return is_inside,
                    Some(PartitionScan::Exclusive) => Binary::Less,
                    Some(PartitionScan::Inclusive) => Binary::LessEqual,
                };
                let is_part = self.two(part, lane, own);
                self.two(Binary::LogicalAnd, is_inside, is_part)
            }
        }
    }

    /// A loop over the lane indices that all lanes execute together; `then` runs for each index that is active and
    /// chosen.
    fn for_each_lane(
        &mut self,
        choose: impl FnOnce(&mut Self, Expr) -> Result<(Expr, Expr)>,
        then: impl FnOnce(&mut Self, Expr, Expr) -> Result<()>,
    ) -> Result<()> {
        let active = self.word_true();
        let active = self.ballot(Some(active));
        let count = self.lane_count();
        let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let counter = self.local(Some("lane".to_owned()), ty);
        let zero = self.word(0);
        self.store_local(counter, zero);
        let body = self.braces(|body| {
            let lane = body.load_local(counter);
            let is_over = body.two(Binary::GreaterEqual, lane, count);
            body.break_when(is_over)?;
            let (is_chosen, other) = choose(body, lane)?;
            let is_active = body.is_in_ballot(active, lane);
            let condition = body.two(Binary::LogicalAnd, is_active, is_chosen);
            let accept = body.braces(|body| then(body, lane, other))?;
            body.push(Statement::If {
                condition,
                accept,
                reject: Block::new(),
            });
            Ok(())
        })?;
        let continuing = self.braces(|body| {
            let lane = body.load_local(counter);
            let one = body.word(1);
            let next = body.two(Binary::Add, lane, one);
            body.store_local(counter, next);
            Ok(())
        })?;
        self.push(Statement::Loop {
            body,
            continuing,
            break_if: None,
        });
        Ok(())
    }

    fn word_true(&mut self) -> Expr {
        self.literal(Literal::Bool(true))
    }

    /// `OpGroupNonUniformPartitionEXT`: the ballot of the lanes with the same value.
    pub(super) fn partition(&mut self, id: Id) -> Result<Expr> {
        let shared = self.shared(id, None)?;
        let ty = self.ballot_type();
        let found = self.local(Some("partition".to_owned()), ty);
        let none = self.add_apart(Expression::ZeroValue(ty));
        self.store_local(found, none);
        let is_vector = matches!(self.inner(shared.ty)?, TypeInner::Vector { .. });
        self.for_each_lane(
            |body, lane| {
                let other = body.gather(shared, GatherMode::Shuffle(lane));
                let mut is_equal = body.two(Binary::Equal, other, shared.value);
                if is_vector {
                    is_equal = body.add(Expression::Relational {
                        fun: RelationalFunction::All,
                        argument: is_equal,
                    });
                }
                Ok((is_equal, other))
            },
            |body, lane, _| {
                let (index, place) = body.ballot_place(lane);
                let base = body.local_pointer(found);
                let pointer = body.add(Expression::Access { base, index });
                let one = body.word(1);
                let bit = body.two(Binary::ShiftLeft, one, place);
                let word = body.add(Expression::Load { pointer });
                let value = body.two(Binary::InclusiveOr, word, bit);
                body.push(Statement::Store { pointer, value });
                Ok(())
            },
        )?;
        Ok(self.load_local(found))
    }

    /// The identity element of an operation.
    fn identity(&mut self, shared: ExchangedValue, operation: SubgroupOperation) -> Result<Expr> {
        use SubgroupOperation as Of;
        let inner = self.reader.module.types[shared.naga].inner.clone();
        let scalar = inner.scalar().unwrap_or(Scalar::U32);
        let (is_min, is_wide) = (operation == Of::Min, scalar.width == 8);
        let value = match (operation, scalar.kind) {
            (Of::Min | Of::Max, ScalarKind::Float) => {
                let (infinity, sign) = match scalar.width {
                    2 => (0x7c00, 1 << 15),
                    8 => (0x7ff << 52, 1 << 63),
                    _ => (0xff << 23, 1 << 31),
                };
                let bits = if is_min { infinity } else { infinity | sign };
                self.bits(scalar, bits)?
            }
            (Of::Min | Of::Max, ScalarKind::Sint) => self.literal(match (is_wide, is_min) {
                (true, true) => Literal::I64(i64::MAX),
                (true, false) => Literal::I64(i64::MIN),
                (false, true) => Literal::I32(i32::MAX),
                (false, false) => Literal::I32(i32::MIN),
            }),
            (Of::Min | Of::And, _) => self.literal(if is_wide {
                Literal::U64(u64::MAX)
            } else {
                Literal::U32(u32::MAX)
            }),
            (Of::Mul, kind) => self.literal(match (kind, scalar.width) {
                (ScalarKind::Float, 2) => Literal::F16(half::f16::ONE),
                (ScalarKind::Float, 8) => Literal::F64(1.0),
                (ScalarKind::Float, _) => Literal::F32(1.0),
                (_, 8) => Literal::U64(1),
                _ => Literal::U32(1),
            }),
            _ => return Ok(self.add_apart(Expression::ZeroValue(shared.naga))),
        };
        Ok(match inner {
            TypeInner::Vector { size, .. } => self.add(Expression::Splat { size, value }),
            _ => value,
        })
    }
}
