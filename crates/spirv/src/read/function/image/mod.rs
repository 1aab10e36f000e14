//! Images and samplers.
//!
//! SPIR-V has one coordinate with the layer in it, operands of any kind in any mixture, and texels of
//! any shape; naga has them apart, each of the type that WGSL wants. So every instruction takes its
//! operands apart, and what comes out is brought into the type that the module has for it.

mod gather;
mod operands;
mod parameters;
mod query;
mod sample;
mod texel;

use crate::read::function::Expr;
use anywarp_program::naga::{
    self, Expression, Handle, ImageClass, Literal, MathFunction, Scalar, ScalarKind,
    SwizzleComponent, TypeInner, VectorSize,
};
use rspirv::spirv::{Dim, Op};

use super::body::{Body, Opaque, SpirvValue};
use super::memory::{Pointer, Root};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::layout::vector_size;
use crate::read::types::{self, Type, Usage};

/// Whether an instruction is one on sparse images; most of their numbers lie behind each other.
fn is_sparse(op: Op) -> bool {
    let (first, last) = (
        Op::ImageSparseSampleImplicitLod,
        Op::ImageSparseTexelsResident,
    );
    (first as u32..=last as u32).contains(&(op as u32)) || op == Op::ImageSparseRead
}

/// An image where it is used.
#[derive(Clone, Copy)]
pub(super) struct Image {
    pub(super) expression: Expr,
    /// What the module says of it.
    declared: types::Image,
    class: ImageClass,
}

impl Image {
    /// Components of a coordinate, the layer apart.
    fn dimensions(&self) -> u32 {
        match self.declared.dim {
            Dim::Dim1D => 1,
            Dim::Dim3D => 3,
            // The faces of a cube that is written are layers.
            Dim::DimCube if self.declared.usage != Usage::Storage => 3,
            _ => 2,
        }
    }

    fn has_layers(&self) -> bool {
        let is_cube = self.declared.dim == Dim::DimCube;
        self.declared.is_arrayed || is_cube && self.declared.usage == Usage::Storage
    }

    /// Whether it is what lies under the fragment.
    fn is_attachment(&self) -> bool {
        self.declared.dim == Dim::DimSubpassData
    }

    fn is_depth(&self) -> bool {
        matches!(self.class, ImageClass::Depth { .. })
    }

    /// What a texel is made of in naga.
    pub(super) fn scalar(&self) -> Scalar {
        match self.class {
            ImageClass::Sampled { kind, .. } => Scalar { kind, width: 4 },
            ImageClass::Storage { format, .. } => format.into(),
            _ => Scalar::F32,
        }
    }
}

/// A coordinate, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Coordinate {
    pub(super) at: Expr,
    pub(super) layer: Option<Expr>,
}

impl Body<'_, '_> {
    /// Translates an instruction of this family; false for any other.
    pub(super) fn image(&mut self, instruction: &Instruction<'_>) -> Result<bool> {
        let value = match instruction.op {
            Op::SampledImage => {
                let image = self.opaque(instruction.id(0)?)?.image;
                let sampler = self.opaque(instruction.id(1)?)?.sampler;
                return self.set_opaque(instruction, Opaque { image, sampler });
            }
            Op::Image => {
                let image = self.opaque(instruction.id(0)?)?.image;
                let sampler = None;
                return self.set_opaque(instruction, Opaque { image, sampler });
            }
            Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod => self.sample(instruction)?,
            Op::ImageGather | Op::ImageDrefGather => self.gather_texels(instruction)?,
            Op::ImageFetch | Op::ImageRead => self.read_texel(instruction)?,
            Op::ImageWrite => return self.write_texel(instruction).map(|()| true),
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.query_size(instruction)?,
            Op::ImageQueryLevels | Op::ImageQuerySamples => self.query_number(instruction)?,
            Op::ImageQueryLod => {
                let feature = "the level of detail that sampling would use; WGSL does not tell";
                return Err(instruction.unsupported(feature));
            }
            op if is_sparse(op) => {
                return Err(instruction.unsupported("sparse images"));
            }
            _ => return Ok(false),
        };
        self.set(instruction, value)?;
        Ok(true)
    }

