//! Atomic instructions on texels.
//!
//! naga has those that give nothing back. One whose old value is used is unsupported.

use anywarp_program::naga::{
    AtomicFunction, Expression, Literal, Scalar, ScalarKind, Statement, UnaryOperator,
};
use rspirv::spirv::Op;

use super::{Body, Image, Value};
use crate::error::Result;
use crate::module::{Id, Instruction};

/// Whether an instruction is atomic, on a texel or on anything else.
pub(super) fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
    )
}

impl Body<'_, '_> {
    /// Translates an atomic instruction on a texel; false for one on anything else.
    pub(super) fn image_atomic(&mut self, it: &Instruction<'_>) -> Result<bool> {
        let texel = self.reader.spirv.definition(it.id(0)?)?;
        if texel.op != Op::ImageTexelPointer {
            return Ok(false);
        }
        if it
            .result
            .is_some_and(|result| self.reader.images.is_used(result))
        {
            let feature = "what an atomic instruction on an image gives back, which WGSL has not";
            return Err(it.unsupported(feature));
        }
        let pointer = self.pointer(texel.id(0)?)?;
        let image = self.image_at(&pointer, false)?;
        let coordinate = self.texel_coordinate(texel.id(1)?, &image, None)?;
        let (fun, value) = self.texel_operation(it, &image)?;
        self.push(Statement::ImageAtomic {
            image: image.expression,
            coordinate: coordinate.at,
            array_index: coordinate.layer,
            fun,
            value,
        });
        Ok(true)
    }

    fn texel_operation(
        &mut self,
        it: &Instruction<'_>,
        image: &Image,
    ) -> Result<(AtomicFunction, Value)> {
        let fun = match it.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicIAdd | Op::AtomicISub => {
                AtomicFunction::Add
            }
            Op::AtomicSMin | Op::AtomicUMin => AtomicFunction::Min,
            Op::AtomicSMax | Op::AtomicUMax => AtomicFunction::Max,
            Op::AtomicAnd => AtomicFunction::And,
            Op::AtomicOr => AtomicFunction::InclusiveOr,
            Op::AtomicXor => AtomicFunction::ExclusiveOr,
            _ => return Err(it.unsupported("this atomic instruction on an image")),
        };
        let scalar = image.scalar();
        let wanted = match it.op {
            Op::AtomicSMin | Op::AtomicSMax => Some(ScalarKind::Sint),
            Op::AtomicUMin | Op::AtomicUMax => Some(ScalarKind::Uint),
            _ => None,
        };
        if wanted.is_some_and(|kind| kind != scalar.kind) {
            let feature = "a minimum or maximum of another sign than the image has";
            return Err(it.unsupported(feature));
        }
        let value = match it.op {
            Op::AtomicIIncrement => self.unit(scalar, 1),
            Op::AtomicIDecrement => self.unit(scalar, -1),
            Op::AtomicISub => {
                let signed = Scalar {
                    kind: ScalarKind::Sint,
                    ..scalar
                };
                let value = self.texel_operand(it.id(3)?, signed)?;
                let op = UnaryOperator::Negate;
                let value = self.add(Expression::Unary { op, expr: value });
                self.converted(value, signed, scalar)
            }
            _ => self.texel_operand(it.id(3)?, scalar)?,
        };
        Ok((fun, value))
    }

    fn texel_operand(&mut self, id: Id, to: Scalar) -> Result<Value> {
        let ty = self.type_id(id)?;
        let (_, from) = self.shape(ty)?;
        let value = self.value(id)?;
        Ok(self.converted(value, from, to))
    }

    fn unit(&mut self, scalar: Scalar, value: i32) -> Value {
        self.literal(match (scalar.kind, scalar.width) {
            (ScalarKind::Uint, 8) => Literal::U64(i64::from(value).cast_unsigned()),
            (ScalarKind::Uint, _) => Literal::U32(value.cast_unsigned()),
            _ => Literal::I32(value),
        })
    }
}
