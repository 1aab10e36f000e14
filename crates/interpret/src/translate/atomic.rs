//! Atomic operations, on 32 and on 64 bits.

use naga::{AtomicFunction, Expression, Handle, Scalar, ScalarKind, Span, TypeInner};

use super::function::{FunctionTranslator, Operand};
use crate::AtomicOp;
use crate::KernelError;
use crate::bytecode::{Address, Instr, Reg, ZERO};

impl FunctionTranslator<'_, '_> {
    /// Whether an expression points to an atomic variable of 64 bits.
    pub(super) fn is_atomic64(&self, pointer: Handle<Expression>) -> bool {
        let TypeInner::Pointer { base, .. } = *self.inner(pointer) else {
            return false;
        };
        matches!(*self.shared.layout.inner(base), TypeInner::Atomic(scalar) if scalar.width == 8)
    }

    /// An operation on an atomic variable of 64 bits; gives the registers of its result.
    pub(super) fn atomic64(
        &mut self,
        op: AtomicOp,
        at: Address,
        [value, compare]: [Reg; 2],
        span: Span,
    ) -> Result<Reg, KernelError> {
        let results = 2 + u32::from(op == AtomicOp::CompareExchange);
        let dst = self.alloc(results, span)?;
        self.push(
            Instr::Atomic64 {
                op,
                dst,
                at,
                value,
                compare,
            },
            span,
        );
        Ok(dst)
    }

    pub(super) fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let at = self.address(pointer)?;
        let TypeInner::Scalar(scalar) = *self.inner(value) else {
            return Err(self.unsupported("this atomic operation", span));
        };
        let Some(op) = atomic_operation(function, scalar) else {
            return Err(self.unsupported("this atomic operation on this type", span));
        };
        let compare = match function {
            AtomicFunction::Exchange {
                compare: Some(compare),
            } => self.register(compare)?,
            _ => ZERO,
        };
        let value = self.register(value)?;
        let dst = if scalar.width == 8 {
            self.atomic64(op, at, [value, compare], span)?
        } else {
            let dst = self.alloc(1 + u32::from(op == AtomicOp::CompareExchange), span)?;
            let atomic = Instr::Atomic {
                op,
                dst,
                at,
                value,
                compare,
            };
            self.push(atomic, span);
            dst
        };
        if let Some(result) = result {
            self.set(result, Operand::Registers(dst));
        }
        Ok(())
    }
}

/// The operation for a function on scalars of 32 or 64 bits; `None` if there is no such operation.
fn atomic_operation(function: AtomicFunction, scalar: Scalar) -> Option<AtomicOp> {
    use AtomicFunction as F;
    use ScalarKind::{Float, Sint, Uint};
    Some(match (function, scalar.kind) {
        (F::Exchange { compare: None }, _) => AtomicOp::Exchange,
        (F::Add, Float) => AtomicOp::AddF32,
        (F::Subtract, Float) => AtomicOp::SubF32,
        (F::Add, Sint | Uint) => AtomicOp::Add,
        (F::Subtract, Sint | Uint) => AtomicOp::Sub,
        (F::And, Sint | Uint) => AtomicOp::And,
        (F::ExclusiveOr, Sint | Uint) => AtomicOp::Xor,
        (F::InclusiveOr, Sint | Uint) => AtomicOp::Or,
        (F::Min, Sint) => AtomicOp::MinI32,
        (F::Min, Uint) => AtomicOp::MinU32,
        (F::Max, Sint) => AtomicOp::MaxI32,
        (F::Max, Uint) => AtomicOp::MaxU32,
        (F::Exchange { compare: Some(_) }, Sint | Uint) => AtomicOp::CompareExchange,
        _ => return None,
    })
}
