//! Translation that depends on the width of a scalar: register counts and instruction selection.

use naga::{Expression, Handle, Span, TypeInner};

use super::function::FunctionTranslator;
use crate::KernelError;
use crate::bytecode::{Instr, Number, Reg, TypedOp, ZERO};
use crate::layout;

impl FunctionTranslator<'_, '_> {
    /// The numeric type of an expression's scalars.
    pub(super) fn number(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Number, KernelError> {
        let scalar = self.inner(handle).scalar();
        let scalar = scalar.ok_or_else(|| self.unsupported("an operation on this type", span))?;
        layout::number(scalar).map_err(|e| self.shared.unsupported(e, span))
    }

    /// Whether a type contains 16-bit scalars.
    pub(super) fn has_halves(&self, inner: &TypeInner, span: Span) -> Result<bool, KernelError> {
        let halves = self.shared.layout.has_halves(inner);
        halves.map_err(|e| self.shared.unsupported(e, span))
    }

    /// The number of scalars of an expression.
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
        let convert = TypedOp::Convert(to).instr(from, lanes, dst, [src, ZERO, ZERO, ZERO]);
        self.push(convert, span);
        Ok(dst)
    }

    /// The registers of an index (one for each axis). Indices of any type that do not fit into 32 bits stay out of
    /// bounds.
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
        let n = self.components(handle, span)?;
        let dst = self.alloc(n, span)?;
        let n = self.lanes(n, span)?;
        let to_index = TypedOp::ToIndex.instr(of, n, dst, [index, ZERO, ZERO, ZERO]);
        self.push(to_index, span);
        Ok(dst)
    }

    /// The second operand of a shift as words, of which only the low bits matter.
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
}
