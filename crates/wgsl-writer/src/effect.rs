//! Writes calls with side effects: functions, atomics, subgroup operations, ray queries.
//!
//! In: a statement. Out: the text of the call, without the binding of its result.

use anywarp_program::naga::{
    AtomicFunction, CollectiveOperation, Direction, Expression, GatherMode, Handle,
    RayPipelineFunction, RayQueryFunction, Statement, SubgroupOperation,
};

use super::Dialect;
use super::extension::Extension;
use super::printer::{Printer, Result};

/// How an unused result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnusedResult {
    /// The call is a statement.
    Dropped,
    /// WGSL requires an assignment: `_ = call();`.
    Assigned,
}

impl Printer<'_, '_> {
    /// Appends the call of a statement. Returns how to write it if its result is unused.
    pub(super) fn effect(&mut self, statement: &Statement) -> Result<UnusedResult> {
        match *statement {
            Statement::Call {
                function,
                ref arguments,
                ..
            } => {
                let name = self.cx.names.functions[function.index()].clone();
                self.call(&name, arguments)?;
                return Ok(UnusedResult::Dropped);
            }
            Statement::Atomic {
                pointer,
                ref fun,
                value,
                ..
            } => {
                let mut arguments = vec![pointer];
                if let AtomicFunction::Exchange {
                    compare: Some(compare),
                } = *fun
                {
                    arguments.push(compare);
                }
                arguments.push(value);
                self.call(&format!("atomic{}", atomic(fun)), &arguments)?;
                return Ok(UnusedResult::Dropped);
            }
            Statement::ImageAtomic {
                image,
                coordinate,
                array_index,
                ref fun,
                value,
            } => {
                self.naga_only("atomic operations on textures")?;
                let arguments: Vec<_> = [Some(image), Some(coordinate), array_index, Some(value)]
                    .into_iter()
                    .flatten()
                    .collect();
                self.call(&format!("textureAtomic{}", atomic(fun)), &arguments)?;
                return Ok(UnusedResult::Dropped);
            }
            Statement::ImageStore {
                image,
                coordinate,
                array_index,
                value,
            } => {
                let arguments: Vec<_> = [Some(image), Some(coordinate), array_index, Some(value)]
                    .into_iter()
                    .flatten()
                    .collect();
                self.call("textureStore", &arguments)?;
                return Ok(UnusedResult::Dropped);
            }
            Statement::WorkGroupUniformLoad { pointer, .. } => {
                self.call("workgroupUniformLoad", &[pointer])?;
            }
            Statement::SubgroupBallot { predicate, .. } => match predicate {
                Some(predicate) => self.call("subgroupBallot", &[predicate])?,
                None if self.cx.dialect == Dialect::Naga => self.push("subgroupBallot()"),
                None => self.push("subgroupBallot(true)"),
            },
            Statement::SubgroupGather { mode, argument, .. } => self.gather(mode, argument)?,
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                ..
            } => {
                let name = collective(op, collective_op).ok_or_else(|| {
                    self.unsupported("a scan over a subgroup that neither adds nor multiplies")
                })?;
                self.call(name, &[argument])?;
            }
            Statement::RayQuery { query, ref fun } => {
                self.naga_only("ray queries")?;
                return self.ray_query(query, fun);
            }
            Statement::RayPipelineFunction(RayPipelineFunction::TraceRay {
                acceleration_structure,
                descriptor,
                payload,
            }) => {
                self.naga_only("ray pipelines")?;
                self.call("traceRay", &[acceleration_structure, descriptor, payload])?;
                return Ok(UnusedResult::Dropped);
            }
            Statement::CooperativeStore { target, ref data } => {
                self.naga_only("cooperative matrices")?;
                let name = if data.row_major {
                    "coopStoreT"
                } else {
                    "coopStore"
                };
                self.call(name, &[target, data.pointer, data.stride])?;
                return Ok(UnusedResult::Dropped);
            }
            _ => return Err(self.unsupported("a statement without a name")),
        }
        if !matches!(statement, Statement::WorkGroupUniformLoad { .. }) {
            self.cx.enable(Extension::Subgroups);
        }
        Ok(UnusedResult::Assigned)
    }

    fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>) -> Result {
        let (name, index) = match mode {
            GatherMode::BroadcastFirst => ("subgroupBroadcastFirst", None),
            GatherMode::Broadcast(index) => ("subgroupBroadcast", Some(index)),
            GatherMode::Shuffle(index) => ("subgroupShuffle", Some(index)),
            GatherMode::ShuffleDown(index) => ("subgroupShuffleDown", Some(index)),
            GatherMode::ShuffleUp(index) => ("subgroupShuffleUp", Some(index)),
            GatherMode::ShuffleXor(index) => ("subgroupShuffleXor", Some(index)),
            GatherMode::QuadBroadcast(index) => ("quadBroadcast", Some(index)),
            GatherMode::QuadSwap(Direction::X) => ("quadSwapX", None),
            GatherMode::QuadSwap(Direction::Y) => ("quadSwapY", None),
            GatherMode::QuadSwap(Direction::Diagonal) => ("quadSwapDiagonal", None),
        };
        let arguments: Vec<_> = [Some(argument), index].into_iter().flatten().collect();
        self.call(name, &arguments)
    }

    fn ray_query(
        &mut self,
        query: Handle<Expression>,
        fun: &RayQueryFunction,
    ) -> Result<UnusedResult> {
        let mut arguments = vec![query];
        let name = match *fun {
            RayQueryFunction::Initialize {
                acceleration_structure,
                descriptor,
            } => {
                arguments.extend([acceleration_structure, descriptor]);
                "rayQueryInitialize"
            }
            RayQueryFunction::Proceed { .. } => "rayQueryProceed",
            RayQueryFunction::GenerateIntersection { hit_t } => {
                arguments.push(hit_t);
                "rayQueryGenerateIntersection"
            }
            RayQueryFunction::ConfirmIntersection => "rayQueryConfirmIntersection",
            RayQueryFunction::Terminate => "rayQueryTerminate",
        };
        self.call(name, &arguments)?;
        Ok(match fun {
            RayQueryFunction::Proceed { .. } => UnusedResult::Assigned,
            _ => UnusedResult::Dropped,
        })
    }
}

