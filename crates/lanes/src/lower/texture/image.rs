//! Texture instructions: load, store, atomics and queries.
//!
//! In: a naga image expression or statement. Out: a host call ([`HostCall`]), because texels have many formats and
//! memory layouts. Common formats are accessed by instructions instead (`texel_load`, `texel_store`).

use anywarp_execution::{AtomicOp, TextureOp};
use naga::{
    AddressSpace, AtomicFunction, Expression, GlobalVariable, Handle, ImageQuery, ScalarKind,
    TypeInner,
};

use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::calls::host_call::{HostCall, Operand, OperandRows, TextureHostCall};
use crate::lower::error::{Result, unsupported};
use crate::lower::{Evaluated, Lowering};

/// A texture variable, or an element of an array of textures.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Texture {
    pub(in crate::lower) variable: Handle<GlobalVariable>,
    element: Option<Scalar>,
}

impl Texture {
    pub(in crate::lower) fn new(variable: Handle<GlobalVariable>) -> Self {
        Self {
            variable,
            element: None,
        }
    }

    /// An element of an array of textures.
    pub(in crate::lower) fn element(self, index: &Scalar) -> Self {
        Self {
            element: Some(index.clone()),
            ..self
        }
    }

    /// Whether it is not an element of an array.
    pub(in crate::lower) fn is_single(&self) -> bool {
        self.element.is_none()
    }

    /// Whether it is the same texture for every lane.
    pub(in crate::lower) fn is_uniform(&self) -> bool {
        self.element.as_ref().is_none_or(Scalar::is_uniform)
    }
}

/// The coordinates of a texel.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Coordinates {
    pub(in crate::lower) coordinate: Handle<Expression>,
    pub(in crate::lower) array_index: Option<Handle<Expression>>,
    pub(in crate::lower) level: Option<Handle<Expression>>,
    pub(in crate::lower) sample: Option<Handle<Expression>>,
}

impl Coordinates {
    /// Coordinates in a storage texture, which has one level and one sample.
    pub(in crate::lower) fn stored(
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
    ) -> Self {
        Self {
            coordinate,
            array_index,
            level: None,
            sample: None,
        }
    }
}

/// A texel access that is being lowered.
pub(in crate::lower) struct Texel {
    pub(in crate::lower) request: TextureHostCall,
    pub(in crate::lower) rows: OperandRows,
    /// The coordinates, and the array layer if there is one.
    pub(in crate::lower) axes: Scalars,
}

const ZERO: Operand = Operand::Known(0);