    fn set_opaque(&mut self, instruction: &Instruction<'_>, opaque: Opaque) -> Result<bool> {
        self.values
            .insert(instruction.result()?, SpirvValue::Opaque(Box::new(opaque)));
        Ok(true)
    }

    /// The image, the sampler or both that an id stands for.
    fn opaque(&self, id: Id) -> Result<Opaque> {
        match self.values.get(&id) {
            Some(SpirvValue::Opaque(opaque)) => Ok(opaque.as_ref().clone()),
            _ => Err(ReadError::invalid(format!("{id} is no image or sampler"))),
        }
    }

    /// The image that an operand is, for comparing or for anything else.
    fn image_of(&mut self, id: Id, compares: bool) -> Result<Image> {
        let pointer = self.opaque(id)?.image;
        let pointer = pointer.ok_or_else(|| ReadError::invalid(format!("{id} is no image")))?;
        self.image_at(&pointer, compares)
    }

    /// The image to which a pointer leads.
    pub(super) fn image_at(&mut self, pointer: &Pointer, compares: bool) -> Result<Image> {
        let ty = self.pointee(pointer)?;
        let ty = match *self.reader.types.get(ty)? {
            Type::SampledImage { image } => image,
            _ => ty,
        };
        let Type::Image(declared) = *self.reader.types.get(ty)? else {
            return Err(ReadError::invalid(format!("{ty} is no image type")));
        };
        let mut pointer = pointer.clone();
        let inner = match &mut pointer.root {
            Root::Global(global) => {
                let faces = self.reader.faces.get(global);
                let face = faces.and_then(|faces| faces.image(compares));
                *global = face.ok_or_else(|| ReadError::invalid("it is no image"))?;
                self.reader.element_type(*global)
            }
            Root::Argument(index) => self.argument_type(*index)?,
            Root::Local(_) | Root::Value(_) => {
                return Err(ReadError::invalid("images have no copies"));
            }
        };
        let TypeInner::Image { class, .. } = self.reader.module.types[inner].inner else {
            return Err(ReadError::invalid("it is no image"));
        };
        Ok(Image {
            expression: self.pointer_argument(&pointer)?,
            declared,
            class,
        })
    }

    /// The sampler of a combined image, for comparing or for anything else.
    fn sampler_of(&mut self, id: Id, compares: bool) -> Result<Expr> {
        let pointer = self.opaque(id)?.sampler;
        let pointer = pointer.ok_or_else(|| ReadError::invalid(format!("{id} has no sampler")))?;
        self.sampler_at(pointer, compares)
    }

    /// The sampler to which a pointer leads.
    fn sampler_at(&mut self, mut pointer: Pointer, compares: bool) -> Result<Expr> {
        if let Root::Global(global) = &mut pointer.root {
            let faces = self.reader.faces.get(global);
            let face = faces.and_then(|faces| faces.sampler(compares));
            *global = face.ok_or_else(|| ReadError::invalid("it is no sampler"))?;
        }
        self.pointer_argument(&pointer)
    }

    fn argument_type(&self, index: u32) -> Result<Handle<naga::Type>> {
        let argument = self.function.arguments.get(index as usize);
        argument
            .map(|it| it.ty)
            .ok_or_else(|| ReadError::invalid("there is no such parameter"))
    }

    /// How many components a scalar or vector has, and of what.
    fn shape(&mut self, ty: Id) -> Result<(u32, Scalar)> {
        match self.inner(ty)? {
            TypeInner::Scalar(scalar) => Ok((1, scalar)),
            TypeInner::Vector { size, scalar } => Ok((size as u32, scalar)),
            _ => Err(ReadError::invalid(format!(
                "{ty} is neither a number nor a vector"
            ))),
        }
    }

