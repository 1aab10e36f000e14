//! Geometric functions, including the scalar forms that WGSL lacks; a scalar is treated as a vector of one component.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, MathFunction as Math, Scalar, ScalarKind, TypeInner,
    UnaryOperator,
};
use rspirv::spirv::GlslStd450Op as Glsl;

use super::{Expr, argument};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::Body;

impl Body<'_, '_> {
    pub(super) fn geometry(
        &mut self,
        instruction: &Instruction<'_>,
        function: Glsl,
    ) -> Result<Expr> {
        let ty = instruction.result_type()?;
        let first = self.value(argument(instruction, 0)?)?;
        let is_scalar = matches!(self.inner(ty)?, TypeInner::Scalar(_));
        if function == Glsl::Normalize {
            let math = if is_scalar {
                Math::Sign
            } else {
                Math::Normalize
            };
            return Ok(self.function_of(math, &[first]));
        }
        let second = self.value(argument(instruction, 1)?)?;
        match (function, is_scalar) {
            (Glsl::Reflect, false) => Ok(self.function_of(Math::Reflect, &[first, second])),
            (Glsl::Reflect, true) => {
                let dot = self.two(Binary::Multiply, second, first);
                let two = self.float(ty, 2.0)?;
                let twice = self.two(Binary::Multiply, two, dot);
                let along = self.two(Binary::Multiply, twice, second);
                Ok(self.two(Binary::Subtract, first, along))
            }
            (Glsl::FaceForward, false) => {
                let third = self.value(argument(instruction, 2)?)?;
                Ok(self.function_of(Math::FaceForward, &[first, second, third]))
            }
            (Glsl::FaceForward, true) => {
                let third = self.value(argument(instruction, 2)?)?;
                self.scalar_face_forward(ty, first, second, third)
            }
            (_, false) => {
                let ratio = self.ratio(instruction, ty)?;
                Ok(self.function_of(Math::Refract, &[first, second, ratio]))
            }
            (_, true) => {
                let ratio = self.ratio(instruction, ty)?;
                self.scalar_refract(ty, first, second, ratio)
            }
        }
    }

    /// The ratio of indices for `Refract`, which may have another width than the vectors.
    fn ratio(&mut self, instruction: &Instruction<'_>, ty: Id) -> Result<Expr> {
        let id = argument(instruction, 2)?;
        let ratio = self.value(id)?;
        let is = self.type_id(id)?;
        let (is, width) = (self.scalar(is)?.width, self.scalar(ty)?.width);
        Ok(if is == width {
            ratio
        } else {
            self.converted(
                ratio,
                Scalar {
                    kind: ScalarKind::Float,
                    width,
                },
            )
        })
    }

    fn scalar_face_forward(
        &mut self,
        ty: Id,
        normal: Expr,
        incident: Expr,
        reference: Expr,
    ) -> Result<Expr> {
        let dot = self.two(Binary::Multiply, reference, incident);
        let zero = self.float(ty, 0.0)?;
        let condition = self.two(Binary::Less, dot, zero);
        let op = UnaryOperator::Negate;
        let reject = self.add(Expression::Unary { op, expr: normal });
        Ok(self.add(Expression::Select {
            condition,
            accept: normal,
            reject,
        }))
    }

    fn scalar_refract(
        &mut self,
        ty: Id,
        incident: Expr,
        normal: Expr,
        ratio: Expr,
    ) -> Result<Expr> {
        let one = self.float(ty, 1.0)?;
        let zero = self.float(ty, 0.0)?;
        let dot = self.two(Binary::Multiply, normal, incident);
        let square = self.two(Binary::Multiply, dot, dot);
        let rest = self.two(Binary::Subtract, one, square);
        let ratios = self.two(Binary::Multiply, ratio, ratio);
        let bent = self.two(Binary::Multiply, ratios, rest);
        let k = self.two(Binary::Subtract, one, bent);
        let root = self.function_of(Math::Sqrt, &[k]);
        let along = self.two(Binary::Multiply, ratio, dot);
        let along = self.two(Binary::Add, along, root);
        let along = self.two(Binary::Multiply, along, normal);
        let onward = self.two(Binary::Multiply, ratio, incident);
        let value = self.two(Binary::Subtract, onward, along);
        let condition = self.two(Binary::Less, k, zero);
        Ok(self.add(Expression::Select {
            condition,
            accept: zero,
            reject: value,
        }))
    }
}