impl Lowering<'_> {
    /// Whether a module variable is a texture or an array of textures.
    pub(in crate::lower) fn is_texture(&self, variable: Handle<GlobalVariable>) -> bool {
        self.module.global_variables[variable].space == AddressSpace::Handle
    }

    fn texture(&mut self, image: Handle<Expression>) -> Result<Texture> {
        match self.evaluated(image)? {
            Evaluated::Texture(texture) => Ok(texture),
            _ => unsupported("this kind of texture"),
        }
    }

    /// A texture host call, so far without coordinates.
    fn request(
        &mut self,
        rows: &mut OperandRows,
        image: Handle<Expression>,
        operation: TextureOp,
    ) -> Result<TextureHostCall> {
        let texture = self.texture(image)?;
        let Some(binding) = self.module.global_variables[texture.variable].binding else {
            return unsupported("a texture without a binding");
        };
        let element = match &texture.element {
            Some(index) => self.operand(rows, index),
            None => ZERO,
        };
        Ok(TextureHostCall {
            binding: (binding.group, binding.binding),
            element,
            position: [ZERO; 3],
            layer: ZERO,
            level: ZERO,
            sample: ZERO,
            operation,
            value: 0,
        })
    }

    fn optional(
        &mut self,
        rows: &mut OperandRows,
        number: Option<Handle<Expression>>,
    ) -> Result<Operand> {
        match number {
            Some(number) => {
                let number = self.scalars(number)?;
                let number = self.as_index(&number);
                Ok(self.operand(rows, &number))
            }
            None => Ok(ZERO),
        }
    }

    /// A texture host call with coordinates.
    fn texel(
        &mut self,
        image: Handle<Expression>,
        at: Coordinates,
        operation: TextureOp,
    ) -> Result<Texel> {
        let mut rows = OperandRows::new();
        let mut request = self.request(&mut rows, image, operation)?;
        let values = self.number_of(at.coordinate)?.values();
        let position = self.scalars(at.coordinate)?;
        let mut axes: Scalars = position
            .chunks(values)
            .map(|axis| self.as_index(axis))
            .collect();
        for (operand, axis) in request.position.iter_mut().zip(&axes) {
            *operand = self.operand(&mut rows, axis);
        }
        if let Some(layer) = at.array_index {
            let layer = self.scalars(layer)?;
            let layer = self.as_index(&layer);
            request.layer = self.operand(&mut rows, &layer);
            axes.push(layer);
        }
        request.level = self.optional(&mut rows, at.level)?;
        request.sample = self.optional(&mut rows, at.sample)?;
        request.value = rows.next();
        Ok(Texel {
            request,
            rows,
            axes,
        })
    }

    /// Loads a texel.
    pub(in crate::lower) fn image_load(
        &mut self,
        handle: Handle<Expression>,
        image: Handle<Expression>,
        at: Coordinates,
    ) -> Result<Scalars> {
        let kinds = self.shapes.kinds(self.type_of(handle))?;
        let operation = if is_64_bits(self.type_of(handle)) {
            TextureOp::Load64
        } else {
            TextureOp::Load {
                n: kinds.len() as u8,
            }
        };
        let texture = self.texture(image)?;
        let texel = self.texel(image, at, operation)?;
        if let Some(loaded) = self.load_texel(&texture, &texel, &kinds)? {
            return Ok(loaded);
        }
        let first = texel.request.value;
        self.host_call(HostCall::Texture(texel.request), &texel.rows, first, &kinds)
    }

    /// Stores a texel, in the active lanes.
    pub(in crate::lower) fn image_store(
        &mut self,
        image: Handle<Expression>,
        at: Coordinates,
        value: Handle<Expression>,
    ) -> Result {
        let operation = if is_64_bits(self.type_of(value)) {
            TextureOp::Store64
        } else {
            TextureOp::Store
        };
        self.give(image, at, value, operation)
    }

    /// Performs an atomic operation on a texel, lane by lane.
    pub(in crate::lower) fn image_atomic(
        &mut self,
        image: Handle<Expression>,
        at: Coordinates,
        function: AtomicFunction,
        value: Handle<Expression>,
    ) -> Result {
        let scalar = self.type_of(value).scalar();
        let is_signed = scalar.is_some_and(|scalar| scalar.kind == ScalarKind::Sint);
        let change = match function {
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::ExclusiveOr => AtomicOp::Xor,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::Min if is_signed => AtomicOp::MinI32,
            AtomicFunction::Min => AtomicOp::MinU32,
            AtomicFunction::Max if is_signed => AtomicOp::MaxI32,
            AtomicFunction::Max => AtomicOp::MaxU32,
            AtomicFunction::Subtract | AtomicFunction::Exchange { .. } => {
                return unsupported("this atomic operation on a texture");
            }
        };
        let operation = if is_64_bits(self.type_of(value)) {
            TextureOp::Atomic64(change)
        } else {
            TextureOp::Atomic(change)
        };
        self.give(image, at, value, operation)
    }

    fn give(
        &mut self,
        image: Handle<Expression>,
        at: Coordinates,
        value: Handle<Expression>,
        operation: TextureOp,
    ) -> Result {
        let texture = self.texture(image)?;
        let mut texel = self.texel(image, at, operation)?;
        let value = self.scalars(value)?;
        for number in &value {
            self.push_row(&mut texel.rows, number);
        }
        if operation == TextureOp::Store && self.store_texel(&texture, &texel, &value) {
            return Ok(());
        }
        self.host_effect(HostCall::Texture(texel.request), &texel.rows);
        Ok(())
    }

    /// Lowers a texture query: size, levels, layers or samples.
    pub(in crate::lower) fn image_query(
        &mut self,
        handle: Handle<Expression>,
        image: Handle<Expression>,
        query: ImageQuery,
    ) -> Result<Scalars> {
        let kinds = self.shapes.kinds(self.type_of(handle))?;
        let (operation, level) = match query {
            ImageQuery::Size { level } => (
                TextureOp::Size {
                    n: kinds.len() as u8,
                },
                level,
            ),
            ImageQuery::NumLevels => (TextureOp::Levels, None),
            ImageQuery::NumLayers => (TextureOp::Layers, None),
            ImageQuery::NumSamples => (TextureOp::Samples, None),
        };
        let mut rows = OperandRows::new();
        let mut request = self.request(&mut rows, image, operation)?;
        request.level = self.optional(&mut rows, level)?;
        request.value = rows.next();
        let (first, request) = (request.value, HostCall::Texture(request));
        // The properties of a bound texture are constant during the run.
        if rows.is_empty() {
            self.host_call_once(request, first, &kinds)
        } else {
            self.host_call(request, &rows, first, &kinds)
        }
    }
}

/// Whether the components of a scalar or vector have 64 bits.
fn is_64_bits(inner: &TypeInner) -> bool {
    inner.scalar().is_some_and(|scalar| scalar.width == 8)
}
