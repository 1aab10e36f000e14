//! Sampling and gathering.

use anywarp_program::naga::{
    BinaryOperator, Expression, ImageDimension, ImageQuery, Literal, MathFunction, SampleLevel,
    Scalar, ScalarKind, SwizzleComponent, TypeInner, VectorSize,
};
use rspirv::spirv::Dim;

use super::operands::Operands;
use super::{Body, Coordinate, Image, Value};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::constants::Constant;
use crate::read::images::{Level, Sampling, level, sampling};

/// What WGSL allows texels to be moved by.
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

/// Of what a gather gives, the texel with the lowest coordinates.
const LOWEST: u32 = 3;

impl Body<'_, '_> {
    pub(super) fn sample(&mut self, it: &Instruction<'_>) -> Result<Value> {
        let (sampling, operands) = parts(it)?;
        operands.only(it, &["Bias", "Lod", "Grad", "Offset"])?;
        let image = self.image_of(it.id(0)?, sampling.compares)?;
        if image.scalar().kind != ScalarKind::Float {
            return self.nearest_texel(it, &image, &sampling, &operands);
        }
        let sampler = self.sampler_of(it.id(0)?, sampling.compares)?;
        let mut coordinate = self.coordinate(it.id(1)?, &image)?;
        let mut depth_ref = self.depth_ref(it, &sampling)?;
        if sampling.projects {
            let divisor = self.divisor(it.id(1)?, &image)?;
            coordinate.at = self.divided(coordinate.at, divisor, image.dimensions())?;
            depth_ref = depth_ref.map(|it| self.two(BinaryOperator::Divide, it, divisor));
        }
        let level = self.level(it, &image, &sampling, &operands)?;
        let offset = self.texel_offset(it, &image, operands.offset)?;
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
        self.texel_result(texel, &image, it.result_type()?)
    }

    /// Images of integers, which WGSL does not sample. Of their first level a gather gives the texel that
    /// is nearest, which is what samplers of integers do: in the corner behind that texel, it is the one
    /// with the lowest coordinates, whatever happens at the edges of the image.
    fn nearest_texel(
        &mut self,
        it: &Instruction<'_>,
        image: &Image,
        sampling: &Sampling,
        operands: &Operands,
    ) -> Result<Value> {
        let level = operands
            .lod
            .map(|lod| level(self.reader.spirv, lod))
            .transpose()?;
        if image.declared.dim != Dim::Dim2D || level != Some(Level::Constant(0)) {
            let feature = "sampling images of integers other than level 0 of two dimensions";
            return Err(it.unsupported(feature));
        }
        let sampler = self.sampler_of(it.id(0)?, false)?;
        let mut coordinate = self.coordinate(it.id(1)?, image)?;
        if sampling.projects {
            let divisor = self.divisor(it.id(1)?, image)?;
            coordinate.at = self.divided(coordinate.at, divisor, image.dimensions())?;
        }
        let size = self.first_size(image);
        let texels = self.two(BinaryOperator::Multiply, coordinate.at, size);
        let nearest = self.function_of(MathFunction::Floor, &[texels]);
        coordinate.at = self.corner_behind(nearest, size);
        let offset = self.texel_offset(it, image, operands.offset)?;
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
        self.texel_result(texel, image, it.result_type()?)
    }

