//! Arithmetic, logic and bit instructions. `comparison` and `extended_arithmetic` have comparisons and instructions with two
//! results.
//!
//! A SPIR-V integer instruction defines the signedness of the operation and takes operands of either signedness.
//! naga's operators take it from their operands, so operands are bitcast before and results after. 8- and 16-bit
//! integers are computed in 32 bits and wrapped to their width.

use crate::read::function::Expr;
use anywarp_program::naga::{
    BinaryOperator as Binary, DerivativeAxis, DerivativeControl, Expression, Literal,
    MathFunction as Math, RelationalFunction, Scalar, ScalarKind, TypeInner,
    UnaryOperator as Unary,
};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::types::Type;

impl Body<'_, '_> {
    pub(super) fn arithmetic(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let value = self.computed(instruction)?;
        self.set(instruction, value)
    }

    fn computed(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (signed, unsigned) = (Some(ScalarKind::Sint), Some(ScalarKind::Uint));
        let own = match instruction.op {
            Op::IAdd | Op::ISub | Op::IMul => self.either_kind(instruction)?,
            Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => self.either_kind(instruction)?,
            Op::ShiftLeftLogical | Op::BitFieldInsert => self.own_kind(instruction)?,
            _ => None,
        };
        match instruction.op {
            Op::FNegate => self.unary(instruction, Unary::Negate, None),
            Op::SNegate => self.unary(instruction, Unary::Negate, signed),
            Op::Not => self.unary(instruction, Unary::BitwiseNot, None),
            Op::LogicalNot => self.unary(instruction, Unary::LogicalNot, None),

            Op::FAdd => self.binary(instruction, Binary::Add, None),
            Op::FSub => self.binary(instruction, Binary::Subtract, None),
            Op::FMul => self.binary(instruction, Binary::Multiply, None),
            Op::FDiv => self.binary(instruction, Binary::Divide, None),
            Op::FRem => self.binary(instruction, Binary::Modulo, None),
            Op::FMod => self.float_modulo(instruction),
            Op::IAdd => self.binary(instruction, Binary::Add, own),
            Op::ISub => self.binary(instruction, Binary::Subtract, own),
            Op::IMul => self.binary(instruction, Binary::Multiply, own),
            Op::UDiv => self.binary(instruction, Binary::Divide, unsigned),
            Op::UMod => self.binary(instruction, Binary::Modulo, unsigned),
            Op::SDiv => self.binary(instruction, Binary::Divide, signed),
            Op::SRem => self.binary(instruction, Binary::Modulo, signed),
            Op::SMod => self.signed_modulo(instruction),
            Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix => self.binary(instruction, Binary::Multiply, None),
            Op::OuterProduct => self.outer_product(instruction),
            Op::Dot => self.math2(instruction, Math::Dot),
            Op::Transpose => self.math1(instruction, Math::Transpose),

            Op::BitwiseAnd => self.binary(instruction, Binary::And, own),
            Op::BitwiseOr => self.binary(instruction, Binary::InclusiveOr, own),
            Op::BitwiseXor => self.binary(instruction, Binary::ExclusiveOr, own),
            Op::ShiftLeftLogical => self.shift(instruction, Binary::ShiftLeft, own),
            Op::ShiftRightLogical => self.shift(instruction, Binary::ShiftRight, unsigned),
            Op::ShiftRightArithmetic => self.shift(instruction, Binary::ShiftRight, signed),
            Op::BitReverse => self.math1(instruction, Math::ReverseBits),
            Op::BitCount => self.bit_count(instruction),
            Op::BitFieldInsert => self.bit_field(instruction, Math::InsertBits, own),
            Op::BitFieldSExtract => self.bit_field(instruction, Math::ExtractBits, signed),
            Op::BitFieldUExtract => self.bit_field(instruction, Math::ExtractBits, unsigned),

            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(instruction)
            }

            Op::LogicalAnd => self.logic(instruction, Binary::LogicalAnd, Binary::And),
            Op::LogicalOr => self.logic(instruction, Binary::LogicalOr, Binary::InclusiveOr),
            Op::Any => self.relational(instruction, RelationalFunction::Any),
            Op::All => self.relational(instruction, RelationalFunction::All),
            _ => Err(instruction.unsupported("this instruction")),
        }
    }

    pub(super) fn derivatives(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        use {DerivativeAxis as Axis, DerivativeControl as Control};
        let (axis, control) = match instruction.op {
            Op::DPdx => (Axis::X, Control::None),
            Op::DPdy => (Axis::Y, Control::None),
            Op::Fwidth => (Axis::Width, Control::None),
            Op::DPdxFine => (Axis::X, Control::Fine),
            Op::DPdyFine => (Axis::Y, Control::Fine),
            Op::FwidthFine => (Axis::Width, Control::Fine),
            Op::DPdxCoarse => (Axis::X, Control::Coarse),
            Op::DPdyCoarse => (Axis::Y, Control::Coarse),
            Op::FwidthCoarse => (Axis::Width, Control::Coarse),
            _ => return Err(instruction.unsupported("this instruction")),
        };
        let value = self.derivative(instruction, axis, control)?;
        self.set(instruction, value)
    }

    /// The naga scalar of a scalar, vector or matrix type.
    pub(crate) fn scalar(&mut self, ty: Id) -> Result<Scalar> {
        let handle = self.reader.value_type(ty)?;
        match &self.reader.module.types[handle].inner {
            TypeInner::Scalar(scalar)
            | TypeInner::Vector { scalar, .. }
            | TypeInner::Matrix { scalar, .. } => Ok(*scalar),
            _ => Err(ReadError::invalid(format!("{ty} is not made of numbers"))),
        }
    }

    /// An operand, bitcast to integers of this signedness if it has the other.
    pub(crate) fn operand(&mut self, id: Id, kind: Option<ScalarKind>) -> Result<Expr> {
        let expr = self.value(id)?;
        self.with_kind_of(id, expr, kind)
    }

    /// The same for an operand whose expression is known.
    pub(crate) fn with_kind_of(
        &mut self,
        id: Id,
        expr: Expr,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        if kind.is_none() {
            return Ok(expr);
        }
        let ty = self.type_id(id)?;
        let Scalar { kind: is, width } = self.scalar(ty)?;
        match kind {
            Some(kind) if kind != is && is != ScalarKind::Bool => {
                // The extension of a narrow integer depends on its signedness.
                if let Some(bits) = self.narrow_bits(ty)? {
                    let value = self.add(Expression::As {
                        expr,
                        kind,
                        convert: None,
                    });
                    return Ok(self.low_bits(value, bits));
                }
                match self.literal_with_sign(expr, kind) {
                    Some(literal) => Ok(literal),
                    None => Ok(self.reinterpreted(expr, is, Scalar { kind, width })),
                }
            }
            _ => Ok(expr),
        }
    }

    /// The width of an 8- or 16-bit integer type; `None` for all other types.
    pub(crate) fn narrow_bits(&self, ty: Id) -> Result<Option<u32>> {
        let scalar = self.reader.types.scalar(ty)?;
        Ok(match *self.reader.types.get(scalar)? {
            Type::Int {
                bits: bits @ (8 | 16),
                ..
            } => Some(bits),
            _ => None,
        })
    }

    /// The lowest `bits` of a 32-bit integer, sign- or zero-extended according to its type.
    pub(crate) fn low_bits(&mut self, arg: Expr, bits: u32) -> Expr {
        let arg1 = Some(self.literal(Literal::U32(0)));
        let arg2 = Some(self.literal(Literal::U32(bits)));
        self.add(Expression::Math {
            fun: Math::ExtractBits,
            arg,
            arg1,
            arg2,
            arg3: None,
        })
    }

    /// Converts a result with scalar kind `is` to the module's type: wraps narrow integers and bitcasts to the
    /// signedness.
    pub(crate) fn result(&mut self, ty: Id, expr: Expr, is: Option<ScalarKind>) -> Result<Expr> {
        let scalar = self.scalar(ty)?;
        let narrowed = self.narrowed(ty, expr, is.unwrap_or(scalar.kind))?;
        Ok(match is {
            Some(is) if is != scalar.kind => self.reinterpreted(narrowed, is, scalar),
            _ => narrowed,
        })
    }

    /// Wraps an 8- or 16-bit integer to its width.
    pub(crate) fn narrowed(&mut self, ty: Id, arg: Expr, is: ScalarKind) -> Result<Expr> {
        let scalar = self.reader.types.scalar(ty)?;
        let Type::Int {
            bits: bits @ (8 | 16),
            is_signed,
        } = *self.reader.types.get(scalar)?
        else {
            return Ok(arg);
        };
        let kind = if is_signed {
            ScalarKind::Sint
        } else {
            ScalarKind::Uint
        };
        let arg = if is == kind {
            arg
        } else {
            self.add(Expression::As {
                expr: arg,
                kind,
                convert: None,
            })
        };
        let narrow = self.low_bits(arg, bits);
        Ok(if is == kind {
            narrow
        } else {
            self.add(Expression::As {
                expr: narrow,
                kind: is,
                convert: None,
            })
        })
    }

    /// Bitcasts integers to the signedness of a type.
    pub(crate) fn bitcast(&mut self, expr: Expr, ty: Id) -> Result<Expr> {
        let kind = self.scalar(ty)?.kind;
        Ok(self.add(Expression::As {
            expr,
            kind,
            convert: None,
        }))
    }

    pub(crate) fn two(&mut self, op: Binary, left: Expr, right: Expr) -> Expr {
        self.add(Expression::Binary { op, left, right })
    }

    pub(crate) fn not(&mut self, expr: Expr) -> Expr {
        let op = Unary::LogicalNot;
        self.add(Expression::Unary { op, expr })
    }

    /// A literal, splatted if the type is a vector.
    pub(crate) fn number(&mut self, ty: Id, literal: Literal) -> Result<Expr> {
        let value = self.literal(literal);
        Ok(match self.inner(ty)? {
            TypeInner::Vector { size, .. } => self.add(Expression::Splat { size, value }),
            _ => value,
        })
    }

    fn unary(
        &mut self,
        instruction: &Instruction<'_>,
        op: Unary,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let own = self.scalar(instruction.result_type()?)?.kind;
        let kind = kind.or(Some(own).filter(|kind| *kind != ScalarKind::Float));
        let expr = self.operand(instruction.id(0)?, kind)?;
        let value = self.add(Expression::Unary { op, expr });
        self.result(instruction.result_type()?, value, kind)
    }

    pub(super) fn binary(
        &mut self,
        instruction: &Instruction<'_>,
        op: Binary,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let left = self.operand(instruction.id(0)?, kind)?;
        let right = match op {
            Binary::Divide | Binary::Modulo => self.divisor_operand(instruction.id(1)?, kind)?,
            _ => self.operand(instruction.id(1)?, kind)?,
        };
        let value = self.two(op, left, right);
        self.result(instruction.result_type()?, value, kind)
    }

    /// A quotient or a remainder with WGSL's semantics.
    pub(super) fn guarded(&mut self, op: Binary, left: Id, right: Id) -> Result<Expr> {
        let left = self.value(left)?;
        let right = self.divisor_operand(right, None)?;
        Ok(self.two(op, left, right))
    }

    /// A divisor. WGSL rejects constant divisors of zero, although a division by zero at run time has a defined
    /// result.
    fn divisor_operand(&mut self, id: Id, kind: Option<ScalarKind>) -> Result<Expr> {
        if self.reader.constants.any_integer(id, &|value| value == 0) {
            self.hidden_operand(id, kind)
        } else {
            self.operand(id, kind)
        }
    }

    /// A hidden constant, bitcast to this signedness.
    pub(crate) fn hidden_operand(&mut self, id: Id, kind: Option<ScalarKind>) -> Result<Expr> {
        let value = self.hidden(id)?;
        self.with_kind_of(id, value, kind)
    }

    /// Hides a constant from the constant evaluation of compilers: it is stored to and loaded from a local variable.
    pub(crate) fn hidden(&mut self, id: Id) -> Result<Expr> {
        let value = self.value(id)?;
        let ty = self.type_of(id)?;
        let local = self.local(Some("constant".to_owned()), ty);
        self.store_local(local, value);
        Ok(self.load_local(local))
    }

    fn shift(
        &mut self,
        instruction: &Instruction<'_>,
        op: Binary,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let left = self.operand(instruction.id(0)?, kind)?;
        let expr = self.operand(instruction.id(1)?, Some(ScalarKind::Uint))?;
        let ty = self.type_id(instruction.id(1)?)?;
        let right = match self.scalar(ty)?.width {
            4 => expr,
            _ => self.add(Expression::As {
                expr,
                kind: ScalarKind::Uint,
                convert: Some(4),
            }),
        };
        let result = instruction.result_type()?;
        let bits = u32::from(self.scalar(result)?.width) * 8;
        // A shift by the width or more is undefined in SPIR-V; WGSL rejects it if the amount is constant.
        let is_beyond = |amount: i64| !(0..i64::from(bits)).contains(&amount);
        let right = if self
            .reader
            .constants
            .any_integer(instruction.id(1)?, &is_beyond)
        {
            let mask = self.number(result, Literal::U32(bits - 1))?;
            self.two(Binary::And, right, mask)
        } else {
            right
        };
        let value = self.two(op, left, right);
        self.result(result, value, kind)
    }

    fn float_modulo(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (left, right) = (
            self.value(instruction.id(0)?)?,
            self.value(instruction.id(1)?)?,
        );
        let arg = self.two(Binary::Divide, left, right);
        let floor = self.function_of(Math::Floor, &[arg]);
        let whole = self.two(Binary::Multiply, right, floor);
        Ok(self.two(Binary::Subtract, left, whole))
    }

    /// The remainder with the sign of the divisor (`OpSMod`).
    fn signed_modulo(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let signed = Some(ScalarKind::Sint);
        let ty = instruction.result_type()?;
        let left = self.operand(instruction.id(0)?, signed)?;
        let right = self.divisor_operand(instruction.id(1)?, signed)?;
        let rest = self.two(Binary::Modulo, left, right);
        let is_narrow = self.narrow_bits(ty)?.is_some();
        if !is_narrow
            && self.is_never_negative(instruction.id(0)?)
            && self.is_never_negative(instruction.id(1)?)
        {
            return self.result(ty, rest, signed);
        }
        let zero = match self.scalar(ty)?.width {
            8 => Literal::I64(0),
            _ => Literal::I32(0),
        };
        let zero = self.number(ty, zero)?;
        let signs = self.two(Binary::ExclusiveOr, rest, right);
        let differ = self.two(Binary::Less, signs, zero);
        let is_rest = self.two(Binary::NotEqual, rest, zero);
        let condition = self.both(ty, is_rest, differ)?;
        let moved = self.two(Binary::Add, rest, right);
        let value = self.add(Expression::Select {
            condition,
            accept: moved,
            reject: rest,
        });
        self.result(ty, value, signed)
    }

    fn derivative(
        &mut self,
        instruction: &Instruction<'_>,
        axis: DerivativeAxis,
        ctrl: DerivativeControl,
    ) -> Result<Expr> {
        let expr = self.value(instruction.id(0)?)?;
        Ok(self.add(Expression::Derivative { axis, ctrl, expr }))
    }

    /// A call of a naga math function.
    pub(crate) fn function_of(&mut self, fun: Math, arguments: &[Expr]) -> Expr {
        let argument = |at: usize| arguments.get(at).copied();
        self.add(Expression::Math {
            fun,
            arg: arguments[0],
            arg1: argument(1),
            arg2: argument(2),
            arg3: argument(3),
        })
    }

    fn math1(&mut self, instruction: &Instruction<'_>, fun: Math) -> Result<Expr> {
        let argument = self.value(instruction.id(0)?)?;
        Ok(self.function_of(fun, &[argument]))
    }

    fn math2(&mut self, instruction: &Instruction<'_>, fun: Math) -> Result<Expr> {
        let arguments = [
            self.value(instruction.id(0)?)?,
            self.value(instruction.id(1)?)?,
        ];
        Ok(self.function_of(fun, &arguments))
    }

    /// Each column is the first vector times a component of the second. naga has `outer` for square matrices only.
    fn outer_product(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (left, right) = (
            self.value(instruction.id(0)?)?,
            self.value(instruction.id(1)?)?,
        );
        let ty = instruction.result_type()?;
        let TypeInner::Matrix { columns, rows, .. } = self.inner(ty)? else {
            return Err(instruction.invalid("its result is no matrix"));
        };
        if columns == rows {
            return Ok(self.function_of(Math::Outer, &[left, right]));
        }
        let mut components = Vec::new();
        for index in 0..columns as u32 {
            let factor = self.add(Expression::AccessIndex { base: right, index });
            components.push(self.two(Binary::Multiply, left, factor));
        }
        let ty = self.reader.value_type(ty)?;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    fn bit_count(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        // A negative narrow integer is sign-extended to 32 bits, so its zero-extended bits are counted.
        let unsigned = Some(ScalarKind::Uint);
        let argument = self.operand(instruction.id(0)?, unsigned)?;
        let count = self.function_of(Math::CountOneBits, &[argument]);
        self.result(instruction.result_type()?, count, unsigned)
    }

    fn bit_field(
        &mut self,
        instruction: &Instruction<'_>,
        fun: Math,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let unsigned = Some(ScalarKind::Uint);
        let values = if fun == Math::InsertBits { 2 } else { 1 };
        let mut arguments = Vec::new();
        for at in 0..values + 2 {
            if at < values {
                arguments.push(self.operand(instruction.id(at)?, kind)?);
                continue;
            }
            // A constant range beyond the width is undefined in SPIR-V and an error in WGSL.
            let constants = &self.reader.constants;
            let bits = constants.integer(instruction.id(values)?);
            let bits = bits.zip(constants.integer(instruction.id(values + 1)?));
            let is_beyond = bits.is_some_and(|(first, count)| first.saturating_add(count) > 32);
            let mut place = if is_beyond {
                self.hidden_operand(instruction.id(at)?, unsigned)?
            } else {
                self.operand(instruction.id(at)?, unsigned)?
            };
            let ty = self.type_id(instruction.id(at)?)?;
            if self.scalar(ty)?.width != 4 {
                place = self.converted(place, Scalar::U32);
            }
            arguments.push(place);
        }
        let value = self.function_of(fun, &arguments);
        self.result(instruction.result_type()?, value, kind)
    }
}
