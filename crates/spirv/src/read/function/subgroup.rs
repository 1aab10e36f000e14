//! Subgroup instructions: votes, broadcasts and shuffles. `ballot` and `collective` have the others.
//!
//! In: `OpGroupNonUniform*`, the older instructions of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, and `OpGroup*`
//! with subgroup scope. What naga lacks is expanded to operations that it has. naga exchanges numbers only, so
//! booleans are exchanged as 0 and 1.

mod ballot;
mod collective;

use crate::read::function::Expr;
use anywarp_program::naga::{
    BinaryOperator as Binary, BuiltIn, CollectiveOperation, Direction, Expression, GatherMode,
    Handle, Literal, RelationalFunction, Scalar, ScalarKind, Statement, SubgroupOperation, Type,
    TypeInner,
};
use rspirv::spirv::{Op, Scope};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

/// A value exchanged between lanes: numbers, or booleans as numbers.
#[derive(Clone, Copy)]
struct ExchangedValue {
    value: Expr,
    naga: Handle<Type>,
    /// Its type in the module.
    ty: Id,
    is_bool: bool,
}

impl Body<'_, '_> {
    pub(super) fn subgroup(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let value = match instruction.op {
            Op::GroupNonUniformElect => {
                self.over_subgroup(instruction)?;
                self.elect()?
            }
            Op::GroupNonUniformAll | Op::GroupAll => {
                self.over_subgroup(instruction)?;
                self.vote(instruction.id(1)?, SubgroupOperation::All)?
            }
            Op::GroupNonUniformAny | Op::GroupAny => {
                self.over_subgroup(instruction)?;
                self.vote(instruction.id(1)?, SubgroupOperation::Any)?
            }
            Op::SubgroupAllKHR => self.vote(instruction.id(0)?, SubgroupOperation::All)?,
            Op::SubgroupAnyKHR => self.vote(instruction.id(0)?, SubgroupOperation::Any)?,
            Op::GroupNonUniformAllEqual => {
                self.over_subgroup(instruction)?;
                self.all_equal(instruction.id(1)?)?
            }
            Op::SubgroupAllEqualKHR => self.all_equal(instruction.id(0)?)?,
            Op::GroupNonUniformBroadcast => {
                self.over_subgroup(instruction)?;
                self.read_lane(instruction.id(1)?, instruction.id(2)?)?
            }
            Op::SubgroupReadInvocationKHR => {
                self.read_lane(instruction.id(0)?, instruction.id(1)?)?
            }
            Op::GroupNonUniformBroadcastFirst => {
                self.over_subgroup(instruction)?;
                self.gathered_value(instruction.id(1)?, GatherMode::BroadcastFirst)?
            }
            Op::SubgroupFirstInvocationKHR => {
                self.gathered_value(instruction.id(0)?, GatherMode::BroadcastFirst)?
            }
            Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown => self.shuffle_lanes(instruction)?,
            Op::GroupNonUniformRotateKHR => self.rotate(instruction)?,
            Op::GroupNonUniformQuadBroadcast => self.quad_broadcast(instruction)?,
            Op::GroupNonUniformQuadSwap => self.quad_swap(instruction)?,
            Op::GroupNonUniformQuadAllKHR => self.quad_vote(instruction.id(0)?, Binary::And)?,
            Op::GroupNonUniformQuadAnyKHR => {
                self.quad_vote(instruction.id(0)?, Binary::InclusiveOr)?
            }
            _ => return Err(instruction.unsupported("this instruction")),
        };
        self.set(instruction, value)
    }

    /// Checks that the execution scope of an instruction is the subgroup.
    fn over_subgroup(&self, instruction: &Instruction<'_>) -> Result<()> {
        match self.scope(instruction, instruction.id(0)?)? {
            Scope::Subgroup => Ok(()),
            scope => Err(instruction.unsupported(format!("group instructions over a {scope:?}"))),
        }
    }

    /// The lane index of this invocation.
    fn own_lane(&mut self) -> Expr {
        let builtin = BuiltIn::SubgroupInvocationId;
        let global = self
            .reader
            .builtin_variable(builtin, "subgroup_invocation_id");
        let pointer = self.global(global);
        self.add(Expression::Load { pointer })
    }

