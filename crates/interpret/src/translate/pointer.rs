//! Pointers become addresses: a space, a static offset and, after a dynamic index, a register.

use naga::{ArraySize, Expression, Handle, Scalar, Span, TypeInner, VectorSize};

use super::function::{FunctionTranslator, Operand};
use crate::KernelError;
use crate::bytecode::{Address, Instr, Reg, Space, ZERO};
use crate::layout::{Unsupported, component_stride, is_packed};

impl FunctionTranslator<'_, '_> {
    /// The type that a pointer type points to.
    fn pointee<'t>(&'t self, pointer: &'t TypeInner) -> Option<Pointee<'t>> {
        match *pointer {
            TypeInner::Pointer { base, .. } => {
                Some(Pointee::Type(&self.shared.module.types[base].inner))
            }
            TypeInner::ValuePointer {
                size: Some(size),
                scalar,
                ..
            } => Some(Pointee::Vector(size, scalar)),
            _ => None,
        }
    }

    /// The address of member, element, column or component `index` of what `base` points to.
    pub(super) fn static_part(
        &mut self,
        base: Address,
        pointer: &TypeInner,
        index: u32,
        span: Span,
    ) -> Result<Address, KernelError> {
        let layout = self.shared.layout;
        match self.pointee(pointer) {
            Some(Pointee::Type(&TypeInner::Array {
                size: ArraySize::Dynamic,
                stride,
                ..
            })) => {
                let register = self.alloc(1, span)?;
                self.push(
                    Instr::Offset {
                        dst: register,
                        base: ZERO,
                        by: index,
                    },
                    span,
                );
                self.runtime_element(base, register, stride, span)
            }
            Some(Pointee::Type(inner)) => layout
                .part_offset(base.space, inner, index)
                .map(|offset| base.plus(offset))
                .map_err(|e| self.shared.unsupported(e, span)),
            Some(Pointee::Vector(_, scalar)) => component_stride(base.space, scalar)
                .map(|stride| base.plus(index * stride))
                .map_err(|e| self.shared.unsupported(e, span)),
            None => Err(self.not_indexable(span)),
        }
    }

    /// The address of element, column or component `index` of what `base` points to.
    pub(super) fn dynamic_part(
        &mut self,
        base: Address,
        pointer: &TypeInner,
        index: Reg,
        span: Span,
    ) -> Result<Address, KernelError> {
        let layout = self.shared.layout;
        let (len, stride) = match self.pointee(pointer) {
            Some(Pointee::Type(&TypeInner::Array {
                size: ArraySize::Dynamic,
                stride,
                ..
            })) => return self.runtime_element(base, index, stride, span),
            Some(Pointee::Type(inner)) => {
                let len = match *inner {
                    TypeInner::Array { size, .. } => layout
                        .len(size)
                        .map_err(|e| self.shared.unsupported(e, span))?,
                    TypeInner::Vector { size, .. } => size as u32,
                    TypeInner::Matrix { columns, .. } => columns as u32,
                    _ => return Err(self.not_indexable(span)),
                };
                let stride = layout
                    .part_offset(base.space, inner, 1)
                    .map_err(|e| self.shared.unsupported(e, span))?;
                (len, stride)
            }
            Some(Pointee::Vector(size, scalar)) => {
                let stride = component_stride(base.space, scalar)
                    .map_err(|e| self.shared.unsupported(e, span))?;
                (size as u32, stride)
            }
            None => return Err(self.not_indexable(span)),
        };
        let dst = self.alloc(1, span)?;
        self.push(
            Instr::Index {
                dst,
                base: base.dynamic,
                index,
                len,
                stride,
            },
            span,
        );
        Ok(Address {
            dynamic: dst,
            ..base
        })
    }

    /// An element of a runtime-sized array. That is the last member of a buffer, so `base` has no dynamic part.
    fn runtime_element(
        &mut self,
        base: Address,
        index: Reg,
        stride: u32,
        span: Span,
    ) -> Result<Address, KernelError> {
        let dst = self.alloc(1, span)?;
        let instr = match base.space {
            Space::Buffer(buffer) => Instr::IndexRuntime {
                dst,
                index,
                buffer,
                start: base.offset,
                stride,
            },
            Space::Element(_) => {
                let len = self.alloc(1, span)?;
                self.runtime_length(base, len, stride, span)?;
                Instr::IndexWithin {
                    dst,
                    index,
                    len,
                    stride,
                }
            }
            _ => return Err(self.not_indexable(span)),
        };
        self.push(instr, span);
        Ok(Address {
            dynamic: dst,
            ..base
        })
    }

