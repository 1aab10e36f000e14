//! Integer dot products, of vectors and of packed 4x8-bit integers.
//!
//! Components are first extended to the result type, each vector by the signedness that the instruction specifies for
//! it. Sums wrap around; in the saturating forms only the final accumulation saturates.

use crate::read::function::Expr;
use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, MathFunction as Math, Scalar, ScalarKind,
    TypeInner,
};
use rspirv::spirv::{Op, PackedVectorFormat};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

impl Body<'_, '_> {
    pub(super) fn integer_dot(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        use ScalarKind::{Sint, Uint};
        let (left, right, saturates) = match instruction.op {
            Op::SDot => (Sint, Sint, false),
            Op::UDot => (Uint, Uint, false),
            Op::SUDot => (Sint, Uint, false),
            Op::SDotAccSat => (Sint, Sint, true),
            Op::UDotAccSat => (Uint, Uint, true),
            Op::SUDotAccSat => (Sint, Uint, true),
            _ => return Err(instruction.unsupported("this instruction")),
        };
        let ty = instruction.result_type()?;
        let scalar = Scalar {
            kind: left,
            width: self.scalar(ty)?.width,
        };
        let format = instruction.optional(if saturates { 3 } else { 2 });
        let left = self.widened(instruction, instruction.id(0)?, left, scalar, format)?;
        let right = self.widened(instruction, instruction.id(1)?, right, scalar, format)?;
        let mut value = self.function_of(Math::Dot, &[left, right]);
        if saturates {
            let more = self.operand(instruction.id(2)?, Some(scalar.kind))?;
            value = self.saturating_sum(ty, scalar, value, more)?;
        }
        let value = self.result(ty, value, Some(scalar.kind))?;
        self.set(instruction, value)
    }

    /// The components of a vector, extended with this signedness to the result scalar.
    fn widened(
        &mut self,
        instruction: &Instruction<'_>,
        id: Id,
        sign: ScalarKind,
        to: Scalar,
        format: Option<u32>,
    ) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let mut value = self.operand(id, Some(sign))?;
        let mut from = Scalar {
            kind: sign,
            width: self.scalar(ty)?.width,
        };
        if matches!(self.inner(ty)?, TypeInner::Scalar(_)) {
            let packed = format.and_then(PackedVectorFormat::from_u32);
            if packed != Some(PackedVectorFormat::PackedVectorFormat4x8Bit) || from.width != 4 {
                return Err(instruction.invalid("its operand is neither a vector nor four bytes"));
            }
            let bits = self.operand(id, Some(ScalarKind::Uint))?;
            value = match sign {
                ScalarKind::Sint => self.function_of(Math::Unpack4xI8, &[bits]),
                _ => self.function_of(Math::Unpack4xU8, &[bits]),
            };
            from.width = 4;
        }
        if from.width != to.width {
            from.width = to.width;
            value = self.converted(value, from);
        }
        Ok(if from.kind == to.kind {
            value
        } else {
            self.add(Expression::As {
                expr: value,
                kind: to.kind,
                convert: None,
            })
        })
    }

    /// Saturating addition.
    fn saturating_sum(&mut self, ty: Id, scalar: Scalar, left: Expr, right: Expr) -> Result<Expr> {
        let sum = self.two(Binary::Add, left, right);
        let is_signed = scalar.kind == ScalarKind::Sint;
        if let Some(bits) = self.narrow_bits(ty)? {
            // The sum of narrow integers does not overflow 32 bits.
            let last = u32::MAX >> (32 - bits);
            if !is_signed {
                let last = self.literal(Literal::U32(last));
                return Ok(self.function_of(Math::Min, &[sum, last]));
            }
            let last = (last >> 1).cast_signed();
            let (low, high) = (Literal::I32(-last - 1), Literal::I32(last));
            let (low, high) = (self.literal(low), self.literal(high));
            return Ok(self.function_of(Math::Clamp, &[sum, low, high]));
        }
        let is_wide = scalar.width == 8;
        if !is_signed {
            let condition = self.two(Binary::Less, sum, left);
            let accept = self.literal(if is_wide {
                Literal::U64(u64::MAX)
            } else {
                Literal::U32(u32::MAX)
            });
            return Ok(self.add(Expression::Select {
                condition,
                accept,
                reject: sum,
            }));
        }
        let (zero, low, high) = if is_wide {
            (
                Literal::I64(0),
                Literal::I64(i64::MIN),
                Literal::I64(i64::MAX),
            )
        } else {
            (
                Literal::I32(0),
                Literal::I32(i32::MIN),
                Literal::I32(i32::MAX),
            )
        };
        let (zero, low, high) = (self.literal(zero), self.literal(low), self.literal(high));
        // Signed overflow: the sum has the opposite sign of both operands.
        let left_differs = self.two(Binary::ExclusiveOr, sum, left);
        let right_differs = self.two(Binary::ExclusiveOr, sum, right);
        let differs = self.two(Binary::And, left_differs, right_differs);
        let is_over = self.two(Binary::Less, differs, zero);
        let is_negative = self.two(Binary::Less, left, zero);
        let limit = self.add(Expression::Select {
            condition: is_negative,
            accept: low,
            reject: high,
        });
        Ok(self.add(Expression::Select {
            condition: is_over,
            accept: limit,
            reject: sum,
        }))
    }
}
