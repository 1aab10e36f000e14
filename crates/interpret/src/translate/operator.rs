//! Translates operators and conversions; the operand type selects the instruction.

use naga::{BinaryOperator, Bytes, Expression, Handle, ScalarKind, Span, TypeInner, UnaryOperator};

use super::function::{FunctionTranslator, Operand};
use crate::KernelError;
use crate::bytecode::{Binary, Instr, Matrix, TypedOp, Unary, ZERO};

impl FunctionTranslator<'_, '_> {
    /// The kind of the scalars of an expression.
    pub(super) fn kind(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<ScalarKind, KernelError> {
        let kind = self.inner(handle).scalar_kind();
        kind.ok_or_else(|| self.unsupported("an operation on this type", span))
    }

    pub(super) fn unary(
        &mut self,
        handle: Handle<Expression>,
        op: UnaryOperator,
        operand: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let op = match (op, self.kind(operand, span)?) {
            (UnaryOperator::Negate, ScalarKind::Float) => Unary::NegF32,
            (UnaryOperator::Negate, _) => Unary::NegI32,
            (UnaryOperator::LogicalNot, _) => Unary::NotBool,
            (UnaryOperator::BitwiseNot, _) => Unary::NotBits,
        };
        let (dst, _) = self.result(handle, span)?;
        let a = self.register(operand)?;
        let n = self.components(operand, span)?;
        let n = self.lanes(n, span)?;
        let of = self.number(operand, span)?;
        let instr = TypedOp::Unary(op).instr(of, n, dst, [a, ZERO, ZERO, ZERO]);
        self.push(instr, span);
        Ok(Operand::Registers(dst))
    }

    pub(super) fn binary(
        &mut self,
        handle: Handle<Expression>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, _) = self.result(handle, span)?;
        if op == BinaryOperator::Multiply
            && let Some((op, columns, rows)) = matrix_product(self.inner(left), self.inner(right))
        {
            let (a, b) = (self.register(left)?, self.register(right)?);
            let op = TypedOp::Matrix { op, columns, rows };
            let of = self.number(left, span)?;
            self.push(op.instr(of, 1, dst, [a, b, ZERO, ZERO]), span);
            return Ok(Operand::Registers(dst));
        }
        let n = self.components(handle, span)?;
        let a = self.operand(left, n, span)?;
        let b = match op {
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                self.shift_amount(right, span)?
            }
            _ => self.operand(right, n, span)?,
        };
        // Only "less" has instructions, so "greater" swaps the operands.
        let (a, b) = match op {
            BinaryOperator::Greater | BinaryOperator::GreaterEqual => (b, a),
            _ => (a, b),
        };
        let op = self.operation(op, self.kind(left, span)?, span)?;
        let n = self.lanes(n, span)?;
        let of = self.number(left, span)?;
        let instr = TypedOp::Binary(op).instr(of, n, dst, [a, b, ZERO, ZERO]);
        self.push(instr, span);
        Ok(Operand::Registers(dst))
    }

    /// The instruction for an operator; "greater" is "less" with swapped operands.
    fn operation(
        &self,
        op: BinaryOperator,
        kind: ScalarKind,
        span: Span,
    ) -> Result<Binary, KernelError> {
        use BinaryOperator as O;
        use ScalarKind::{Bool, Float, Sint, Uint};
        let op = match (op, kind) {
            (O::Add, Float) => Binary::AddF32,
            (O::Add, Sint | Uint) => Binary::AddInt,
            (O::Subtract, Float) => Binary::SubF32,
            (O::Subtract, Sint | Uint) => Binary::SubInt,
            (O::Multiply, Float) => Binary::MulF32,
            (O::Multiply, Sint | Uint) => Binary::MulInt,
            (O::Divide, Float) => Binary::DivF32,
            (O::Divide, Sint) => Binary::DivI32,
            (O::Divide, Uint) => Binary::DivU32,
            (O::Modulo, Float) => Binary::RemF32,
            (O::Modulo, Sint) => Binary::RemI32,
            (O::Modulo, Uint) => Binary::RemU32,
            (O::Equal, Float) => Binary::EqualF32,
            (O::Equal, Sint | Uint | Bool) => Binary::EqualWord,
            (O::NotEqual, Float) => Binary::NotEqualF32,
            (O::NotEqual, Sint | Uint | Bool) => Binary::NotEqualWord,
            (O::Less | O::Greater, Float) => Binary::LessF32,
            (O::Less | O::Greater, Sint) => Binary::LessI32,
            (O::Less | O::Greater, Uint) => Binary::LessU32,
            (O::LessEqual | O::GreaterEqual, Float) => Binary::LessEqualF32,
            (O::LessEqual | O::GreaterEqual, Sint) => Binary::LessEqualI32,
            (O::LessEqual | O::GreaterEqual, Uint) => Binary::LessEqualU32,
            (O::And | O::LogicalAnd, Sint | Uint | Bool) => Binary::And,
            (O::InclusiveOr | O::LogicalOr, Sint | Uint | Bool) => Binary::Or,
            (O::ExclusiveOr, Sint | Uint | Bool) => Binary::Xor,
            (O::ShiftLeft, Sint | Uint) => Binary::ShiftLeft,
            (O::ShiftRight, Sint) => Binary::ShiftRightI32,
            (O::ShiftRight, Uint) => Binary::ShiftRightU32,
            _ => return Err(self.unsupported("this operator on this type", span)),
        };
        Ok(op)
    }

    pub(super) fn cast(
        &mut self,
        handle: Handle<Expression>,
        operand: Handle<Expression>,
        to: ScalarKind,
        convert: Option<Bytes>,
        span: Span,
    ) -> Result<Operand, KernelError> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        // The size of the result reports unsupported types, also for a bitcast.
        let n = self.words(self.inner(handle), span)?;
        let a = self.register(operand)?;
        if convert.is_none() {
            return Ok(Operand::Registers(a));
        }
        let from = self.number(operand, span)?;
        let result = self.number(handle, span)?;
        if from.bits() != 32 || result.bits() != 32 {
            let n = self.components(operand, span)?;
            let converted = self.convert(a, n, [from, result], span)?;
            return Ok(Operand::Registers(converted));
        }
        let op = match (self.kind(operand, span)?, to) {
            (Float, Sint) => Unary::F32ToI32,
            (Float, Uint) => Unary::F32ToU32,
            (Float, Bool) => Unary::F32ToBool,
            (Sint, Float) => Unary::I32ToF32,
            (Uint, Float) => Unary::U32ToF32,
            (Bool, Float) => Unary::BoolToF32,
            (Sint | Uint, Bool) => Unary::WordToBool,
            // The bits do not change: also for bool to integer, which is 0 or 1 already.
            _ => {
                let dst = self.alloc(n, span)?;
                self.push(Instr::Copy { dst, src: a, n }, span);
                return Ok(Operand::Registers(dst));
            }
        };
        let dst = self.alloc(n, span)?;
        let n = self.lanes(n, span)?;
        self.push(Instr::Unary { op, n, dst, a }, span);
        Ok(Operand::Registers(dst))
    }
}

/// The matrix product of two operands, with the columns and rows of the result; `None` for other products.
fn matrix_product(left: &TypeInner, right: &TypeInner) -> Option<(Matrix, u8, u8)> {
    let (op, columns, rows) = match (left, right) {
        (&TypeInner::Matrix { columns, rows, .. }, TypeInner::Vector { .. }) => {
            (Matrix::TimesVector, columns, rows)
        }
        (TypeInner::Vector { .. }, &TypeInner::Matrix { columns, rows, .. }) => {
            (Matrix::VectorTimes, columns, rows)
        }
        (
            &TypeInner::Matrix {
                columns: inner,
                rows,
                ..
            },
            &TypeInner::Matrix { columns, .. },
        ) => (Matrix::Product { inner: inner as u8 }, columns, rows),
        _ => return None,
    };
    Some((op, columns as u8, rows as u8))
}
