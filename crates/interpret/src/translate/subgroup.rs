//! Translates subgroup operations, and emits the loop counters that reconvergence needs.

use anywarp_program::walk;
use naga::{
    Barrier, CollectiveOperation, Direction, Expression, Function, GatherMode, Handle, Module,
    ScalarKind, Span, Statement, SubgroupOperation,
};

use super::function::{FunctionTranslator, Operand};
use crate::bytecode::{Binary, Instr, LoopCode, Number, Pc, Reg, ZERO};
use crate::subgroup::{Collective, GatherSource};
use crate::{KernelError, SubgroupSize};

/// Whether a kernel has operations at which the lanes of a subgroup reconverge.
pub(super) fn has_collectives(
    module: &Module,
    reachable: &[Handle<Function>],
    entry_point: &Function,
) -> bool {
    let called = reachable.iter().map(|&handle| &module.functions[handle]);
    called
        .chain([entry_point])
        .any(|function| walk::statements(&function.body).any(reconverges))
}

fn reconverges(statement: &Statement) -> bool {
    match statement {
        Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. } => true,
        Statement::ControlBarrier(barrier) => barrier.contains(Barrier::SUB_GROUP),
        _ => false,
    }
}

/// The lane operand of a gather.
pub(super) fn gather_lane(mode: GatherMode) -> Option<Handle<Expression>> {
    match mode {
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
        GatherMode::Broadcast(lane)
        | GatherMode::Shuffle(lane)
        | GatherMode::ShuffleDown(lane)
        | GatherMode::ShuffleUp(lane)
        | GatherMode::ShuffleXor(lane)
        | GatherMode::QuadBroadcast(lane) => Some(lane),
    }
}

impl FunctionTranslator<'_, '_> {
    /// Before a loop: allocates an iteration counter, if the kernel has collective operations.
    pub(super) fn begin_loop(&mut self, span: Span) -> Result<Option<Reg>, KernelError> {
        if !self.shared.code.has_collectives {
            return Ok(None);
        }
        let counter = self.alloc(2, span)?;
        self.push(Instr::Zero { dst: counter, n: 2 }, span);
        let start = self.shared.label();
        let loops = &mut self.shared.code.loops;
        let parent = self.innermost_loop.replace(loops.len() as u32);
        loops.push(LoopCode {
            start,
            end: start,
            counter,
            parent,
        });
        Ok(Some(counter))
    }

    /// After a loop with the back edge at `end`.
    pub(super) fn end_loop(&mut self, end: Pc) {
        if let Some(index) = self.innermost_loop {
            let ended = &mut self.shared.code.loops[index as usize];
            ended.end = end;
            self.innermost_loop = ended.parent;
        }
    }

    pub(super) fn subgroup_barrier(&mut self, span: Span) {
        let instr = Instr::Collective {
            op: Collective::Barrier,
            of: Number::U32,
            n: 0,
            dst: ZERO,
            value: ZERO,
            lane: ZERO,
        };
        self.push(instr, span);
    }

    pub(super) fn ballot(
        &mut self,
        result: Handle<Expression>,
        predicate: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let (op, value) = match predicate {
            Some(predicate) => (Collective::Ballot, self.register(predicate)?),
            None => (Collective::ActiveLanes, ZERO),
        };
        let (dst, _) = self.result(result, span)?;
        let instr = Instr::Collective {
            op,
            of: Number::Bool,
            n: 1,
            dst,
            value,
            lane: ZERO,
        };
        self.push(instr, span);
        self.set(result, Operand::Registers(dst));
        Ok(())
    }

    pub(super) fn combine(
        &mut self,
        op: SubgroupOperation,
        how: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let fold = self.fold(op, argument, span)?;
        let op = match how {
            CollectiveOperation::Reduce => Collective::Reduce(fold),
            CollectiveOperation::InclusiveScan => Collective::InclusiveScan(fold),
            CollectiveOperation::ExclusiveScan => Collective::ExclusiveScan(fold),
        };
        self.collective(op, argument, ZERO, result, span)
    }

    /// The binary operation of a reduction, by its 32-bit name.
    fn fold(
        &self,
        op: SubgroupOperation,
        argument: Handle<Expression>,
        span: Span,
    ) -> Result<Binary, KernelError> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        use SubgroupOperation as S;
        Ok(match (op, self.kind(argument, span)?) {
            (S::Add, Float) => Binary::AddF32,
            (S::Add, Sint | Uint) => Binary::AddInt,
            (S::Mul, Float) => Binary::MulF32,
            (S::Mul, Sint | Uint) => Binary::MulInt,
            (S::Min, Float) => Binary::MinF32,
            (S::Min, Sint) => Binary::MinI32,
            (S::Min, Uint) => Binary::MinU32,
            (S::Max, Float) => Binary::MaxF32,
            (S::Max, Sint) => Binary::MaxI32,
            (S::Max, Uint) => Binary::MaxU32,
            (S::And, Sint | Uint) | (S::All, Bool) => Binary::And,
            (S::Or, Sint | Uint) | (S::Any, Bool) => Binary::Or,
            (S::Xor, Sint | Uint) => Binary::Xor,
            _ => return Err(self.unsupported("this subgroup operation on this type", span)),
        })
    }

    pub(super) fn gather(
        &mut self,
        mode: GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let from = match mode {
            GatherMode::BroadcastFirst => GatherSource::First,
            GatherMode::Broadcast(lane) => {
                self.check_lane(lane, SubgroupSize::MAX, "subgroupBroadcast")?;
                GatherSource::Lane
            }
            GatherMode::Shuffle(_) => GatherSource::Lane,
            GatherMode::ShuffleDown(_) => GatherSource::Down,
            GatherMode::ShuffleUp(_) => GatherSource::Up,
            GatherMode::ShuffleXor(_) => GatherSource::Xor,
            GatherMode::QuadBroadcast(lane) => {
                self.check_lane(lane, 4, "quadBroadcast")?;
                GatherSource::QuadLane
            }
            GatherMode::QuadSwap(Direction::X) => GatherSource::QuadSwap(1),
            GatherMode::QuadSwap(Direction::Y) => GatherSource::QuadSwap(2),
            GatherMode::QuadSwap(Direction::Diagonal) => GatherSource::QuadSwap(3),
        };
        let lane = match gather_lane(mode) {
            Some(lane) => self.register(lane)?,
            None => ZERO,
        };
        self.collective(Collective::Gather(from), argument, lane, result, span)
    }

    /// WGSL rejects a constant lane that no device can have; naga does not check it.
    fn check_lane(
        &self,
        lane: Handle<Expression>,
        end: u32,
        function: &'static str,
    ) -> Result<(), KernelError> {
        let span = self.span(lane);
        let Some(register) = self.constant(lane, span)? else {
            return Err(self.unsupported("a lane that is not a constant", span));
        };
        match self.shared.code.initial[register as usize] {
            lane if lane < end => Ok(()),
            lane => Err(KernelError::NoSuchLane {
                function,
                lane,
                end,
                location: self.shared.program.locate(span).map(Box::new),
            }),
        }
    }

    fn collective(
        &mut self,
        op: Collective,
        argument: Handle<Expression>,
        lane: Reg,
        result: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let value = self.register(argument)?;
        let (dst, _) = self.result(result, span)?;
        let n = self.components(argument, span)?;
        let instr = Instr::Collective {
            op,
            of: self.number(argument, span)?,
            n: self.lanes(n, span)?,
            dst,
            value,
            lane,
        };
        self.push(instr, span);
        self.set(result, Operand::Registers(dst));
        Ok(())
    }
}
