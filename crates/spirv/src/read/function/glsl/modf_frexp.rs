//! `Modf` and `Frexp`, with the second result in a struct or stored through a pointer.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, MathFunction as Math, PredeclaredType, Scalar,
    ScalarKind, TypeInner,
};
use rspirv::spirv::GlslStd450Op as Glsl;

use super::{Expr, argument};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::Body;
use crate::read::types::Type;

impl Body<'_, '_> {
    /// `Modf`: the fractional part and the whole part, both with the sign of the value.
    pub(super) fn modf(&mut self, instruction: &Instruction<'_>, function: Glsl) -> Result<Expr> {
        let ty = self.type_id(argument(instruction, 0)?)?;
        let value = self.value(argument(instruction, 0)?)?;
        let whole = self.function_of(Math::Trunc, &[value]);
        let rest = self.two(Binary::Subtract, value, whole);
        // The fraction of infinity is zero; the subtraction would give NaN.
        let sign = self.function_of(Math::Sign, &[value]);
        let zero = self.float(ty, 0.0)?;
        let zero = self.two(Binary::Multiply, sign, zero);
        let condition = self.two(Binary::Equal, whole, value);
        let rest = self.add(Expression::Select {
            condition,
            accept: zero,
            reject: rest,
        });
        self.two_results(instruction, function == Glsl::ModfStruct, rest, whole)
    }

    /// `Frexp`: the significand, in the range [0.5, 1), and the exponent.
    pub(super) fn frexp(&mut self, instruction: &Instruction<'_>, function: Glsl) -> Result<Expr> {
        let ty = self.type_id(argument(instruction, 0)?)?;
        let scalar = self.scalar(ty)?;
        if scalar.kind != ScalarKind::Float {
            return Err(instruction.invalid("its operand is not made of floats"));
        }
        let value = self.value(argument(instruction, 0)?)?;
        let (significand, exponent) = match scalar.width {
            8 => self.frexp_of_doubles(ty, value)?,
            2 => {
                // A 16-bit float and its parts are exact in 32 bits.
                let value = self.converted(value, Scalar::F32);
                let (significand, exponent) = self.frexp_of_floats(ty, value)?;
                (self.converted(significand, Scalar::F16), exponent)
            }
            _ => self.frexp_of_floats(ty, value)?,
        };
        let is_struct = function == Glsl::FrexpStruct;
        let exponent_type = if is_struct {
            self.member(instruction, 1)?
        } else {
            let pointer = self.pointer(argument(instruction, 1)?)?;
            self.pointee(&pointer)?
        };
        let to = self.scalar(exponent_type)?;
        let exponent = match to.width {
            4 => exponent,
            _ => self.converted(
                exponent,
                Scalar {
                    kind: ScalarKind::Sint,
                    width: to.width,
                },
            ),
        };
        let exponent = self.result(exponent_type, exponent, Some(ScalarKind::Sint))?;
        self.two_results(instruction, is_struct, significand, exponent)
    }

    fn frexp_of_floats(&mut self, ty: Id, value: Expr) -> Result<(Expr, Expr)> {
        let size = match self.inner(ty)? {
            TypeInner::Vector { size, .. } => Some(size),
            _ => None,
        };
        let scalar = Scalar::F32;
        let parts = PredeclaredType::FrexpResult { size, scalar };
        self.reader.module.generate_predeclared_type(parts);
        let base = self.function_of(Math::Frexp, &[value]);
        let significand = self.add(Expression::AccessIndex { base, index: 0 });
        let exponent = self.add(Expression::AccessIndex { base, index: 1 });
        Ok((significand, exponent))
    }

    /// WGSL has no 64-bit `frexp`: the exponent is extracted from the bits.
    fn frexp_of_doubles(&mut self, ty: Id, value: Expr) -> Result<(Expr, Expr)> {
        const EXPONENT: u64 = 0x7ff << 52;
        let bits = |body: &mut Self, expr| {
            body.add(Expression::As {
                expr,
                kind: ScalarKind::Uint,
                convert: None,
            })
        };
        let exponent_mask = self.number(ty, Literal::U64(EXPONENT))?;
        let zero_bits = self.number(ty, Literal::U64(0))?;
        // Normalizes subnormal numbers.
        let factor = self.float(ty, (1u64 << 54) as f64)?;
        let scaled = self.two(Binary::Multiply, value, factor);
        let own_bits = bits(self, value);
        let own_exponent = self.two(Binary::And, own_bits, exponent_mask);
        let is_small = self.two(Binary::Equal, own_exponent, zero_bits);
        let scaled_bits = bits(self, scaled);
        let all = self.add(Expression::Select {
            condition: is_small,
            accept: scaled_bits,
            reject: own_bits,
        });
        let others_mask = self.number(ty, Literal::U64(!EXPONENT))?;
        let half = self.number(ty, Literal::U64(1022 << 52))?;
        let fraction = self.two(Binary::And, all, others_mask);
        let fraction = self.two(Binary::InclusiveOr, fraction, half);
        let fraction = self.add(Expression::As {
            expr: fraction,
            kind: ScalarKind::Float,
            convert: None,
        });
        let exponent = self.two(Binary::And, all, exponent_mask);
        let places = self.number(ty, Literal::U32(52))?;
        let exponent = self.two(Binary::ShiftRight, exponent, places);
        let exponent = self.converted(exponent, Scalar::I32);
        let small_bias = self.number(ty, Literal::I32(1022 + 54))?;
        let bias = self.number(ty, Literal::I32(1022))?;
        let bias = self.add(Expression::Select {
            condition: is_small,
            accept: small_bias,
            reject: bias,
        });
        let exponent = self.two(Binary::Subtract, exponent, bias);
        // Zero, infinity and NaN are returned unchanged.
        let zero = self.float(ty, 0.0)?;
        let is_zero = self.two(Binary::Equal, value, zero);
        let is_special = self.two(Binary::Equal, own_exponent, exponent_mask);
        let condition = self.either(ty, is_zero, is_special)?;
        let none = self.number(ty, Literal::I32(0))?;
        let significand = self.add(Expression::Select {
            condition,
            accept: value,
            reject: fraction,
        });
        let exponent = self.add(Expression::Select {
            condition,
            accept: none,
            reject: exponent,
        });
        Ok((significand, exponent))
    }

    /// Returns both results as a struct, or the first, with the second stored through the pointer.
    fn two_results(
        &mut self,
        instruction: &Instruction<'_>,
        is_struct: bool,
        first: Expr,
        second: Expr,
    ) -> Result<Expr> {
        if is_struct {
            self.member(instruction, 1)?;
            let ty = self.reader.value_type(instruction.result_type()?)?;
            let components = vec![first, second];
            return Ok(self.add(Expression::Compose { ty, components }));
        }
        let pointer = self.pointer(argument(instruction, 1)?)?;
        self.store(&pointer, second)?;
        Ok(first)
    }

    /// The type of a member of the result struct.
    fn member(&self, instruction: &Instruction<'_>, at: usize) -> Result<Id> {
        let members = match self.reader.types.get(instruction.result_type()?)? {
            Type::Struct { members } => members.as_slice(),
            _ => &[],
        };
        let member = members.get(at).copied();
        member.ok_or_else(|| instruction.invalid("its result is no struct of two members"))
    }
}