    /// The first components of a value that has `have` of them.
    fn first(&mut self, value: Expr, have: u32, want: u32) -> Result<Expr> {
        if have == want {
            return Ok(value);
        }
        if have < want {
            return Err(ReadError::invalid(format!(
                "{have} components where {want} are needed"
            )));
        }
        Ok(match want {
            1 => self.component(value, 0),
            _ => self.add(Expression::Swizzle {
                size: vector_size(want)?,
                vector: value,
                pattern: SwizzleComponent::XYZW,
            }),
        })
    }

    fn component(&mut self, base: Expr, index: u32) -> Expr {
        self.add(Expression::AccessIndex { base, index })
    }

    /// A vector of these, or the only one.
    fn vector(&mut self, components: Vec<Expr>, scalar: Scalar) -> Result<Expr> {
        if let [only] = components.as_slice() {
            return Ok(*only);
        }
        let size = vector_size(components.len() as u32)?;
        let ty = self.reader.insert_type(TypeInner::Vector { size, scalar });
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// A number or vector of numbers of another kind or width.
    fn recast(&mut self, expr: Expr, from: Scalar, to: Scalar) -> Expr {
        if from == to {
            return expr;
        }
        // Integers keep their bits.
        let is_reinterpreted = from.width == to.width && from.kind != ScalarKind::Float;
        self.add(Expression::As {
            expr,
            kind: to.kind,
            convert: (!is_reinterpreted || to.kind == ScalarKind::Float).then_some(to.width),
        })
    }

    /// The coordinate that an operand is.
    fn coordinate(&mut self, id: Id, image: &Image) -> Result<Coordinate> {
        let ty = self.type_id(id)?;
        let (count, scalar) = self.shape(ty)?;
        let whole = self.value(id)?;
        let dimensions = image.dimensions();
        let to = Scalar { width: 4, ..scalar };
        let layer = match image.has_layers() {
            false => None,
            true if dimensions < count => {
                let layer = self.component(whole, dimensions);
                let layer = self.recast(layer, scalar, to);
                Some(self.layer(layer, to))
            }
            true => return Err(ReadError::invalid(format!("{id} has no layer"))),
        };
        let at = self.first(whole, count, dimensions)?;
        Ok(Coordinate {
            at: self.recast(at, scalar, to),
            layer,
        })
    }

    /// Layers between two integers are those of the nearest, the even one in the middle: as Vulkan has
    /// it, and as `round` of WGSL does.
    fn layer(&mut self, layer: Expr, scalar: Scalar) -> Expr {
        if scalar.kind != ScalarKind::Float {
            return layer;
        }
        let expr = self.function_of(MathFunction::Round, &[layer]);
        self.add(Expression::As {
            expr,
            kind: ScalarKind::Sint,
            convert: Some(4),
        })
    }

    /// A texel of naga as the module's type: with fewer components, of another sign or width.
    fn texel_result(&mut self, texel: Expr, image: &Image, ty: Id) -> Result<Expr> {
        let (count, scalar) = self.shape(ty)?;
        let from = image.scalar();
        let texel = match image.is_depth() && count > 1 {
            // What Vulkan puts in place of what depths do not have.
            true => {
                let zero = self.literal(Literal::F32(0.0));
                let one = self.literal(Literal::F32(1.0));
                let vector = TypeInner::Vector {
                    size: VectorSize::Quad,
                    scalar: Scalar::F32,
                };
                let ty = self.reader.insert_type(vector);
                let components = vec![texel, zero, zero, one];
                self.add(Expression::Compose { ty, components })
            }
            false => texel,
        };
        let have = if image.is_depth() && count == 1 { 1 } else { 4 };
        let texel = self.first(texel, have, count)?;
        Ok(self.recast(texel, from, scalar))
    }
}
