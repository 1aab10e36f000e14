//! Image and sampler instructions.
//!
//! In SPIR-V a coordinate includes the array layer, operands may be of any numeric type, and results have any number
//! of components. naga has separate operands of the types that WGSL requires. So operands are split and converted, and
//! results converted to the type in the module.

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

/// An image at its use.
#[derive(Clone, Copy)]
pub(super) struct Image {
    pub(super) expression: Expr,
    /// Its type in the module.
    declared: types::Image,
    class: ImageClass,
}

impl Image {
    /// The number of coordinate components, without the array layer.
    fn dimensions(&self) -> u32 {
        match self.declared.dim {
            Dim::Dim1D => 1,
            Dim::Dim3D => 3,
            // The faces of a storage cube are array layers.
            Dim::DimCube if self.declared.usage != Usage::Storage => 3,
            _ => 2,
        }
    }

    fn has_layers(&self) -> bool {
        let is_cube = self.declared.dim == Dim::DimCube;
        self.declared.is_arrayed || is_cube && self.declared.usage == Usage::Storage
    }

    /// Whether it is an input attachment, read at the location of the fragment.
    fn is_attachment(&self) -> bool {
        self.declared.dim == Dim::DimSubpassData
    }

    fn is_depth(&self) -> bool {
        matches!(self.class, ImageClass::Depth { .. })
    }

    /// The scalar type of its texels in naga.
    pub(super) fn scalar(&self) -> Scalar {
        match self.class {
            ImageClass::Sampled { kind, .. } => Scalar { kind, width: 4 },
            ImageClass::Storage { format, .. } => format.into(),
            _ => Scalar::F32,
        }
    }
}

/// A coordinate, split into position and layer.
#[derive(Clone, Copy)]
pub(super) struct Coordinate {
    pub(super) at: Expr,
    pub(super) layer: Option<Expr>,
}

impl Body<'_, '_> {
    pub(super) fn image(&mut self, instruction: &Instruction<'_>) -> Result<()> {
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
            Op::ImageWrite => return self.write_texel(instruction),
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.query_size(instruction)?,
            Op::ImageQueryLevels | Op::ImageQuerySamples => self.query_number(instruction)?,
            Op::ImageQueryLod => {
                let feature = "the level of detail that sampling would use; WGSL does not tell";
                return Err(instruction.unsupported(feature));
            }
            _ => return Err(instruction.unsupported("this instruction")),
        };
        self.set(instruction, value)
    }

    fn set_opaque(&mut self, instruction: &Instruction<'_>, opaque: Opaque) -> Result<()> {
        self.values
            .insert(instruction.result()?, SpirvValue::Opaque(Box::new(opaque)));
        Ok(())
    }

    /// The image and sampler value of an id.
    fn opaque(&self, id: Id) -> Result<Opaque> {
        match self.values.get(&id) {
            Some(SpirvValue::Opaque(opaque)) => Ok(opaque.as_ref().clone()),
            _ => Err(ReadError::invalid(format!("{id} is no image or sampler"))),
        }
    }

    /// The image of an operand. `compares` selects the depth part if there are several.
    fn image_of(&mut self, id: Id, compares: bool) -> Result<Image> {
        let pointer = self.opaque(id)?.image;
        let pointer = pointer.ok_or_else(|| ReadError::invalid(format!("{id} is no image")))?;
        self.image_at(&pointer, compares)
    }

    /// The image behind a pointer.
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
                let parts = self.reader.resources.parts.get(global);
                let part = parts.and_then(|parts| parts.image(compares));
                *global = part.ok_or_else(|| ReadError::invalid("it is no image"))?;
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

    /// The sampler of an operand. `compares` selects the comparison part if there are several.
    fn sampler_of(&mut self, id: Id, compares: bool) -> Result<Expr> {
        let pointer = self.opaque(id)?.sampler;
        let pointer = pointer.ok_or_else(|| ReadError::invalid(format!("{id} has no sampler")))?;
        self.sampler_at(pointer, compares)
    }

    /// The sampler behind a pointer.
    fn sampler_at(&mut self, mut pointer: Pointer, compares: bool) -> Result<Expr> {
        if let Root::Global(global) = &mut pointer.root {
            let parts = self.reader.resources.parts.get(global);
            let part = parts.and_then(|parts| parts.sampler(compares));
            *global = part.ok_or_else(|| ReadError::invalid("it is no sampler"))?;
        }
        self.pointer_argument(&pointer)
    }

    fn argument_type(&self, index: u32) -> Result<Handle<naga::Type>> {
        let argument = self.function.arguments.get(index as usize);
        argument
            .map(|argument| argument.ty)
            .ok_or_else(|| ReadError::invalid("there is no such parameter"))
    }

    /// The component count and scalar of a scalar or vector type.
    fn shape(&mut self, ty: Id) -> Result<(u32, Scalar)> {
        match self.inner(ty)? {
            TypeInner::Scalar(scalar) => Ok((1, scalar)),
            TypeInner::Vector { size, scalar } => Ok((size as u32, scalar)),
            _ => Err(ReadError::invalid(format!(
                "{ty} is neither a number nor a vector"
            ))),
        }
    }

    /// The first `want` components of a value that has `have`.
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

    /// A vector of these components, or the only one.
    fn vector(&mut self, components: Vec<Expr>, scalar: Scalar) -> Result<Expr> {
        if let [only] = components.as_slice() {
            return Ok(*only);
        }
        let size = vector_size(components.len() as u32)?;
        let ty = self.reader.insert_type(TypeInner::Vector { size, scalar });
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// Converts a scalar or vector to another kind or width.
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

    /// The coordinate in an operand.
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

    /// A layer as an integer, rounded to nearest even, as Vulkan specifies and as WGSL's `round` does.
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

    /// A texel converted to the result type: fewer components, another signedness or width.
    fn texel_result(&mut self, texel: Expr, image: &Image, ty: Id) -> Result<Expr> {
        let (count, scalar) = self.shape(ty)?;
        let from = image.scalar();
        let texel = if image.is_depth() && count > 1 {
            // The values that Vulkan specifies for the components that depth images lack.
            let zero = self.literal(Literal::F32(0.0));
            let one = self.literal(Literal::F32(1.0));
            let vector = TypeInner::Vector {
                size: VectorSize::Quad,
                scalar: Scalar::F32,
            };
            let ty = self.reader.insert_type(vector);
            let components = vec![texel, zero, zero, one];
            self.add(Expression::Compose { ty, components })
        } else {
            texel
        };
        let have = if image.is_depth() && count == 1 { 1 } else { 4 };
        let texel = self.first(texel, have, count)?;
        Ok(self.recast(texel, from, scalar))
    }
}
