//! Texture gathers, and instructions expanded to gathers: nearest-neighbor sampling of integer images, and gathers
//! with four offsets or with offsets known only at run time.

use anywarp_program::naga::{
    BinaryOperator, Expression, ImageQuery, Literal, MathFunction, SampleLevel, Scalar, ScalarKind,
    SwizzleComponent, VectorSize,
};
use rspirv::spirv::Dim;

use super::operands::Operands;
use super::sample::{OFFSETS, parts};
use super::{Body, Coordinate, Expr, Image};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::constants::Constant;
use crate::read::images::{LevelOfDetail, Sampling, level};

/// The component of a gather result with the texel at the lowest coordinates.
const LOWEST: u32 = 3;

struct Gather {
    image: Image,
    sampler: Expr,
    coordinate: Coordinate,
    component: SwizzleComponent,
    depth_ref: Option<Expr>,
}

impl Body<'_, '_> {
    /// Samples an integer image, which WGSL cannot sample, at level 0 by gathers. Samplers of integer images are
    /// nearest-neighbor: the gather is at the corner after the nearest texel, where that texel is the one with the
    /// lowest coordinates, whatever the address mode.
    pub(super) fn nearest_texel(
        &mut self,
        instruction: &Instruction<'_>,
        image: &Image,
        sampling: &Sampling,
        operands: &Operands,
    ) -> Result<Expr> {
        let level = operands
            .lod
            .map(|lod| level(self.reader.spirv, lod))
            .transpose()?;
        if image.declared.dim != Dim::Dim2D || level != Some(LevelOfDetail::Constant(0)) {
            let feature = "sampling images of integers other than level 0 of two dimensions";
            return Err(instruction.unsupported(feature));
        }
        let sampler = self.sampler_of(instruction.id(0)?, false)?;
        let mut coordinate = self.coordinate(instruction.id(1)?, image)?;
        if sampling.projects {
            let divisor = self.divisor(instruction.id(1)?, image)?;
            coordinate.at = self.divided(coordinate.at, divisor, image.dimensions())?;
        }
        let size = self.first_size(image);
        let texels = self.two(BinaryOperator::Multiply, coordinate.at, size);
        let nearest = self.function_of(MathFunction::Floor, &[texels]);
        coordinate.at = self.corner_behind(nearest, size);
        let offset = self.texel_offset(instruction, image, operands.offset)?;
        let mut components = Vec::new();
        for component in SwizzleComponent::XYZW {
            let gather = Gather {
                image: *image,
                sampler,
                coordinate,
                component,
                depth_ref: None,
            };
            let texels = self.gather_at(&gather, offset);
            components.push(self.component(texels, LOWEST));
        }
        let texel = self.vector(components, image.scalar())?;
        self.texel_result(texel, image, instruction.result_type()?)
    }

    /// The size of level 0 of a 2D image, as floats.
    fn first_size(&mut self, image: &Image) -> Expr {
        let first = self.literal(Literal::I32(0));
        let query = ImageQuery::Size { level: Some(first) };
        let expr = self.add(Expression::ImageQuery {
            image: image.expression,
            query,
        });
        self.add(Expression::As {
            expr,
            kind: ScalarKind::Float,
            convert: Some(4),
        })
    }

    /// The coordinate of the corner between four texels, of which `texel` is the lowest. A gather there is not
    /// sensitive to rounding.
    fn corner_behind(&mut self, texel: Expr, size: Expr) -> Expr {
        let one = self.flat_vector(1.0);
        let corner = self.two(BinaryOperator::Add, texel, one);
        self.two(BinaryOperator::Divide, corner, size)
    }

    fn flat_vector(&mut self, value: f32) -> Expr {
        let value = self.literal(Literal::F32(value));
        let size = VectorSize::Bi;
        self.add(Expression::Splat { size, value })
    }

    /// The coordinate for a gather with an offset known only at run time.
    fn moved_coordinate(
        &mut self,
        instruction: &Instruction<'_>,
        at: Expr,
        image: &Image,
        offset: Id,
    ) -> Result<Expr> {
        if image.declared.dim != Dim::Dim2D {
            return Err(
                instruction.unsupported("an offset in other images than those of two dimensions")
            );
        }
        let ty = self.type_id(offset)?;
        let (count, _) = self.shape(ty)?;
        let expr = self.operand(offset, Some(ScalarKind::Sint))?;
        let expr = self.first(expr, count, image.dimensions())?;
        let offset = self.add(Expression::As {
            expr,
            kind: ScalarKind::Float,
            convert: Some(4),
        });
        let size = self.first_size(image);
        let texels = self.two(BinaryOperator::Multiply, at, size);
        let half = self.flat_vector(0.5);
        let texels = self.two(BinaryOperator::Subtract, texels, half);
        let lowest = self.function_of(MathFunction::Floor, &[texels]);
        let lowest = self.two(BinaryOperator::Add, lowest, offset);
        Ok(self.corner_behind(lowest, size))
    }