    fn lane_count(&mut self) -> Expr {
        let global = self
            .reader
            .builtin_variable(BuiltIn::SubgroupSize, "subgroup_size");
        let pointer = self.global(global);
        self.add(Expression::Load { pointer })
    }

    fn word(&mut self, value: u32) -> Expr {
        self.literal(Literal::U32(value))
    }

    /// An operand, ready for exchange.
    fn shared(&mut self, id: Id, kind: Option<ScalarKind>) -> Result<ExchangedValue> {
        let ty = self.type_id(id)?;
        let scalar = self.scalar(ty)?;
        let is_bool = scalar.kind == ScalarKind::Bool;
        let (value, scalar) = if is_bool {
            let condition = self.value(id)?;
            let accept = self.number(ty, Literal::U32(1))?;
            let reject = self.number(ty, Literal::U32(0))?;
            let value = self.add(Expression::Select {
                condition,
                accept,
                reject,
            });
            (value, Scalar::U32)
        } else {
            let kind = kind.filter(|_| scalar.kind != ScalarKind::Float);
            let kind = kind.unwrap_or(scalar.kind);
            let scalar = Scalar { kind, ..scalar };
            (self.operand(id, Some(kind))?, scalar)
        };
        let inner = match self.inner(ty)? {
            TypeInner::Vector { size, .. } => TypeInner::Vector { size, scalar },
            _ => TypeInner::Scalar(scalar),
        };
        let naga = self.reader.insert_type(inner);
        Ok(ExchangedValue {
            value,
            naga,
            ty,
            is_bool,
        })
    }

    /// An exchanged value converted back to its type: numbers unchanged, booleans from 0 and 1.
    fn given_back(&mut self, shared: ExchangedValue, value: Expr) -> Result<Expr> {
        if !shared.is_bool {
            return Ok(value);
        }
        let zero = self.number(shared.ty, Literal::U32(0))?;
        Ok(self.two(Binary::NotEqual, value, zero))
    }

    fn gather(&mut self, shared: ExchangedValue, mode: GatherMode) -> Expr {
        let ty = shared.naga;
        let result = self.add_apart(Expression::SubgroupOperationResult { ty });
        self.push(Statement::SubgroupGather {
            mode,
            argument: shared.value,
            result,
        });
        result
    }

    fn gathered_value(&mut self, id: Id, mode: GatherMode) -> Result<Expr> {
        let shared = self.shared(id, None)?;
        let value = self.gather(shared, mode);
        self.given_back(shared, value)
    }

    /// `OpGroupNonUniformElect`: true in the first active lane, which has no active lane before it.
    fn elect(&mut self) -> Result<Expr> {
        let value = self.word(1);
        let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let operation = CollectiveOperation::ExclusiveScan;
        let before = self.reduced(SubgroupOperation::Add, operation, value, ty);
        let zero = self.word(0);
        Ok(self.two(Binary::Equal, before, zero))
    }

    fn vote(&mut self, id: Id, operation: SubgroupOperation) -> Result<Expr> {
        let value = self.value(id)?;
        Ok(self.voted(value, operation))
    }

