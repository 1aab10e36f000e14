//! Image sampling: implicit and explicit levels, gradients, depth comparison, projective coordinates and offsets.

use anywarp_program::naga::{
    BinaryOperator, Expression, ImageDimension, Literal, SampleLevel, Scalar, ScalarKind, TypeInner,
};

use super::operands::Operands;
use super::{Body, Expr, Image};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::constants::Constant;
use crate::read::images::{LevelOfDetail, Sampling, level, sampling};
use crate::read::layout::vector_size;

/// The constant texel offsets that WGSL allows.
pub(super) const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

impl Body<'_, '_> {
    pub(super) fn sample(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (sampling, operands) = parts(instruction)?;
        operands.only(instruction, &["Bias", "Lod", "Grad", "Offset"])?;
        let image = self.image_of(instruction.id(0)?, sampling.compares)?;
        if image.scalar().kind != ScalarKind::Float {
            return self.nearest_texel(instruction, &image, &sampling, &operands);
        }
        let sampler = self.sampler_of(instruction.id(0)?, sampling.compares)?;
        let mut coordinate = self.coordinate(instruction.id(1)?, &image)?;
        let mut depth_ref = self.depth_ref(instruction, &sampling)?;
        if sampling.projects {
            let divisor = self.divisor(instruction.id(1)?, &image)?;
            coordinate.at = self.divided(coordinate.at, divisor, image.dimensions())?;
            depth_ref = depth_ref.map(|depth| self.two(BinaryOperator::Divide, depth, divisor));
        }
        let level = self.level(instruction, &image, &sampling, &operands)?;
        let offset = self.texel_offset(instruction, &image, operands.offset)?;
        let texel = self.add(Expression::ImageSample {
            image: image.expression,
            sampler,
            gather: None,
            coordinate: coordinate.at,
            array_index: coordinate.layer,
            offset,
            level,
            depth_ref,
            clamp_to_edge: false,
        });
        self.texel_result(texel, &image, instruction.result_type()?)
    }

    pub(super) fn depth_ref(
        &mut self,
        instruction: &Instruction<'_>,
        sampling: &Sampling,
    ) -> Result<Option<Expr>> {
        if !sampling.compares {
            return Ok(None);
        }
        let id = instruction.id(2)?;
        let (_, from) = {
            let ty = self.type_id(id)?;
            self.shape(ty)?
        };
        let depth = self.value(id)?;
        Ok(Some(self.recast(depth, from, Scalar::F32)))
    }