    /// The length of the runtime-sized array that an expression points to.
    pub(super) fn array_length(
        &mut self,
        array: Handle<Expression>,
        dst: Reg,
        span: Span,
    ) -> Result<(), KernelError> {
        let address = self.address(array)?;
        let stride = match self.pointee(self.inner(array)) {
            Some(Pointee::Type(&TypeInner::Array { stride, .. })) => stride,
            _ => return Err(self.not_indexable(span)),
        };
        self.runtime_length(address, dst, stride, span)
    }

    /// The length of the runtime-sized array at an address.
    fn runtime_length(
        &mut self,
        array: Address,
        dst: Reg,
        stride: u32,
        span: Span,
    ) -> Result<(), KernelError> {
        let start = array.offset;
        let instr = match array.space {
            Space::Buffer(buffer) => Instr::ArrayLength {
                dst,
                buffer,
                start,
                stride,
            },
            Space::Element(element) => Instr::ElementLength {
                dst,
                element,
                start,
                stride,
            },
            _ => return Err(self.not_indexable(span)),
        };
        self.push(instr, span);
        Ok(())
    }

    /// Loads a value of type `inner` into `dst`.
    pub(super) fn load(
        &mut self,
        dst: Reg,
        from: Address,
        inner: &TypeInner,
        span: Span,
    ) -> Result<(), KernelError> {
        let n = self.words(inner, span)?;
        if from.space == Space::Registers && from.dynamic == ZERO {
            let src = from.offset;
            self.push(Instr::Copy { dst, src, n }, span);
        } else if let Some(runs) = self.runs(from.space, inner, span)? {
            let instr = if self.has_halves(inner, span)? {
                Instr::LoadHalves { dst, from, runs }
            } else {
                Instr::LoadRuns { dst, from, runs }
            };
            self.push(instr, span);
        } else {
            self.push(Instr::Load { dst, from, n }, span);
        }
        Ok(())
    }

    /// Stores a value of type `inner` from `src`.
    pub(super) fn store(
        &mut self,
        to: Address,
        src: Reg,
        inner: &TypeInner,
        span: Span,
    ) -> Result<(), KernelError> {
        let n = self.words(inner, span)?;
        if to.space == Space::Registers && to.dynamic == ZERO {
            let dst = to.offset;
            self.push(Instr::Copy { dst, src, n }, span);
        } else if let Some(runs) = self.runs(to.space, inner, span)? {
            let instr = if self.has_halves(inner, span)? {
                Instr::StoreHalves { to, src, runs }
            } else {
                Instr::StoreRuns { to, src, runs }
            };
            self.push(instr, span);
        } else {
            self.push(Instr::Store { to, src, n }, span);
        }
        Ok(())
    }

    /// The run list of a type, if its values are not contiguous in memory.
    fn runs(
        &mut self,
        space: Space,
        inner: &TypeInner,
        span: Span,
    ) -> Result<Option<u32>, KernelError> {
        let composite = matches!(
            inner,
            TypeInner::Matrix { .. } | TypeInner::Array { .. } | TypeInner::Struct { .. }
        );
        if is_packed(space) || !composite && !self.has_halves(inner, span)? {
            return Ok(None);
        }
        self.shared
            .run_list(inner)
            .map_err(|e| self.shared.unsupported(e, span))
    }

    /// The address of a pointer expression.
    pub(super) fn address(&mut self, handle: Handle<Expression>) -> Result<Address, KernelError> {
        match self.value(handle)? {
            Operand::Pointer(address) => Ok(address),
            _ => {
                let span = self.function.expressions.get_span(handle);
                Err(self.not_indexable(span))
            }
        }
    }

    fn not_indexable(&self, span: Span) -> KernelError {
        self.shared
            .unsupported(Unsupported("this kind of pointer".into()), span)
    }
}

/// The type that a pointer points to.
enum Pointee<'t> {
    Type(&'t TypeInner),
    /// A vector, for a pointer type without a handle.
    Vector(VectorSize, Scalar),
}
