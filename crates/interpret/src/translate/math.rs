//! Translates builtin functions: each of naga's becomes one instruction.

use naga::{Expression, Handle, MathFunction, ScalarKind, Span, TypeInner};

use super::function::{FunctionTranslator, Operand};
use crate::KernelError;
use crate::bytecode::{
    Binary, Geometric, Instr, Matrix, Packing, Reg, Ternary, TypedOp, Unary, ZERO,
};

/// The instruction for a builtin function.
enum Shape {
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    Geometric(Geometric),
    Matrix(Matrix),
    Packing(Packing),
    InsertBits,
    /// No instruction: the result is the operand.
    Identity,
}

/// The instruction for a function on scalars of `kind`; `None` if there is no such function.
fn shape(function: MathFunction, kind: ScalarKind) -> Option<Shape> {
    use MathFunction as F;
    use ScalarKind::{Float, Sint, Uint};
    Some(match (function, kind) {
        (F::Abs, Float) => Shape::Unary(Unary::Abs),
        (F::Abs, Sint) => Shape::Unary(Unary::AbsI32),
        (F::Abs, Uint) => Shape::Identity,
        (F::Min, Float) => Shape::Binary(Binary::MinF32),
        (F::Min, Sint) => Shape::Binary(Binary::MinI32),
        (F::Min, Uint) => Shape::Binary(Binary::MinU32),
        (F::Max, Float) => Shape::Binary(Binary::MaxF32),
        (F::Max, Sint) => Shape::Binary(Binary::MaxI32),
        (F::Max, Uint) => Shape::Binary(Binary::MaxU32),
        (F::Clamp, Float) => Shape::Ternary(Ternary::ClampF32),
        (F::Clamp, Sint) => Shape::Ternary(Ternary::ClampI32),
        (F::Clamp, Uint) => Shape::Ternary(Ternary::ClampU32),
        (F::Sign, Float) => Shape::Unary(Unary::Sign),
        (F::Sign, Sint) => Shape::Unary(Unary::SignI32),
        (F::Dot, Float) => Shape::Geometric(Geometric::DotF32),
        (F::Dot, Sint | Uint) => Shape::Geometric(Geometric::DotInt),
        (F::CountTrailingZeros, _) => Shape::Unary(Unary::CountTrailingZeros),
        (F::CountLeadingZeros, _) => Shape::Unary(Unary::CountLeadingZeros),
        (F::CountOneBits, _) => Shape::Unary(Unary::CountOneBits),
        (F::ReverseBits, _) => Shape::Unary(Unary::ReverseBits),
        (F::ExtractBits, Sint) => Shape::Ternary(Ternary::ExtractBitsI32),
        (F::ExtractBits, Uint) => Shape::Ternary(Ternary::ExtractBitsU32),
        (F::InsertBits, _) => Shape::InsertBits,
        (F::FirstTrailingBit, _) => Shape::Unary(Unary::FirstTrailingBit),
        (F::FirstLeadingBit, Sint) => Shape::Unary(Unary::FirstLeadingBitI32),
        (F::FirstLeadingBit, Uint) => Shape::Unary(Unary::FirstLeadingBitU32),
        (F::Dot4I8Packed, _) => Shape::Packing(Packing::Dot4I8),
        (F::Dot4U8Packed, _) => Shape::Packing(Packing::Dot4U8),
        (F::Pack4xI8, _) => Shape::Packing(Packing::Pack4xI8),
        (F::Pack4xU8, _) => Shape::Packing(Packing::Pack4xU8),
        (F::Pack4xI8Clamp, _) => Shape::Packing(Packing::Pack4xI8Clamp),
        (F::Pack4xU8Clamp, _) => Shape::Packing(Packing::Pack4xU8Clamp),
        (F::Unpack4x8snorm, _) => Shape::Packing(Packing::Unpack4x8Snorm),
        (F::Unpack4x8unorm, _) => Shape::Packing(Packing::Unpack4x8Unorm),
        (F::Unpack2x16snorm, _) => Shape::Packing(Packing::Unpack2x16Snorm),
        (F::Unpack2x16unorm, _) => Shape::Packing(Packing::Unpack2x16Unorm),
        (F::Unpack2x16float, _) => Shape::Packing(Packing::Unpack2x16Float),
        (F::Unpack4xI8, _) => Shape::Packing(Packing::Unpack4xI8),
        (F::Unpack4xU8, _) => Shape::Packing(Packing::Unpack4xU8),
        (function, Float) => return float_shape(function),
        _ => return None,
    })
}