    fn voted(&mut self, value: Expr, operation: SubgroupOperation) -> Expr {
        let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::BOOL));
        self.reduced(operation, CollectiveOperation::Reduce, value, ty)
    }

    fn all_equal(&mut self, id: Id) -> Result<Expr> {
        let shared = self.shared(id, None)?;
        let first = self.gather(shared, GatherMode::BroadcastFirst);
        let mut is_equal = self.two(Binary::Equal, first, shared.value);
        if matches!(self.inner(shared.ty)?, TypeInner::Vector { .. }) {
            is_equal = self.add(Expression::Relational {
                fun: RelationalFunction::All,
                argument: is_equal,
            });
        }
        Ok(self.voted(is_equal, SubgroupOperation::All))
    }

    /// Broadcasts the value of one lane.
    fn read_lane(&mut self, id: Id, lane: Id) -> Result<Expr> {
        let mode = match self.reader.constants.integer(lane) {
            // naga broadcasts from a constant lane only; otherwise this is a shuffle.
            Some(lane) => GatherMode::Broadcast(self.word(lane as u32)),
            None => GatherMode::Shuffle(self.operand(lane, Some(ScalarKind::Uint))?),
        };
        self.gathered_value(id, mode)
    }

    fn shuffle_lanes(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        self.over_subgroup(instruction)?;
        let is_constant = self.reader.constants.integer(instruction.id(2)?).is_some();
        let lane = self.operand(instruction.id(2)?, Some(ScalarKind::Uint))?;
        let mode = match instruction.op {
            Op::GroupNonUniformShuffle => GatherMode::Shuffle(lane),
            // WGSL requires a uniform distance; in SPIR-V it may differ between lanes.
            _ if !is_constant => {
                let own = self.own_lane();
                let op = match instruction.op {
                    Op::GroupNonUniformShuffleXor => Binary::ExclusiveOr,
                    Op::GroupNonUniformShuffleUp => Binary::Subtract,
                    _ => Binary::Add,
                };
                GatherMode::Shuffle(self.two(op, own, lane))
            }
            Op::GroupNonUniformShuffleXor => GatherMode::ShuffleXor(lane),
            Op::GroupNonUniformShuffleUp => GatherMode::ShuffleUp(lane),
            _ => GatherMode::ShuffleDown(lane),
        };
        self.gathered_value(instruction.id(1)?, mode)
    }

    /// Reads from the lane a number of lanes after this one, modulo the cluster size.
    fn rotate(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        self.over_subgroup(instruction)?;
        let by = self.operand(instruction.id(2)?, Some(ScalarKind::Uint))?;
        let size = match instruction.optional(3) {
            Some(size) => self.operand(Id(size), Some(ScalarKind::Uint))?,
            None => self.lane_count(),
        };
        let one = self.word(1);
        let lane = self.own_lane();
        let mask = self.two(Binary::Subtract, size, one);
        let moved = self.two(Binary::Add, lane, by);
        let moved = self.two(Binary::And, moved, mask);
        let place = self.two(Binary::And, lane, mask);
        let cluster = self.two(Binary::ExclusiveOr, lane, place);
        let lane = self.two(Binary::InclusiveOr, cluster, moved);
        self.gathered_value(instruction.id(1)?, GatherMode::Shuffle(lane))
    }

    fn quad_broadcast(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        self.over_subgroup(instruction)?;
        let index = instruction.id(2)?;
        let mode = match self.reader.constants.integer(index) {
            Some(index @ 0..4) => GatherMode::QuadBroadcast(self.word(index as u32)),
            Some(index) => {
                return Err(instruction.invalid(format!("a quad has no invocation {index}")));
            }
            None => {
                let index = self.operand(index, Some(ScalarKind::Uint))?;
                let lane = self.own_lane();
                let mask = self.word(!3);
                let quad = self.two(Binary::And, lane, mask);
                GatherMode::Shuffle(self.two(Binary::InclusiveOr, quad, index))
            }
        };
        self.gathered_value(instruction.id(1)?, mode)
    }

    fn quad_swap(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        self.over_subgroup(instruction)?;
        let direction = match self.reader.constants.integer(instruction.id(2)?) {
            Some(0) => Direction::X,
            Some(1) => Direction::Y,
            Some(2) => Direction::Diagonal,
            Some(direction) => {
                return Err(
                    instruction.invalid(format!("direction {direction} in a quad is unknown"))
                );
            }
            None => return Err(instruction.unsupported("a direction that the pipeline sets")),
        };
        self.gathered_value(instruction.id(1)?, GatherMode::QuadSwap(direction))
    }

    fn quad_vote(&mut self, id: Id, op: Binary) -> Result<Expr> {
        let mut shared = self.shared(id, None)?;
        for direction in [Direction::X, Direction::Y] {
            let other = self.gather(shared, GatherMode::QuadSwap(direction));
            shared.value = self.two(op, shared.value, other);
        }
        self.given_back(shared, shared.value)
    }
}
