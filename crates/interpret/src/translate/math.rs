//! Translates builtin functions: each of naga's becomes one instruction.

use anywarp_program::float_extremes;
use naga::{Expression, Handle, MathFunction, ScalarKind, Span, TypeInner};

use super::function::{FunctionTranslator, Operand};
use crate::KernelError;
use crate::bytecode::{
    Binary, Geometric, Instr, Matrix, Packing, Reg, Ternary, TypedOp, Unary, ZERO,
};

/// The instruction for a builtin function.
enum MathInstr {
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
fn math_instr(function: MathFunction, kind: ScalarKind) -> Option<MathInstr> {
    use MathFunction as F;
    use ScalarKind::{Float, Sint, Uint};
    Some(match (function, kind) {
        (F::Abs, Float) => MathInstr::Unary(Unary::Abs),
        (F::Abs, Sint) => MathInstr::Unary(Unary::AbsI32),
        (F::Abs, Uint) => MathInstr::Identity,
        (F::Min, Float) => MathInstr::Binary(Binary::MinF32),
        (F::Min, Sint) => MathInstr::Binary(Binary::MinI32),
        (F::Min, Uint) => MathInstr::Binary(Binary::MinU32),
        (F::Max, Float) => MathInstr::Binary(Binary::MaxF32),
        (F::Max, Sint) => MathInstr::Binary(Binary::MaxI32),
        (F::Max, Uint) => MathInstr::Binary(Binary::MaxU32),
        (F::Clamp, Float) => MathInstr::Ternary(Ternary::ClampF32),
        (F::Clamp, Sint) => MathInstr::Ternary(Ternary::ClampI32),
        (F::Clamp, Uint) => MathInstr::Ternary(Ternary::ClampU32),
        (F::Sign, Float) => MathInstr::Unary(Unary::Sign),
        (F::Sign, Sint) => MathInstr::Unary(Unary::SignI32),
        (F::Dot, Float) => MathInstr::Geometric(Geometric::DotF32),
        (F::Dot, Sint | Uint) => MathInstr::Geometric(Geometric::DotInt),
        (F::CountTrailingZeros, _) => MathInstr::Unary(Unary::CountTrailingZeros),
        (F::CountLeadingZeros, _) => MathInstr::Unary(Unary::CountLeadingZeros),
        (F::CountOneBits, _) => MathInstr::Unary(Unary::CountOneBits),
        (F::ReverseBits, _) => MathInstr::Unary(Unary::ReverseBits),
        (F::ExtractBits, Sint) => MathInstr::Ternary(Ternary::ExtractBitsI32),
        (F::ExtractBits, Uint) => MathInstr::Ternary(Ternary::ExtractBitsU32),
        (F::InsertBits, _) => MathInstr::InsertBits,
        (F::FirstTrailingBit, _) => MathInstr::Unary(Unary::FirstTrailingBit),
        (F::FirstLeadingBit, Sint) => MathInstr::Unary(Unary::FirstLeadingBitI32),
        (F::FirstLeadingBit, Uint) => MathInstr::Unary(Unary::FirstLeadingBitU32),
        (F::Dot4I8Packed, _) => MathInstr::Packing(Packing::Dot4I8),
        (F::Dot4U8Packed, _) => MathInstr::Packing(Packing::Dot4U8),
        (F::Pack4xI8, _) => MathInstr::Packing(Packing::Pack4xI8),
        (F::Pack4xU8, _) => MathInstr::Packing(Packing::Pack4xU8),
        (F::Pack4xI8Clamp, _) => MathInstr::Packing(Packing::Pack4xI8Clamp),
        (F::Pack4xU8Clamp, _) => MathInstr::Packing(Packing::Pack4xU8Clamp),
        (F::Unpack4x8snorm, _) => MathInstr::Packing(Packing::Unpack4x8Snorm),
        (F::Unpack4x8unorm, _) => MathInstr::Packing(Packing::Unpack4x8Unorm),
        (F::Unpack2x16snorm, _) => MathInstr::Packing(Packing::Unpack2x16Snorm),
        (F::Unpack2x16unorm, _) => MathInstr::Packing(Packing::Unpack2x16Unorm),
        (F::Unpack2x16float, _) => MathInstr::Packing(Packing::Unpack2x16Float),
        (F::Unpack4xI8, _) => MathInstr::Packing(Packing::Unpack4xI8),
        (F::Unpack4xU8, _) => MathInstr::Packing(Packing::Unpack4xU8),
        (function, Float) => return float_shape(function),
        _ => return None,
    })
}

/// Functions of floats only.
fn float_shape(function: MathFunction) -> Option<MathInstr> {
    use MathFunction as F;
    Some(match function {
        F::Saturate => MathInstr::Unary(Unary::Saturate),
        F::Cos => MathInstr::Unary(Unary::Cos),
        F::Cosh => MathInstr::Unary(Unary::Cosh),
        F::Sin => MathInstr::Unary(Unary::Sin),
        F::Sinh => MathInstr::Unary(Unary::Sinh),
        F::Tan => MathInstr::Unary(Unary::Tan),
        F::Tanh => MathInstr::Unary(Unary::Tanh),
        F::Acos => MathInstr::Unary(Unary::Acos),
        F::Asin => MathInstr::Unary(Unary::Asin),
        F::Atan => MathInstr::Unary(Unary::Atan),
        F::Atan2 => MathInstr::Binary(Binary::Atan2),
        F::Asinh => MathInstr::Unary(Unary::Asinh),
        F::Acosh => MathInstr::Unary(Unary::Acosh),
        F::Atanh => MathInstr::Unary(Unary::Atanh),
        F::Radians => MathInstr::Unary(Unary::Radians),
        F::Degrees => MathInstr::Unary(Unary::Degrees),
        F::Ceil => MathInstr::Unary(Unary::Ceil),
        F::Floor => MathInstr::Unary(Unary::Floor),
        F::Round => MathInstr::Unary(Unary::Round),
        F::Fract => MathInstr::Unary(Unary::Fract),
        F::Trunc => MathInstr::Unary(Unary::Trunc),
        F::Modf => MathInstr::Geometric(Geometric::Modf),
        F::Frexp => MathInstr::Geometric(Geometric::Frexp),
        F::Ldexp => MathInstr::Binary(Binary::Ldexp),
        F::Exp => MathInstr::Unary(Unary::Exp),
        F::Exp2 => MathInstr::Unary(Unary::Exp2),
        F::Log => MathInstr::Unary(Unary::Log),
        F::Log2 => MathInstr::Unary(Unary::Log2),
        F::Pow => MathInstr::Binary(Binary::Pow),
        F::Outer => MathInstr::Matrix(Matrix::Outer),
        F::Cross => MathInstr::Geometric(Geometric::Cross),
        F::Distance => MathInstr::Geometric(Geometric::Distance),
        F::Length => MathInstr::Geometric(Geometric::Length),
        F::Normalize => MathInstr::Geometric(Geometric::Normalize),
        F::FaceForward => MathInstr::Geometric(Geometric::FaceForward),
        F::Reflect => MathInstr::Geometric(Geometric::Reflect),
        F::Refract => MathInstr::Geometric(Geometric::Refract),
        F::Fma => MathInstr::Ternary(Ternary::Fma),
        F::Mix => MathInstr::Ternary(Ternary::Mix),
        F::Step => MathInstr::Binary(Binary::Step),
        F::SmoothStep => MathInstr::Ternary(Ternary::SmoothStep),
        F::Sqrt => MathInstr::Unary(Unary::Sqrt),
        F::InverseSqrt => MathInstr::Unary(Unary::InverseSqrt),
        F::Inverse => MathInstr::Matrix(Matrix::Inverse),
        F::Transpose => MathInstr::Matrix(Matrix::Transpose),
        F::Determinant => MathInstr::Matrix(Matrix::Determinant),
        F::QuantizeToF16 => MathInstr::Unary(Unary::QuantizeToF16),
        F::Pack4x8snorm => MathInstr::Packing(Packing::Pack4x8Snorm),
        F::Pack4x8unorm => MathInstr::Packing(Packing::Pack4x8Unorm),
        F::Pack2x16snorm => MathInstr::Packing(Packing::Pack2x16Snorm),
        F::Pack2x16unorm => MathInstr::Packing(Packing::Pack2x16Unorm),
        F::Pack2x16float => MathInstr::Packing(Packing::Pack2x16Float),
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
        let arguments = float_extremes::ordered(function, arguments, &self.function.expressions);
        let first = arguments[0].unwrap_or(handle);
        let kind = self.kind(first, span)?;
        let Some(shape) = math_instr(function, kind) else {
            return Err(self.unsupported("this built-in function on this type", span));
        };
        let (dst, words) = self.result(handle, span)?;
        let of = self.number(first, span)?;
        let width = self.components(first, span)?;
        // Operands of a componentwise function have as many components as its result.
        let (op, n, args) = match shape {
            MathInstr::Identity => {
                let src = self.register(first)?;
                self.push(Instr::Copy { dst, src, n: words }, span);
                return Ok(Operand::Registers(dst));
            }
            MathInstr::Packing(op) => {
                let [a, b, ..] = self.operands(arguments, 1, span)?;
                self.push(Instr::Packing { op, dst, a, b }, span);
                return Ok(Operand::Registers(dst));
            }
            MathInstr::Unary(op) => (
                TypedOp::Unary(op),
                width,
                self.operands(arguments, 1, span)?,
            ),
            MathInstr::Binary(op) => {
                let args = self.operands(arguments, width, span)?;
                (TypedOp::Binary(op), width, args)
            }
            MathInstr::Ternary(op) => {
                let args = self.operands(arguments, width, span)?;
                (TypedOp::Ternary(op), width, args)
            }
            MathInstr::Geometric(op) => {
                let args = self.operands(arguments, 1, span)?;
                (TypedOp::Geometric(op), width, args)
            }
            MathInstr::Matrix(op) => {
                let args = self.operands(arguments, 1, span)?;
                let (columns, rows) = self.matrix_shape(op, handle, first, span)?;
                (TypedOp::Matrix { op, columns, rows }, 1, args)
            }
            MathInstr::InsertBits => {
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