    /// Whether an offset is a constant in the range that WGSL allows.
    fn is_offset_of_wgsl(&self, offset: Id, image: &Image) -> bool {
        let parts = match self.reader.constants.get(offset) {
            Some((_, Constant::Composite(parts))) => parts.clone(),
            Some((_, Constant::Zero)) => return true,
            _ => return false,
        };
        let is_small = |part: &Id| {
            let value = self.reader.constants.integer(*part);
            value.is_some_and(|value| OFFSETS.contains(&(value as u32).cast_signed().into()))
        };
        parts.len() == image.dimensions() as usize && parts.iter().all(is_small)
    }

    pub(super) fn gather_texels(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (sampling, operands) = parts(instruction)?;
        operands.only(instruction, &["Offset", "ConstOffsets"])?;
        let image = self.image_of(instruction.id(0)?, sampling.compares)?;
        let ty = instruction.result_type()?;
        let component = if sampling.compares {
            0
        } else {
            self.gathered_component(instruction)?
        };
        if image.is_depth() && component > 0 {
            // The values that Vulkan specifies for the components that depth images lack.
            let value = if component == 3 { 1.0 } else { 0.0 };
            let value = self.literal(Literal::F32(value));
            let size = VectorSize::Quad;
            let value = self.add(Expression::Splat { size, value });
            let (_, to) = self.shape(ty)?;
            return Ok(self.recast(value, Scalar::F32, to));
        }
        let sampler = self.sampler_of(instruction.id(0)?, sampling.compares)?;
        let coordinate = self.coordinate(instruction.id(1)?, &image)?;
        let depth_ref = self.depth_ref(instruction, &sampling)?;
        let gather = Gather {
            image,
            sampler,
            coordinate,
            component: SwizzleComponent::XYZW[component as usize],
            depth_ref,
        };
        let texels = match operands.offsets {
            None => match operands
                .offset
                .filter(|offset| !self.is_offset_of_wgsl(*offset, &image))
            {
                None => {
                    let offset = self.texel_offset(instruction, &image, operands.offset)?;
                    self.gather_at(&gather, offset)
                }
                Some(offset) => {
                    let at = self.moved_coordinate(instruction, coordinate.at, &image, offset)?;
                    let coordinate = Coordinate { at, ..coordinate };
                    let gather = Gather {
                        coordinate,
                        ..gather
                    };
                    self.gather_at(&gather, None)
                }
            },
            // Each of the four texels has its own offset, at which it is the texel with the lowest coordinates.
            Some(offsets) => {
                let mut components = Vec::new();
                for offset in self.parts_of(instruction, offsets, 4)? {
                    let offset = self.texel_offset(instruction, &image, Some(offset))?;
                    let texels = self.gather_at(&gather, offset);
                    components.push(self.component(texels, LOWEST));
                }
                self.vector(components, image.scalar())?
            }
        };
        let (count, to) = self.shape(ty)?;
        let texels = self.first(texels, 4, count)?;
        Ok(self.recast(texels, image.scalar(), to))
    }

    fn gather_at(&mut self, gather: &Gather, offset: Option<Expr>) -> Expr {
        self.add(Expression::ImageSample {
            image: gather.image.expression,
            sampler: gather.sampler,
            gather: Some(gather.component),
            coordinate: gather.coordinate.at,
            array_index: gather.coordinate.layer,
            offset,
            level: SampleLevel::Zero,
            depth_ref: gather.depth_ref,
            clamp_to_edge: false,
        })
    }

    fn gathered_component(&mut self, instruction: &Instruction<'_>) -> Result<u32> {
        match self.reader.constants.integer(instruction.id(2)?) {
            Some(component @ 0..=3) => Ok(component as u32),
            Some(component) => {
                Err(instruction.invalid(format!("there is no component {component}")))
            }
            None => Err(instruction.unsupported("gathering a component that the pipeline chooses")),
        }
    }
}
