//! Image queries: sizes, levels and samples.

use anywarp_program::naga::{BinaryOperator, Expression, ImageQuery, Literal, Scalar, TypeInner};
use rspirv::spirv::{Dim, Op};

use super::{Body, Expr};
use crate::error::Result;
use crate::module::Instruction;
use crate::read::layout::vector_size;
use crate::read::types::Usage;

/// The number of faces of a cube.
const SIDES: u32 = 6;

impl Body<'_, '_> {
    pub(super) fn query_size(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let image = self.image_of(instruction.id(0)?, false)?;
        let level = match instruction.op {
            Op::ImageQuerySizeLod if image.class.is_mipmapped() => {
                let id = instruction.id(1)?;
                let ty = self.type_id(id)?;
                let (_, scalar) = self.shape(ty)?;
                let level = self.value(id)?;
                Some(self.recast(level, scalar, Scalar { width: 4, ..scalar }))
            }
            _ => None,
        };
        let query = ImageQuery::Size { level };
        let expression = image.expression;
        let size = self.add(Expression::ImageQuery {
            image: expression,
            query,
        });
        let is_cube = image.declared.dim == Dim::DimCube;
        let mut components = vec![size];
        let mut count = if is_cube { 2 } else { image.dimensions() };
        if image.declared.is_arrayed {
            let query = ImageQuery::NumLayers;
            let mut layers = self.add(Expression::ImageQuery {
                image: expression,
                query,
            });
            if is_cube && image.declared.usage == Usage::Storage {
                let resource_kinds = self.literal(Literal::U32(SIDES));
                let divide = BinaryOperator::Divide;
                layers = self.two(divide, layers, resource_kinds);
            }
            components.push(layers);
            count += 1;
        }
        let size = match components.as_slice() {
            [only] => *only,
            _ => {
                let ty = TypeInner::Vector {
                    size: vector_size(count)?,
                    scalar: Scalar::U32,
                };
                let ty = self.reader.insert_type(ty);
                self.add(Expression::Compose { ty, components })
            }
        };
        let (wanted, to) = self.shape(instruction.result_type()?)?;
        let size = self.first(size, count, wanted)?;
        Ok(self.recast(size, Scalar::U32, to))
    }

    pub(super) fn query_number(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let image = self.image_of(instruction.id(0)?, false)?;
        let query = match instruction.op {
            Op::ImageQueryLevels => ImageQuery::NumLevels,
            _ => ImageQuery::NumSamples,
        };
        let number = self.add(Expression::ImageQuery {
            image: image.expression,
            query,
        });
        let (_, to) = self.shape(instruction.result_type()?)?;
        Ok(self.recast(number, Scalar::U32, to))
    }
}
