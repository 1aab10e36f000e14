//! Translates expressions: each becomes registers, or an address if it is a pointer.

use naga::{Expression, Handle, RelationalFunction, Span, SwizzleComponent, TypeInner};

use super::function::{FunctionTranslator, Operand};
use super::texture::Coordinates;
use crate::AtomicOp;
use crate::KernelError;
use crate::bytecode::{Geometric, Instr, Number, Reg, Space, Ternary, TypedOp, Unary, ZERO};

impl FunctionTranslator<'_, '_> {
    /// Evaluates an expression of an `Emit` range that ends before index `range_end`.
    pub(super) fn evaluate(
        &mut self,
        handle: Handle<Expression>,
        range_end: usize,
    ) -> Result<(), KernelError> {
        let span = self.span(handle);
        let value = match self.constant(handle, span)? {
            Some(register) => Operand::Registers(register),
            None => self.expression(handle, range_end, span)?,
        };
        self.set(handle, value);
        Ok(())
    }

    fn expression(
        &mut self,
        handle: Handle<Expression>,
        range_end: usize,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let function = self.function;
        match function.expressions[handle] {
            Expression::Compose { ref components, .. } => self.compose(handle, components, span),
            Expression::Access { base, index } => self.access(handle, base, index, span),
            Expression::AccessIndex { base, index } => self.access_index(base, index, span),
            Expression::Splat { size, value } => {
                self.splat_expression(handle, size as u32, value, span)
            }
            Expression::Swizzle {
                vector, pattern, ..
            } => self.swizzle(handle, vector, pattern, span),
            Expression::Load { pointer } => self.load_expression(handle, pointer, range_end, span),
            Expression::Unary { op, expr } => self.unary(handle, op, expr, span),
            Expression::Binary { op, left, right } => self.binary(handle, op, left, right, span),
            Expression::As {
                expr,
                kind,
                convert,
            } => self.cast(handle, expr, kind, convert, span),
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.select(handle, condition, accept, reject, span),
            Expression::Relational { fun, argument } => {
                self.relational(handle, fun, argument, span)
            }
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => self.math(handle, fun, [Some(arg), arg1, arg2, arg3], span),
            Expression::ArrayLength(array) => self.array_length_expression(handle, array, span),
            Expression::ImageSample { .. } => Err(self.unsupported("texture sampling", span)),
            Expression::ImageLoad {
                image,
                coordinate,
                array_index,
                sample,
                level,
            } => {
                let at = Coordinates {
                    coordinate,
                    array_index,
                    level,
                    sample,
                };
                self.texture_load(handle, image, &at, span)
            }
            Expression::ImageQuery { image, query } => {
                self.texture_query(handle, image, query, span)
            }
            Expression::Derivative { .. } => Err(self.unsupported("a derivative", span)),
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryGetIntersection { .. } => {
                Err(self.unsupported("ray tracing", span))
            }
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                Err(self.unsupported("a cooperative matrix", span))
            }
            // Leaves and results of statements already have a value.
            _ => self.value(handle),
        }
    }

    fn splat_expression(
        &mut self,
        handle: Handle<Expression>,
        components: u32,
        value: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, words) = self.result(handle, span)?;
        let src = self.register(value)?;
        self.splat(dst, src, components, words / components, span);
        Ok(Operand::Registers(dst))
    }

    fn array_length_expression(
        &mut self,
        handle: Handle<Expression>,
        array: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, _) = self.result(handle, span)?;
        self.array_length(array, dst, span)?;
        Ok(Operand::Registers(dst))
    }

    /// Allocates the result registers of an expression; also returns their number.
    pub(super) fn result(
        &mut self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<(Reg, u32), KernelError> {
        let words = self.words(self.inner(handle), span)?;
        Ok((self.alloc(words, span)?, words))
    }

    /// An operand of `n` components; a scalar is splatted.
    pub(super) fn operand(
        &mut self,
        handle: Handle<Expression>,
        n: u32,
        span: Span,
    ) -> Result<Reg, KernelError> {
        let src = self.register(handle)?;
        let TypeInner::Scalar(_) = self.inner(handle) else {
            return Ok(src);
        };
        if n == 1 {
            return Ok(src);
        }
        let words = self.words(self.inner(handle), span)?;
        let dst = self.alloc(n * words, span)?;
        self.splat(dst, src, n, words, span);
        Ok(dst)
    }

    fn compose(
        &mut self,
        handle: Handle<Expression>,
        components: &[Handle<Expression>],
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (first, _) = self.result(handle, span)?;
        let mut dst = first;
        for &component in components {
            let n = self.words(self.inner(component), span)?;
            let src = self.register(component)?;
            self.push(Instr::Copy { dst, src, n }, span);
            dst += n;
        }
        Ok(Operand::Registers(first))
    }

    fn access(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let index = self.index(index, span)?;
        let inner = self.inner(base);
        match self.value(base)? {
            Operand::Pointer(address) => self
                .dynamic_part(address, inner, index, span)
                .map(Operand::Pointer),
            Operand::TextureArray(array) => self.texture_element(array, index, span),
            Operand::BufferArray(array) => self.buffer_element(array, index, span),
            Operand::Texture(_) => Err(self.unsupported("this kind of index", span)),
            Operand::Registers(base) => {
                let words = self.words(inner, span)?;
                let (dst, n) = self.result(handle, span)?;
                let len = words / n.max(1);
                self.push(
                    Instr::Element {
                        dst,
                        base,
                        index,
                        len,
                        n,
                    },
                    span,
                );
                Ok(Operand::Registers(dst))
            }
        }
    }

    fn access_index(
        &mut self,
        base: Handle<Expression>,
        index: u32,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let inner = self.inner(base);
        match self.value(base)? {
            Operand::Pointer(address) => self
                .static_part(address, inner, index, span)
                .map(Operand::Pointer),
            Operand::TextureArray(array) => {
                let index = self.known(index, span)?;
                self.texture_element(array, index, span)
            }
            Operand::BufferArray(array) => {
                let index = self.known(index, span)?;
                self.buffer_element(array, index, span)
            }
            Operand::Texture(_) => Err(self.unsupported("this kind of index", span)),
            Operand::Registers(base) => self
                .shared
                .layout
                .packed_part(inner, index)
                .map(|part| Operand::Registers(base + part))
                .map_err(|e| self.shared.unsupported(e, span)),
        }
    }

    fn swizzle(
        &mut self,
        handle: Handle<Expression>,
        vector: Handle<Expression>,
        pattern: [SwizzleComponent; 4],
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, words) = self.result(handle, span)?;
        let base = self.register(vector)?;
        let n = self.number(handle, span)?.words();
        for (i, component) in (0..words / n).zip(pattern) {
            let copy = Instr::Copy {
                dst: dst + i * n,
                src: base + component as u32 * n,
                n,
            };
            self.push(copy, span);
        }
        Ok(Operand::Registers(dst))
    }

    fn load_expression(
        &mut self,
        handle: Handle<Expression>,
        pointer: Handle<Expression>,
        range_end: usize,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let from = self.address(pointer)?;
        if self.is_atomic64(pointer) {
            let result = self.atomic64(AtomicOp::Load, from, [ZERO, ZERO], span)?;
            return Ok(Operand::Registers(result));
        }
        let in_place = from.space == Space::Registers && from.dynamic == ZERO;
        if in_place && self.uses.end_before(handle, range_end) {
            return Ok(Operand::Registers(from.offset));
        }
        let (dst, _) = self.result(handle, span)?;
        self.load(dst, from, self.inner(handle), span)?;
        Ok(Operand::Registers(dst))
    }

    fn select(
        &mut self,
        handle: Handle<Expression>,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, words) = self.result(handle, span)?;
        let n = self.components(handle, span)?;
        let c = self.operand(condition, n, span)?;
        let (a, b) = (self.register(accept)?, self.register(reject)?);
        // The type of the words does not matter.
        let of = if words == n {
            Number::U32
        } else {
            self.number(handle, span)?
        };
        let select = TypedOp::Ternary(Ternary::Select);
        let n = self.lanes(n, span)?;
        self.push(select.instr(of, n, dst, [a, b, c, ZERO]), span);
        Ok(Operand::Registers(dst))
    }

    fn relational(
        &mut self,
        handle: Handle<Expression>,
        function: RelationalFunction,
        argument: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, _) = self.result(handle, span)?;
        let n = self.components(argument, span)?;
        let n = self.lanes(n, span)?;
        let a = self.register(argument)?;
        let op = match function {
            RelationalFunction::All => TypedOp::Geometric(Geometric::All),
            RelationalFunction::Any => TypedOp::Geometric(Geometric::Any),
            RelationalFunction::IsNan => TypedOp::Unary(Unary::IsNan),
            RelationalFunction::IsInf => TypedOp::Unary(Unary::IsInf),
        };
        let of = self.number(argument, span)?;
        self.push(op.instr(of, n, dst, [a, ZERO, ZERO, ZERO]), span);
        Ok(Operand::Registers(dst))
    }

    /// The number of components as the width of a componentwise instruction.
    pub(super) fn lanes(&self, n: u32, span: Span) -> Result<u8, KernelError> {
        u8::try_from(n).map_err(|_| self.unsupported("an operation on a whole array", span))
    }
}
