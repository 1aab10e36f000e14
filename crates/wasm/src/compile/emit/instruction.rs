//! Instructions.

use super::kernel::Kernel;
use super::unsupported;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{Block, Op, Value};

impl Kernel<'_> {
    /// The instructions of a block.
    pub(super) fn instructions(&mut self, block: Block) -> Result<(), CompileError> {
        let function = self.function;
        for &inst in &function.block(block).insts {
            let op = function.op(inst);
            if op.is_pure() && !self.uses.is_used[inst.0 as usize] {
                continue;
            }
            if let Some(result) = self.instruction(inst, op)? {
                self.define(inst, result);
            }
        }
        Ok(())
    }

    fn instruction(&mut self, inst: Value, op: &Op) -> Result<Option<Expr>, CompileError> {
        Ok(match op {
            Op::Unary(unary, operand) => Some(self.unary(inst, *unary, *operand)),
            Op::Binary(binary, left, right) => Some(self.binary(*binary, *left, *right)),
            Op::Select { condition, yes, no } => {
                let [condition, yes, no] = [*condition, *yes, *no].map(|value| self.value(value));
                Some(self.writer.select(condition, yes, no))
            }
            Op::ObjectLoad { object, index } => {
                let loaded = self.object_load(*object, *index)?;
                let (from, to) = (self.element_type(*object), self.function.ty(inst));
                Some(self.cast_word(loaded, from, to))
            }
            Op::ObjectStore {
                object,
                index,
                value,
            } => {
                self.object_store(*object, *index, *value)?;
                None
            }
            Op::ObjectAtomic {
                object,
                function,
                index,
                value,
            } => Some(self.atomic(*object, *function, *index, *value)?),
            Op::ObjectCompareExchange {
                object,
                index,
                expected,
                value,
            } => Some(self.compare_exchange(*object, *index, *expected, *value)?),
            Op::TrapIf {
                condition,
                trap,
                words,
            } => {
                self.trap_if(*condition, *trap, words)?;
                None
            }
            Op::Host { function, args, .. } => self.host(*function, args)?,
            other => return Err(self.unresolved(other)),
        })
    }

    fn unresolved(&self, op: &Op) -> CompileError {
        let feature = match op {
            Op::MemorySize => "the size of memory",
            Op::MemoryGrow(_) => "growing memory",
            Op::DataDrop(_) => "dropping a data segment",
            _ => "an access whose memory is not known",
        };
        unsupported(self.function, feature)
    }

    /// Values, in order.
    pub(super) fn all_values<const N: usize>(&mut self, values: [Value; N]) -> [Expr; N] {
        values.map(|value| self.value(value))
    }
}