/// Functions of floats only.
fn float_shape(function: MathFunction) -> Option<Shape> {
    use MathFunction as F;
    Some(match function {
        F::Saturate => Shape::Unary(Unary::Saturate),
        F::Cos => Shape::Unary(Unary::Cos),
        F::Cosh => Shape::Unary(Unary::Cosh),
        F::Sin => Shape::Unary(Unary::Sin),
        F::Sinh => Shape::Unary(Unary::Sinh),
        F::Tan => Shape::Unary(Unary::Tan),
        F::Tanh => Shape::Unary(Unary::Tanh),
        F::Acos => Shape::Unary(Unary::Acos),
        F::Asin => Shape::Unary(Unary::Asin),
        F::Atan => Shape::Unary(Unary::Atan),
        F::Atan2 => Shape::Binary(Binary::Atan2),
        F::Asinh => Shape::Unary(Unary::Asinh),
        F::Acosh => Shape::Unary(Unary::Acosh),
        F::Atanh => Shape::Unary(Unary::Atanh),
        F::Radians => Shape::Unary(Unary::Radians),
        F::Degrees => Shape::Unary(Unary::Degrees),
        F::Ceil => Shape::Unary(Unary::Ceil),
        F::Floor => Shape::Unary(Unary::Floor),
        F::Round => Shape::Unary(Unary::Round),
        F::Fract => Shape::Unary(Unary::Fract),
        F::Trunc => Shape::Unary(Unary::Trunc),
        F::Modf => Shape::Geometric(Geometric::Modf),
        F::Frexp => Shape::Geometric(Geometric::Frexp),
        F::Ldexp => Shape::Binary(Binary::Ldexp),
        F::Exp => Shape::Unary(Unary::Exp),
        F::Exp2 => Shape::Unary(Unary::Exp2),
        F::Log => Shape::Unary(Unary::Log),
        F::Log2 => Shape::Unary(Unary::Log2),
        F::Pow => Shape::Binary(Binary::Pow),
        F::Outer => Shape::Matrix(Matrix::Outer),
        F::Cross => Shape::Geometric(Geometric::Cross),
        F::Distance => Shape::Geometric(Geometric::Distance),
        F::Length => Shape::Geometric(Geometric::Length),
        F::Normalize => Shape::Geometric(Geometric::Normalize),
        F::FaceForward => Shape::Geometric(Geometric::FaceForward),
        F::Reflect => Shape::Geometric(Geometric::Reflect),
        F::Refract => Shape::Geometric(Geometric::Refract),
        F::Fma => Shape::Ternary(Ternary::Fma),
        F::Mix => Shape::Ternary(Ternary::Mix),
        F::Step => Shape::Binary(Binary::Step),
        F::SmoothStep => Shape::Ternary(Ternary::SmoothStep),
        F::Sqrt => Shape::Unary(Unary::Sqrt),
        F::InverseSqrt => Shape::Unary(Unary::InverseSqrt),
        F::Inverse => Shape::Matrix(Matrix::Inverse),
        F::Transpose => Shape::Matrix(Matrix::Transpose),
        F::Determinant => Shape::Matrix(Matrix::Determinant),
        F::QuantizeToF16 => Shape::Unary(Unary::QuantizeToF16),
        F::Pack4x8snorm => Shape::Packing(Packing::Pack4x8Snorm),
        F::Pack4x8unorm => Shape::Packing(Packing::Pack4x8Unorm),
        F::Pack2x16snorm => Shape::Packing(Packing::Pack2x16Snorm),
        F::Pack2x16unorm => Shape::Packing(Packing::Pack2x16Unorm),
        F::Pack2x16float => Shape::Packing(Packing::Pack2x16Float),
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    pub(super) fn math(
        &mut self,
        handle: Handle<Expression>,
        function: MathFunction,
        arguments: [Option<Handle<Expression>>; 4],
        span: Span,
    ) -> Result<Operand, KernelError> {
        let first = arguments[0].unwrap_or(handle);
        let kind = self.kind(first, span)?;
        let Some(shape) = shape(function, kind) else {
            return Err(self.unsupported("this built-in function on this type", span));
        };
        let (dst, words) = self.result(handle, span)?;
        let of = self.number(first, span)?;
        let width = self.components(first, span)?;
        // Operands of a componentwise function have as many components as its result.
        let (op, n, args) = match shape {
            Shape::Identity => {
                let src = self.register(first)?;
                self.push(Instr::Copy { dst, src, n: words }, span);
                return Ok(Operand::Registers(dst));
            }
            Shape::Packing(op) => {
                let [a, b, ..] = self.operands(arguments, 1, span)?;
                self.push(Instr::Packing { op, dst, a, b }, span);
                return Ok(Operand::Registers(dst));
            }
            Shape::Unary(op) => (
                TypedOp::Unary(op),
                width,
                self.operands(arguments, 1, span)?,
            ),
            Shape::Binary(op) => {
                let args = self.operands(arguments, width, span)?;
                (TypedOp::Binary(op), width, args)
            }
            Shape::Ternary(op) => {
                let args = self.operands(arguments, width, span)?;
                (TypedOp::Ternary(op), width, args)
            }
            Shape::Geometric(op) => {
                let args = self.operands(arguments, 1, span)?;
                (TypedOp::Geometric(op), width, args)
            }
            Shape::Matrix(op) => {
                let args = self.operands(arguments, 1, span)?;
                let (columns, rows) = self.matrix_shape(op, handle, first, span)?;
                (TypedOp::Matrix { op, columns, rows }, 1, args)
            }
            Shape::InsertBits => {
                let args = self.operands(arguments, 1, span)?;
                (TypedOp::InsertBits, width, args)
            }
        };
        let n = self.lanes(n, span)?;
        self.push(op.instr(of, n, dst, args), span);
        Ok(Operand::Registers(dst))
    }

    /// The operands, of `n` components each; scalars are splatted.
    fn operands(
        &mut self,
        arguments: [Option<Handle<Expression>>; 4],
        n: u32,
        span: Span,
    ) -> Result<[Reg; 4], KernelError> {
        let mut registers = [ZERO; 4];
        for (register, argument) in registers.iter_mut().zip(arguments) {
            if let Some(argument) = argument {
                *register = self.operand(argument, n, span)?;
            }
        }
        Ok(registers)
    }

    /// Columns and rows of the matrix of an operation: of its operand, or of its result.
    fn matrix_shape(
        &self,
        op: Matrix,
        handle: Handle<Expression>,
        operand: Handle<Expression>,
        span: Span,
    ) -> Result<(u8, u8), KernelError> {
        let of = if op == Matrix::Outer { handle } else { operand };
        match *self.inner(of) {
            TypeInner::Matrix { columns, rows, .. } => Ok((columns as u8, rows as u8)),
            _ => Err(self.unsupported("this built-in function on this type", span)),
        }
    }
}
