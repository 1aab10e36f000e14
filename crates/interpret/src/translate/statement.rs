//! Translates statements.

use naga::{Barrier, Block, Expression, Function, Handle, Range, Span, Statement};

use super::function::{FunctionTranslator, Operand};
use super::texture::Coordinates;
use crate::AtomicOp;
use crate::KernelError;
use crate::bytecode::texture::TextureRef;
use crate::bytecode::{Instr, Space, ZERO};

impl<'a> FunctionTranslator<'a, '_> {
    pub(super) fn block(&mut self, block: &'a Block) -> Result<(), KernelError> {
        let work = self.shared.meter.tick(block.len() as u64);
        work.map_err(|limit| super::over_budget(self.function.name.as_deref(), limit))?;
        for (statement, &span) in block.span_iter() {
            let span = if span.is_defined() {
                span
            } else {
                self.last_span
            };
            self.last_span = span;
            self.statement(statement, span)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement, span: Span) -> Result<(), KernelError> {
        match statement {
            Statement::Emit(range) => self.emit(range.clone()),
            Statement::Block(block) => self.block(block),
            Statement::If {
                condition,
                accept,
                reject,
            } => self.if_statement(*condition, accept, reject, span),
            Statement::Switch { selector, cases } => self.switch(*selector, cases, span),
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.loop_statement(body, continuing, *break_if, span),
            Statement::Break => {
                self.break_statement(span);
                Ok(())
            }
            Statement::Continue => {
                self.continue_statement(span);
                Ok(())
            }
            Statement::Return { value } => self.return_statement(*value, span),
            Statement::Store { pointer, value } => self.store_statement(*pointer, *value, span),
            Statement::ControlBarrier(barrier) => {
                self.barrier(*barrier, span);
                Ok(())
            }
            // The invocations of a workgroup run on one thread: memory is always consistent.
            Statement::MemoryBarrier(_) => Ok(()),
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(*pointer, *fun, *value, *result, span),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.uniform_load(*pointer, *result, span)
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result, span),
            Statement::Kill => Err(self.unsupported("discard", span)),
            Statement::ImageStore {
                image,
                coordinate,
                array_index,
                value,
            } => self.texture_store(*image, &storage(*coordinate, *array_index), *value, span),
            Statement::ImageAtomic {
                image,
                coordinate,
                array_index,
                fun,
                value,
            } => {
                let at = storage(*coordinate, *array_index);
                self.texture_atomic(*image, &at, *fun, *value, span)
            }
            Statement::SubgroupBallot { result, predicate } => {
                self.ballot(*result, *predicate, span)
            }
            Statement::SubgroupGather {
                mode,
                argument,
                result,
            } => self.gather(*mode, *argument, *result, span),
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                result,
            } => self.combine(*op, *collective_op, *argument, *result, span),
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                Err(self.unsupported("ray tracing", span))
            }
            Statement::CooperativeStore { .. } => {
                Err(self.unsupported("a cooperative matrix", span))
            }
        }
    }

    /// Evaluates a range of expressions.
    fn emit(&mut self, range: Range<Expression>) -> Result<(), KernelError> {
        let end = range.clone().last().map_or(0, |handle| handle.index() + 1);
        for handle in range {
            self.evaluate(handle, end)?;
        }
        Ok(())
    }

    fn return_statement(
        &mut self,
        value: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        if let (Some(value), Some(_)) = (value, self.link) {
            let n = self.words(self.inner(value), span)?;
            let (dst, src) = (self.result, self.register(value)?);
            self.push(Instr::Copy { dst, src, n }, span);
        }
        self.finish(span);
        Ok(())
    }

    fn store_statement(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let to = self.address(pointer)?;
        let src = self.register(value)?;
        if self.is_atomic64(pointer) {
            self.atomic64(AtomicOp::Exchange, to, [src, ZERO], span)?;
            return Ok(());
        }
        let inner = self.inner(value);
        // A value that is only stored can be computed in its destination.
        let in_place = to.space == Space::Registers && to.dynamic == ZERO;
        if in_place && self.uses.is_only_use(self.function, value) {
            let n = self.words(inner, span)?;
            if let Some(last) = self.shared.last_in_sequence()
                && last.retarget(src, n, to.offset)
            {
                return Ok(());
            }
        }
        self.store(to, src, inner, span)
    }

    fn barrier(&mut self, barrier: Barrier, span: Span) {
        if barrier.contains(Barrier::SUB_GROUP) {
            self.subgroup_barrier(span);
        } else {
            self.push(Instr::Barrier, span);
        }
    }

    /// Barrier, load, barrier: no invocation writes before all have read.
    fn uniform_load(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let from = self.address(pointer)?;
        let inner = self.inner(result);
        let words = self.words(inner, span)?;
        let dst = self.alloc(words, span)?;
        self.push(Instr::Barrier, span);
        self.load(dst, from, inner, span)?;
        self.push(Instr::Barrier, span);
        self.set(result, Operand::Registers(dst));
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let callee = self.shared.callees[&function].clone();
        for (&argument, &dst) in arguments.iter().zip(&callee.arguments) {
            match self.value(argument)? {
                Operand::Registers(src) => {
                    let n = self.words(self.inner(argument), span)?;
                    self.push(Instr::Copy { dst, src, n }, span);
                }
                Operand::Pointer(address) => {
                    self.push(
                        Instr::Offset {
                            dst,
                            base: address.dynamic,
                            by: address.offset,
                        },
                        span,
                    );
                }
                Operand::Texture(TextureRef::Slot(by)) => {
                    let base = ZERO;
                    self.push(Instr::Offset { dst, base, by }, span);
                }
                Operand::Texture(TextureRef::Register(src)) => {
                    self.push(Instr::Copy { dst, src, n: 1 }, span);
                }
                Operand::TextureArray(_) | Operand::BufferArray(_) => {
                    return Err(self.unsupported("an array of bindings as an argument", span));
                }
            }
        }
        self.push(
            Instr::Call {
                to: callee.entry,
                link: callee.link,
                work: 0,
            },
            span,
        );
        if let Some(result) = result {
            let n = self.words(self.inner(result), span)?;
            let dst = self.alloc(n, span)?;
            let src = callee.result;
            self.push(Instr::Copy { dst, src, n }, span);
            self.set(result, Operand::Registers(dst));
        }
        Ok(())
    }
}

/// A texel of a storage texture, which has one level and one sample.
fn storage(coordinate: Handle<Expression>, array_index: Option<Handle<Expression>>) -> Coordinates {
    Coordinates {
        coordinate,
        array_index,
        level: None,
        sample: None,
    }
}
