//! What follows from the width of a scalar: how many registers, which instruction.

use naga::{AtomicFunction, Expression, Handle, Scalar, ScalarKind, Span, TypeInner};

use super::function::{FunctionResolver, Value};
use crate::KernelError;
use crate::code::{Address, Atomic, Instr, Number, Reg, Typed, ZERO};
use crate::layout;

impl FunctionResolver<'_, '_> {
    /// The type of the scalars of an expression.
    pub(super) fn number(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Number, KernelError> {
        let scalar = self.inner(handle).scalar();
        let scalar = scalar.ok_or_else(|| self.unsupported("an operation on this type", span))?;
        layout::number(scalar).map_err(|e| self.shared.unsupported(e, span))
    }

    /// Whether scalars of 16 bits are in a type.
    pub(super) fn has_halves(&self, inner: &TypeInner, span: Span) -> Result<bool, KernelError> {
        let halves = self.shared.layout.has_halves(inner);
        halves.map_err(|e| self.shared.unsupported(e, span))
    }

    /// How many scalars the value of an expression has.
    pub(super) fn components(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<u32, KernelError> {
        let words = self.words(self.inner(handle), span)?;
        Ok(words / self.number(handle, span)?.words())
    }

    /// Repeats a scalar of `words` registers `n` times.
    pub(super) fn splat(&mut self, dst: Reg, src: Reg, n: u32, words: u32, span: Span) {
        if words == 1 {
            self.push(Instr::Splat { dst, src, n }, span);
            return;
        }
        for i in 0..n {
            let dst = dst + i * words;
            self.push(Instr::Copy { dst, src, n: words }, span);
        }
    }

    /// Converts `n` numbers.
    pub(super) fn convert(
        &mut self,
        src: Reg,
        n: u32,
        [from, to]: [Number; 2],
        span: Span,
    ) -> Result<Reg, KernelError> {
        let dst = self.alloc(n * to.words(), span)?;
        let lanes = self.lanes(n, span)?;
        let convert = Typed::Convert(to).instr(from, lanes, dst, [src, ZERO, ZERO, ZERO]);
        self.push(convert, span);
        Ok(dst)
    }

    /// The register of an index; whatever type it has, one that is too large stays so.
    pub(super) fn index(
        &mut self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Reg, KernelError> {
        let index = self.register(handle)?;
        let of = self.number(handle, span)?;
        if of.bits() == 32 {
            return Ok(index);
        }
        let dst = self.alloc(1, span)?;
        let to_index = Typed::ToIndex.instr(of, 1, dst, [index, ZERO, ZERO, ZERO]);
        self.push(to_index, span);
        Ok(dst)
    }

    /// The second operand of a shift as words: its low bits are all that counts.
    pub(super) fn shift_amount(
        &mut self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Reg, KernelError> {
        let amount = self.register(handle)?;
        let of = self.number(handle, span)?;
        if of.words() == 1 {
            return Ok(amount);
        }
        let n = self.components(handle, span)?;
        self.convert(amount, n, [of, Number::U32], span)
    }

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
        op: Atomic,
        at: Address,
        [value, compare]: [Reg; 2],
        span: Span,
    ) -> Result<Reg, KernelError> {
        let results = 2 + u32::from(op == Atomic::CompareExchange);
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
            let dst = self.alloc(1 + u32::from(op == Atomic::CompareExchange), span)?;
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
            self.set(result, Value::Registers(dst));
        }
        Ok(())
    }
}

/// The operation for a function on scalars of 32 or 64 bits; `None` if there is no such operation.
fn atomic_operation(function: AtomicFunction, scalar: Scalar) -> Option<Atomic> {
    use AtomicFunction as F;
    use ScalarKind::{Float, Sint, Uint};
    Some(match (function, scalar.kind) {
        (F::Exchange { compare: None }, _) => Atomic::Exchange,
        (F::Add, Float) => Atomic::AddF32,
        (F::Subtract, Float) => Atomic::SubF32,
        (F::Add, Sint | Uint) => Atomic::Add,
        (F::Subtract, Sint | Uint) => Atomic::Sub,
        (F::And, Sint | Uint) => Atomic::And,
        (F::ExclusiveOr, Sint | Uint) => Atomic::Xor,
        (F::InclusiveOr, Sint | Uint) => Atomic::Or,
        (F::Min, Sint) => Atomic::MinI32,
        (F::Min, Uint) => Atomic::MinU32,
        (F::Max, Sint) => Atomic::MaxI32,
        (F::Max, Uint) => Atomic::MaxU32,
        (F::Exchange { compare: Some(_) }, Sint | Uint) => Atomic::CompareExchange,
        _ => return None,
    })
}
