//! Translates texture operations and binding arrays.

use naga::{AtomicFunction, Expression, Handle, ImageQuery, ScalarKind, Span, TypeInner};

use super::function::{FunctionTranslator, Operand};
use crate::AtomicOp;
use crate::KernelError;
use crate::TextureOp;
use crate::bytecode::texture::{BufferElement, TextureAccess, TextureRef};
use crate::bytecode::{Address, Instr, Reg, Space, ZERO};

/// Whether the components of a scalar or vector have 64 bits.
fn is_64_bits(inner: &TypeInner) -> bool {
    inner.scalar().is_some_and(|scalar| scalar.width == 8)
}

/// The coordinates of a texel.
pub(super) struct Coordinates {
    pub(super) coordinate: Handle<Expression>,
    pub(super) array_index: Option<Handle<Expression>>,
    pub(super) level: Option<Handle<Expression>>,
    pub(super) sample: Option<Handle<Expression>>,
}

impl FunctionTranslator<'_, '_> {
    fn texture(&mut self, handle: Handle<Expression>) -> Result<TextureRef, KernelError> {
        match self.value(handle)? {
            Operand::Texture(texture) => Ok(texture),
            _ => Err(self.unsupported("this kind of texture", self.span(handle))),
        }
    }

    fn optional(
        &mut self,
        handle: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<Reg, KernelError> {
        handle.map_or(Ok(ZERO), |handle| self.index(handle, span))
    }

    fn texel(
        &mut self,
        image: Handle<Expression>,
        at: &Coordinates,
        span: Span,
    ) -> Result<TextureAccess, KernelError> {
        let axes = self.components(at.coordinate, span)?;
        Ok(TextureAccess {
            op: TextureOp::Store,
            texture: self.texture(image)?,
            dst: ZERO,
            coordinate: self.index(at.coordinate, span)?,
            axes: self.lanes(axes, span)?,
            layer: self.optional(at.array_index, span)?,
            level: self.optional(at.level, span)?,
            sample: self.optional(at.sample, span)?,
            value: ZERO,
        })
    }

    fn push_texture(&mut self, access: TextureAccess, span: Span) {
        let accesses = &mut self.shared.code.textures;
        let index = accesses.len() as u32;
        accesses.push(access);
        self.push(Instr::Texture { access: index }, span);
    }

    pub(super) fn texture_load(
        &mut self,
        handle: Handle<Expression>,
        image: Handle<Expression>,
        at: &Coordinates,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, n) = self.result(handle, span)?;
        let op = if is_64_bits(self.inner(handle)) {
            TextureOp::Load64
        } else {
            TextureOp::Load {
                n: self.lanes(n, span)?,
            }
        };
        let access = TextureAccess {
            op,
            dst,
            ..self.texel(image, at, span)?
        };
        self.push_texture(access, span);
        Ok(Operand::Registers(dst))
    }

    pub(super) fn texture_store(
        &mut self,
        image: Handle<Expression>,
        at: &Coordinates,
        value: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let op = if is_64_bits(self.inner(value)) {
            TextureOp::Store64
        } else {
            TextureOp::Store
        };
        let access = TextureAccess {
            op,
            value: self.register(value)?,
            ..self.texel(image, at, span)?
        };
        self.push_texture(access, span);
        Ok(())
    }

    pub(super) fn texture_atomic(
        &mut self,
        image: Handle<Expression>,
        at: &Coordinates,
        function: AtomicFunction,
        value: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let signed = matches!(
            self.inner(value),
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Sint
        );
        let op = match function {
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::ExclusiveOr => AtomicOp::Xor,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::Min if signed => AtomicOp::MinI32,
            AtomicFunction::Min => AtomicOp::MinU32,
            AtomicFunction::Max if signed => AtomicOp::MaxI32,
            AtomicFunction::Max => AtomicOp::MaxU32,
            AtomicFunction::Subtract | AtomicFunction::Exchange { .. } => {
                return Err(self.unsupported("this atomic operation on a texture", span));
            }
        };
        let access = TextureAccess {
            op: if is_64_bits(self.inner(value)) {
                TextureOp::Atomic64(op)
            } else {
                TextureOp::Atomic(op)
            },
            value: self.register(value)?,
            ..self.texel(image, at, span)?
        };
        self.push_texture(access, span);
        Ok(())
    }

    pub(super) fn texture_query(
        &mut self,
        handle: Handle<Expression>,
        image: Handle<Expression>,
        query: ImageQuery,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let (dst, n) = self.result(handle, span)?;
        let (op, level) = match query {
            ImageQuery::Size { level } => {
                let n = self.lanes(n, span)?;
                (TextureOp::Size { n }, self.optional(level, span)?)
            }
            ImageQuery::NumLevels => (TextureOp::Levels, ZERO),
            ImageQuery::NumLayers => (TextureOp::Layers, ZERO),
            ImageQuery::NumSamples => (TextureOp::Samples, ZERO),
        };
        let access = TextureAccess {
            op,
            texture: self.texture(image)?,
            dst,
            coordinate: ZERO,
            axes: 0,
            layer: ZERO,
            level,
            sample: ZERO,
            value: ZERO,
        };
        self.push_texture(access, span);
        Ok(Operand::Registers(dst))
    }

    /// Element `index` of an array of textures.
    pub(super) fn texture_element(
        &mut self,
        array: u16,
        index: Reg,
        span: Span,
    ) -> Result<Operand, KernelError> {
        let dst = self.alloc(1, span)?;
        self.push(Instr::TextureElement { dst, array, index }, span);
        Ok(Operand::Texture(TextureRef::Register(dst)))
    }

    /// Element `index` of an array of buffers.
    pub(super) fn buffer_element(
        &mut self,
        array: u16,
        index: Reg,
        span: Span,
    ) -> Result<Operand, KernelError> {
        // The index may be a variable that is read in place, so its current value is copied.
        let kept = self.alloc(1, span)?;
        let copy = Instr::Copy {
            dst: kept,
            src: index,
            n: 1,
        };
        self.push(copy, span);
        let elements = &mut self.shared.code.elements;
        let Ok(number) = u16::try_from(elements.len()) else {
            return Err(self.unsupported("more than 65536 uses of arrays of buffers", span));
        };
        elements.push(BufferElement { array, index: kept });
        Ok(Operand::Pointer(Address {
            space: Space::Element(number),
            dynamic: ZERO,
            offset: 0,
        }))
    }

    /// A register that holds a constant.
    pub(super) fn known(&mut self, number: u32, span: Span) -> Result<Reg, KernelError> {
        let dst = self.alloc(1, span)?;
        let instr = Instr::Offset {
            dst,
            base: ZERO,
            by: number,
        };
        self.push(instr, span);
        Ok(dst)
    }
}