    /// How many texels the first level of a flat image has, as floats.
    fn first_size(&mut self, image: &Image) -> Value {
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

    /// The coordinate in the middle of four texels, of which this one is the lowest. A gather there is
    /// far from where rounding would matter.
    fn corner_behind(&mut self, texel: Value, size: Value) -> Value {
        let one = self.flat_vector(1.0);
        let corner = self.two(BinaryOperator::Add, texel, one);
        self.two(BinaryOperator::Divide, corner, size)
    }

    fn flat_vector(&mut self, value: f32) -> Value {
        let value = self.literal(Literal::F32(value));
        let size = VectorSize::Bi;
        self.add(Expression::Splat { size, value })
    }

    /// A coordinate for a gather, moved by texels that are only known when the program runs.
    fn moved_coordinate(
        &mut self,
        it: &Instruction<'_>,
        at: Value,
        image: &Image,
        offset: Id,
    ) -> Result<Value> {
        if image.declared.dim != Dim::Dim2D {
            return Err(it.unsupported("an offset in other images than those of two dimensions"));
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

    /// Whether an offset is a constant that WGSL takes.
    fn is_offset_of_wgsl(&self, offset: Id, image: &Image) -> bool {
        let parts = match self.reader.constants.get(offset) {
            Some((_, Constant::Composite(parts))) => parts.clone(),
            Some((_, Constant::Zero)) => return true,
            _ => return false,
        };
        let is_small = |part: &Id| {
            let value = self.reader.constants.integer(*part);
            value.is_some_and(|it| OFFSETS.contains(&(it as u32).cast_signed().into()))
        };
        parts.len() == image.dimensions() as usize && parts.iter().all(is_small)
    }

    pub(super) fn gather_texels(&mut self, it: &Instruction<'_>) -> Result<Value> {
        let (sampling, operands) = parts(it)?;
        operands.only(it, &["Offset", "ConstOffsets"])?;
        let image = self.image_of(it.id(0)?, sampling.compares)?;
        let ty = it.result_type()?;
        let component = match sampling.compares {
            true => 0,
            false => self.gathered_component(it)?,
        };
        if image.is_depth() && component > 0 {
            // What Vulkan puts in place of what depths do not have.
            let value = if component == 3 { 1.0 } else { 0.0 };
            let value = self.literal(Literal::F32(value));
            let size = VectorSize::Quad;
            let value = self.add(Expression::Splat { size, value });
            let (_, to) = self.shape(ty)?;
            return Ok(self.recast(value, Scalar::F32, to));
        }
        let sampler = self.sampler_of(it.id(0)?, sampling.compares)?;
        let coordinate = self.coordinate(it.id(1)?, &image)?;
        let depth_ref = self.depth_ref(it, &sampling)?;
        let gather = Gather {
            image,
            sampler,
            coordinate,
            component: SwizzleComponent::XYZW[component as usize],
            depth_ref,
        };
        let texels = match operands.offsets {
            None => match operands.offset.filter(|it| !self.is_offset_of_wgsl(*it, &image)) {
                None => {
                    let offset = self.texel_offset(it, &image, operands.offset)?;
                    self.gather_at(&gather, offset)
                }
                Some(offset) => {
                    let at = self.moved_coordinate(it, coordinate.at, &image, offset)?;
                    let coordinate = Coordinate { at, ..coordinate };
                    let gather = Gather { coordinate, ..gather };
                    self.gather_at(&gather, None)
                }
            },
            // Each of the four has its own offset, and is the texel with the lowest coordinates there.
            Some(offsets) => {
                let mut components = Vec::new();
                for offset in self.parts_of(it, offsets, 4)? {
                    let offset = self.texel_offset(it, &image, Some(offset))?;
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

    fn gather_at(&mut self, gather: &Gather, offset: Option<Value>) -> Value {
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

    fn gathered_component(&mut self, it: &Instruction<'_>) -> Result<u32> {
        match self.reader.constants.integer(it.id(2)?) {
            Some(component @ 0..=3) => Ok(component as u32),
            Some(component) => Err(it.invalid(format!("there is no component {component}"))),
            None => Err(it.unsupported("gathering a component that the pipeline chooses")),
        }
    }

    fn depth_ref(&mut self, it: &Instruction<'_>, sampling: &Sampling) -> Result<Option<Value>> {
        if !sampling.compares {
            return Ok(None);
        }
        let id = it.id(2)?;
        let (_, from) = {
            let ty = self.type_id(id)?;
            self.shape(ty)?
        };
        let depth = self.value(id)?;
        Ok(Some(self.recast(depth, from, Scalar::F32)))
    }

    /// What a projective coordinate is divided by: the component behind those that are needed.
    fn divisor(&mut self, id: Id, image: &Image) -> Result<Value> {
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

    fn divided(&mut self, value: Value, divisor: Value, count: u32) -> Result<Value> {
        let divisor = match count {
            1 => divisor,
            count => {
                let size = crate::read::layout::vector_size(count)?;
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
        it: &Instruction<'_>,
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
                return Err(it.unsupported(feature));
            }
            return match known {
                None => Ok(SampleLevel::Auto),
                Some(Level::Constant(0)) => Ok(SampleLevel::Zero),
                Some(_) => Err(it.unsupported("comparing at a level of detail other than 0")),
            };
        }
        if let Some(bias) = operands.bias {
            if image_dimension(image) == ImageDimension::D1 {
                return Err(it.unsupported("a bias for images of one dimension"));
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
        // Depth textures have levels that are integers.
        Ok(SampleLevel::Exact(match known {
            Some(Level::Constant(level)) => self.literal(Literal::I32(level)),
            Some(Level::Converted { from, is_signed }) => {
                let kind = match is_signed {
                    true => ScalarKind::Sint,
                    false => ScalarKind::Uint,
                };
                let level = self.operand(from, Some(kind))?;
                let ty = self.type_id(from)?;
                let (_, scalar) = self.shape(ty)?;
                let scalar = Scalar { kind, ..scalar };
                self.recast(level, scalar, Scalar { kind, width: 4 })
            }
            _ => return Err(it.unsupported("a fraction of a level of a depth texture")),
        }))
    }

    /// A float of 32 bits.
    fn float_operand(&mut self, id: Id) -> Result<Value> {
        let ty = self.type_id(id)?;
        let (_, from) = self.shape(ty)?;
        let value = self.value(id)?;
        Ok(self.recast(value, from, Scalar::F32))
    }

    fn gradient(&mut self, id: Id, image: &Image) -> Result<Value> {
        let ty = self.type_id(id)?;
        let (count, from) = self.shape(ty)?;
        let value = self.value(id)?;
        let value = self.first(value, count, image.dimensions())?;
        Ok(self.recast(value, from, Scalar::F32))
    }

    /// By what texels are moved, which WGSL wants to know when it compiles.
    fn texel_offset(
        &mut self,
        it: &Instruction<'_>,
        image: &Image,
        offset: Option<Id>,
    ) -> Result<Option<Value>> {
        let Some(offset) = offset else {
            return Ok(None);
        };
        if image_dimension(image) == ImageDimension::D1 {
            // Only naga's own textures of one dimension would take it.
            return Err(it.unsupported("an offset in images of one dimension"));
        }
        let count = image.dimensions();
        let mut components = Vec::new();
        for part in self.parts_of(it, offset, count)? {
            let Some(value) = self.reader.constants.integer(part) else {
                return Err(it.unsupported("an offset that is not known when WGSL is compiled"));
            };
            // Some declare offsets without a sign and mean one.
            let value = i64::from((value as u32).cast_signed());
            if !OFFSETS.contains(&value) {
                return Err(
                    it.unsupported(format!("an offset of {value} texels; WGSL's are -8 to 7"))
                );
            }
            components.push(self.literal(Literal::I32(value as i32)));
        }
        let size = crate::read::layout::vector_size(count)?;
        let ty = self.reader.insert_type(TypeInner::Vector {
            size,
            scalar: Scalar::I32,
        });
        Ok(Some(self.add(Expression::Compose { ty, components })))
    }

    /// The constants of which a constant is made.
    fn parts_of(&self, it: &Instruction<'_>, id: Id, count: u32) -> Result<Vec<Id>> {
        match self.reader.constants.get(id) {
            Some((_, Constant::Composite(parts))) if parts.len() == count as usize => {
                Ok(parts.clone())
            }
            // Zeros: the id stands for each of its parts.
            Some((_, Constant::Zero)) => Ok(vec![id; count as usize]),
            Some((_, Constant::Literal(_))) if count == 1 => Ok(vec![id]),
            Some((_, Constant::Composite(_))) => {
                Err(it.invalid(format!("{id} does not have {count} components")))
            }
            _ => Err(it.unsupported("an offset that is not known when WGSL is compiled")),
        }
    }
}

struct Gather {
    image: Image,
    sampler: Value,
    coordinate: Coordinate,
    component: SwizzleComponent,
    depth_ref: Option<Value>,
}

fn parts(it: &Instruction<'_>) -> Result<(Sampling, Operands)> {
    let sampling = sampling(it.op).ok_or_else(|| it.unsupported("this instruction"))?;
    let operands = Operands::read(it, sampling.operands)?;
    Ok((sampling, operands))
}

fn image_dimension(image: &Image) -> ImageDimension {
    match image.dimensions() {
        1 => ImageDimension::D1,
        2 => ImageDimension::D2,
        _ => ImageDimension::D3,
    }
}