    /// The divisor of a projective coordinate: the component after those of the position.
    pub(super) fn divisor(&mut self, id: Id, image: &Image) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let (count, scalar) = self.shape(ty)?;
        if image.has_layers() || count <= image.dimensions() {
            return Err(ReadError::invalid(format!(
                "{id} is no projective coordinate"
            )));
        }
        let whole = self.value(id)?;
        let divisor = self.component(whole, image.dimensions());
        Ok(self.recast(divisor, scalar, Scalar::F32))
    }

    pub(super) fn divided(&mut self, value: Expr, divisor: Expr, count: u32) -> Result<Expr> {
        let divisor = match count {
            1 => divisor,
            count => {
                let size = vector_size(count)?;
                self.add(Expression::Splat {
                    size,
                    value: divisor,
                })
            }
        };
        Ok(self.two(BinaryOperator::Divide, value, divisor))
    }

    fn level(
        &mut self,
        instruction: &Instruction<'_>,
        image: &Image,
        sampling: &Sampling,
        operands: &Operands,
    ) -> Result<SampleLevel> {
        let known = operands
            .lod
            .map(|lod| level(self.reader.spirv, lod))
            .transpose()?;
        if sampling.compares {
            if operands.bias.is_some() || operands.grad.is_some() {
                let feature = "comparing with a bias or gradients, which WGSL cannot";
                return Err(instruction.unsupported(feature));
            }
            return match known {
                None => Ok(SampleLevel::Auto),
                Some(LevelOfDetail::Constant(0)) => Ok(SampleLevel::Zero),
                Some(_) => {
                    Err(instruction.unsupported("comparing at a level of detail other than 0"))
                }
            };
        }
        if let Some(bias) = operands.bias {
            if image_dimension(image) == ImageDimension::D1 {
                return Err(instruction.unsupported("a bias for images of one dimension"));
            }
            return Ok(SampleLevel::Bias(self.float_operand(bias)?));
        }
        if let Some((x, y)) = operands.grad {
            let (x, y) = (self.gradient(x, image)?, self.gradient(y, image)?);
            return Ok(SampleLevel::Gradient { x, y });
        }
        let Some(lod) = operands.lod else {
            return Ok(SampleLevel::Auto);
        };
        if !image.is_depth() {
            return Ok(SampleLevel::Exact(self.float_operand(lod)?));
        }
        // The level of a depth texture is an integer.
        Ok(SampleLevel::Exact(match known {
            Some(LevelOfDetail::Constant(level)) => self.literal(Literal::I32(level)),
            Some(LevelOfDetail::Converted { from, is_signed }) => {
                let kind = if is_signed {
                    ScalarKind::Sint
                } else {
                    ScalarKind::Uint
                };
                let level = self.operand(from, Some(kind))?;
                let ty = self.type_id(from)?;
                let (_, scalar) = self.shape(ty)?;
                let scalar = Scalar { kind, ..scalar };
                self.recast(level, scalar, Scalar { kind, width: 4 })
            }
            _ => return Err(instruction.unsupported("a fraction of a level of a depth texture")),
        }))
    }

    /// An operand converted to f32.
    fn float_operand(&mut self, id: Id) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let (_, from) = self.shape(ty)?;
        let value = self.value(id)?;
        Ok(self.recast(value, from, Scalar::F32))
    }

    fn gradient(&mut self, id: Id, image: &Image) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let (count, from) = self.shape(ty)?;
        let value = self.value(id)?;
        let value = self.first(value, count, image.dimensions())?;
        Ok(self.recast(value, from, Scalar::F32))
    }

    /// A texel offset, which WGSL requires to be a constant expression.
    pub(super) fn texel_offset(
        &mut self,
        instruction: &Instruction<'_>,
        image: &Image,
        offset: Option<Id>,
    ) -> Result<Option<Expr>> {
        let Some(offset) = offset else {
            return Ok(None);
        };
        if image_dimension(image) == ImageDimension::D1 {
            // Only naga's native 1D textures would accept it.
            return Err(instruction.unsupported("an offset in images of one dimension"));
        }
        let count = image.dimensions();
        let mut components = Vec::new();
        for part in self.parts_of(instruction, offset, count)? {
            let Some(value) = self.reader.constants.integer(part) else {
                return Err(
                    instruction.unsupported("an offset that is not known when WGSL is compiled")
                );
            };
            // Some compilers declare negative offsets as unsigned integers.
            let value = i64::from((value as u32).cast_signed());
            if !OFFSETS.contains(&value) {
                return Err(instruction
                    .unsupported(format!("an offset of {value} texels; WGSL's are -8 to 7")));
            }
            components.push(self.literal(Literal::I32(value as i32)));
        }
        let size = vector_size(count)?;
        let ty = self.reader.insert_type(TypeInner::Vector {
            size,
            scalar: Scalar::I32,
        });
        Ok(Some(self.add(Expression::Compose { ty, components })))
    }

    /// The components of a constant vector of `count` components.
    pub(super) fn parts_of(
        &self,
        instruction: &Instruction<'_>,
        id: Id,
        count: u32,
    ) -> Result<Vec<Id>> {
        match self.reader.constants.get(id) {
            Some((_, Constant::Composite(parts))) if parts.len() == count as usize => {
                Ok(parts.clone())
            }
            // A zero vector: its id represents each of its components.
            Some((_, Constant::Zero)) => Ok(vec![id; count as usize]),
            Some((_, Constant::Literal(_))) if count == 1 => Ok(vec![id]),
            Some((_, Constant::Composite(_))) => {
                Err(instruction.invalid(format!("{id} does not have {count} components")))
            }
            _ => Err(instruction.unsupported("an offset that is not known when WGSL is compiled")),
        }
    }
}

pub(super) fn parts(instruction: &Instruction<'_>) -> Result<(Sampling, Operands)> {
    let sampling =
        sampling(instruction.op).ok_or_else(|| instruction.unsupported("this instruction"))?;
    let operands = Operands::read(instruction, sampling.operands)?;
    Ok((sampling, operands))
}

fn image_dimension(image: &Image) -> ImageDimension {
    match image.dimensions() {
        1 => ImageDimension::D1,
        2 => ImageDimension::D2,
        _ => ImageDimension::D3,
    }
}
