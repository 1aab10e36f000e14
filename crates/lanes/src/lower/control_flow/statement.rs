//! Statements: the dispatch over naga's statements; `return`, barriers and atomics.

use naga::{AtomicFunction, Barrier, Block, Expression, Handle, Statement, TypeInner};

use crate::ir::{AtomicOp, BlockId, CallOutcome, Edge, Op, Terminator, Type, WordCompare};

use crate::lower::analysis::uniformity::is_end;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::access::AtomicAction;
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::reference::Lvalue;
use crate::lower::texture::image::Coordinates;
use crate::lower::{Evaluated, Flow, Lowering};

impl<'a> Lowering<'a> {
    /// Lowers a block. `is_last`: no statement is executed after it before the function ends.
    pub(in crate::lower) fn statements(&mut self, block: &'a Block, is_last: bool) -> Result<Flow> {
        for (place, (statement, span)) in block.span_iter().enumerate() {
            self.source.span = *span;
            let is_last = is_last && is_end(&block[place + 1..]);
            if self.statement(statement, is_last)? == Flow::Terminated {
                return Ok(Flow::Terminated);
            }
        }
        Ok(Flow::Continues)
    }

    pub(super) fn statement(&mut self, statement: &'a Statement, is_last: bool) -> Result<Flow> {
        self.work(1)?;
        match *statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    self.work(1)?;
                    self.compute(expression)?;
                }
            }
            Statement::Block(ref block) => return self.statements(block, is_last),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => {
                let condition = self.scalar(condition)?;
                return self.branch(statement, &condition, [accept, reject], is_last);
            }
            Statement::Switch {
                selector,
                ref cases,
            } => return self.switch(statement, selector, cases),
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => return self.lower_loop(statement, body, continuing, break_if),
            Statement::Break => return self.lower_break(),
            Statement::Continue => return self.lower_continue(),
            Statement::Return { value } => return self.lower_return(value, is_last),
            Statement::Kill => return unsupported("`discard`"),
            Statement::Store { pointer, .. } if self.is_table(pointer) => {}
            Statement::Store { pointer, value } => {
                let (place, values) = (self.lvalue(pointer)?, self.scalars(value)?);
                self.store(&place, &values)?;
            }
            Statement::ControlBarrier(barrier) => {
                if (barrier - Barrier::SUB_GROUP).is_empty() {
                    // The lanes of a vector are always converged, but the result depends on which lanes form a
                    // subgroup.
                    self.uses_subgroups = true;
                } else {
                    self.barrier()?;
                }
            }
            Statement::MemoryBarrier(_) => {}
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.barrier()?;
                let place = self.lvalue(pointer)?;
                let scalars = self.load(&place)?;
                self.set(result, Evaluated::Scalars(scalars));
                self.barrier()?;
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic_statement(pointer, fun, value, result)?,
            Statement::Call {
                function,
                ref arguments,
                result,
            } => return self.call_function(function, arguments, result),
            Statement::ImageStore {
                image,
                coordinate,
                array_index,
                value,
            } => self.image_store(image, Coordinates::stored(coordinate, array_index), value)?,
            Statement::ImageAtomic {
                image,
                coordinate,
                array_index,
                fun,
                value,
            } => {
                let at = Coordinates::stored(coordinate, array_index);
                self.image_atomic(image, at, fun, value)?;
            }
            Statement::SubgroupBallot { result, predicate } => self.ballot(result, predicate)?,
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                result,
            } => self.collective(op, collective_op, argument, result)?,
            Statement::SubgroupGather {
                mode,
                argument,
                result,
            } => self.gather_lanes(mode, argument, result)?,
            _ => return unsupported("this statement"),
        }
        Ok(Flow::Continues)
    }

    fn lower_return(&mut self, value: Option<Handle<Expression>>, is_last: bool) -> Result<Flow> {
        if let (Some(value), Some(result)) = (value, self.call().result) {
            let scalars = self.scalars(value)?;
            for (number, scalar) in scalars.into_iter().enumerate() {
                let slot = (result, number as u32);
                let scalar = match self.control.exec {
                    // Other lanes have returned another value, or still will.
                    Some(exec) if self.control.exec != self.call().exec => {
                        let (before, kind) = (self.slot(slot).clone(), self.slot_kind(slot));
                        self.choose(exec, &scalar, &before, kind)
                    }
                    _ => scalar,
                };
                self.replace(slot, scalar);
            }
        }
        if is_last {
            return Ok(Flow::Continues);
        }
        // All remaining lanes return here, so the entry point is done.
        if let Some(block) = self.done_block() {
            self.end(Terminator::Jump(Edge::to(block)));
            return Ok(Flow::Terminated);
        }
        if let Some(returned) = self.call().returned {
            let slot = (returned, 0);
            let before = self.slot(slot).clone();
            let now = Scalar::Mask(self.exec_mask());
            let both = self.operate(
                naga::BinaryOperator::LogicalOr,
                ScalarType::Bool,
                &before,
                &now,
            )?;
            self.replace(slot, both);
        }
        self.control.exec = Some(self.mask_const(0));
        Ok(Flow::Continues)
    }

    /// Lowers a workgroup barrier: suspends the subgroup until all others have arrived.
    fn barrier(&mut self) -> Result {
        let after_barrier =
            (self.control.exec != self.control.first_exec).then(|| self.check_barrier_is_uniform());
        self.function.barriers += 1;
        self.source.barriers.push(self.source.span);
        let next = self.function.add_block();
        self.end(Terminator::Suspend(self.function.barriers, next));
        self.control.block = next;
        if let Some(after_barrier) = after_barrier {
            self.end(Terminator::Jump(Edge::to(after_barrier)));
            self.control.block = after_barrier;
        }
        Ok(())
    }

    /// Checks at run time that the barrier is in uniform control flow: continues if all lanes are active, and ends
    /// the function with a divergence error if only some are. Returns the block after the barrier, the target if no
    /// lane is active: that all lanes have left a loop is only detected at its end.
    fn check_barrier_is_uniform(&mut self) -> BlockId {
        let (exec, all) = (self.exec_mask(), self.first_mask());
        let here = self.emit(Op::Ballot, &[exec], Type::Word);
        let all = self.emit(Op::Ballot, &[all], Type::Word);
        let are_here = self.word_compare(WordCompare::Eq, here, all);
        let [next, others, diverged, after_barrier] =
            std::array::from_fn(|_| self.function.add_block());
        let outcome = CallOutcome::diverged(self.function.barriers + 1);
        self.function.block_mut(diverged).terminator = Terminator::Return(outcome);
        let (to_next, to_others) = (Edge::to(next), Edge::to(others));
        self.end(Terminator::Branch(are_here, to_next, to_others));
        self.control.block = others;
        let (to_diverged, to_behind) = (Edge::to(diverged), Edge::to(after_barrier));
        self.end(Terminator::Branch(exec, to_diverged, to_behind));
        self.control.block = next;
        after_barrier
    }

    fn atomic_statement(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result {
        let Lvalue::Memory(memory) = self.lvalue(pointer)? else {
            return unsupported("an atomic that is not in memory");
        };
        let inner = self.shapes.inner(memory.shape);
        if let TypeInner::Atomic(scalar) = inner
            && scalar.width == 8
        {
            let number = Number::of(scalar)?;
            return self.wide_atomic_statement(&memory, number, function, value, result);
        }
        let kind = match inner {
            TypeInner::Atomic(scalar) => ScalarType::of(scalar)?,
            _ => return unsupported("an atomic of this type"),
        };
        let is_signed = kind == ScalarType::Sint;
        let mut value = self.scalar(value)?;
        let op = match AtomicAction::of(function, is_signed) {
            AtomicAction::Op(AtomicOp::Add) if kind == ScalarType::Float => AtomicOp::AddF,
            AtomicAction::Op(AtomicOp::Sub) if kind == ScalarType::Float => {
                value = self.negate(naga::UnaryOperator::Negate, kind, &value)?;
                AtomicOp::AddF
            }
            AtomicAction::Op(op) => op,
            AtomicAction::IfEqual(expected) => {
                let expected = self.scalar(expected)?;
                let (old, is_exchanged) = self.compare_exchange(&memory, &expected, &value)?;
                if let Some(result) = result {
                    let both = [Scalar::Lanes(old), Scalar::Mask(is_exchanged)];
                    self.set(result, Evaluated::Scalars(Scalars::from_iter(both)));
                }
                return Ok(());
            }
        };
        let old = self.atomic(&memory, op, &value)?;
        if let Some(result) = result {
            let scalars = Scalars::from_iter([Scalar::Lanes(old)]);
            self.set(result, Evaluated::Scalars(scalars));
        }
        Ok(())
    }
}