fn atomic(fun: &AtomicFunction) -> &'static str {
    match fun {
        AtomicFunction::Add => "Add",
        AtomicFunction::Subtract => "Sub",
        AtomicFunction::And => "And",
        AtomicFunction::ExclusiveOr => "Xor",
        AtomicFunction::InclusiveOr => "Or",
        AtomicFunction::Min => "Min",
        AtomicFunction::Max => "Max",
        AtomicFunction::Exchange { compare: None } => "Exchange",
        AtomicFunction::Exchange { compare: Some(_) } => "CompareExchangeWeak",
    }
}

fn collective(operation: SubgroupOperation, kind: CollectiveOperation) -> Option<&'static str> {
    use {CollectiveOperation as Kind, SubgroupOperation as Op};
    Some(match (kind, operation) {
        (Kind::Reduce, Op::All) => "subgroupAll",
        (Kind::Reduce, Op::Any) => "subgroupAny",
        (Kind::Reduce, Op::Add) => "subgroupAdd",
        (Kind::Reduce, Op::Mul) => "subgroupMul",
        (Kind::Reduce, Op::Min) => "subgroupMin",
        (Kind::Reduce, Op::Max) => "subgroupMax",
        (Kind::Reduce, Op::And) => "subgroupAnd",
        (Kind::Reduce, Op::Or) => "subgroupOr",
        (Kind::Reduce, Op::Xor) => "subgroupXor",
        (Kind::ExclusiveScan, Op::Add) => "subgroupExclusiveAdd",
        (Kind::ExclusiveScan, Op::Mul) => "subgroupExclusiveMul",
        (Kind::InclusiveScan, Op::Add) => "subgroupInclusiveAdd",
        (Kind::InclusiveScan, Op::Mul) => "subgroupInclusiveMul",
        _ => return None,
    })
}
