//! Buffers represented as arrays of words, because WGSL cannot express their layout.
//!
//! WGSL has no 8- or 16-bit integers, requires members at multiples of their alignment, and in uniform buffers arrays
//! and structs at multiples of 16. Vulkan is less strict. In: the type and address space of a buffer. Out: the
//! representation in words, if it needs one; `function/word_access.rs` then computes the address of each access.

use std::num::NonZeroU32;

use anywarp_program::naga::{self, AddressSpace, ArraySize, Handle, Scalar, TypeInner, VectorSize};
use rspirv::spirv::Decoration;

use super::Reader;
use super::layout::{AtomicPaths, MatrixLayout, vector_size};
use super::types::Type;
use crate::error::{ReadError, Result};
use crate::module::Id;

/// The representation of a buffer as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordRepresentation {
    Plain,
    /// Atomic words, so that a part of a word can be written without a race on the other parts.
    Atomic,
    /// Vectors of four words, as uniform buffers require.
    Fours,
    /// Members of a struct, because WebGPU's immediate data cannot contain arrays.
    PushConstants(PushConstantLayout),
}

/// The struct of words that represents push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PushConstantLayout {
    /// The number of members.
    pub(crate) count: u32,
    /// The number of words in each member: 1, 2 or 4.
    pub(crate) words: u32,
}

/// The maximum size of push constants: naga tracks the words of immediate data that a shader uses in 64 bits.
pub(crate) const MAX_IMMEDIATE_BYTES: u32 = 256;

impl Reader<'_> {
    /// The word representation of a variable, if it needs one.
    pub(super) fn words_of(
        &mut self,
        space: AddressSpace,
        ty: Id,
        atomics: &AtomicPaths,
    ) -> Result<Option<(WordRepresentation, Handle<naga::Type>)>> {
        let is_uniform = space == AddressSpace::Uniform;
        if !matches!(
            space,
            AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::Immediate
        ) {
            return Ok(None);
        }
        let is_half = self.has_atomic_half(ty, atomics)?;
        let fits = self.fits(ty, None, is_uniform)?.is_some() && !is_half;
        if fits && (space != AddressSpace::Immediate || self.is_immediate(ty)?) {
            return Ok(None);
        }
        self.as_words(space, ty, atomics, false).map(Some)
    }

    /// Whether any atomic part is a 16-bit float; WGSL's atomics are 32-bit.
    fn has_atomic_half(&self, ty: Id, atomics: &AtomicPaths) -> Result<bool> {
        for path in atomics.iter() {
            let mut at = ty;
            for step in path {
                at = match self.types.get(at)? {
                    Type::Struct { members } => match members.get(*step as usize) {
                        Some(member) => *member,
                        None => return Ok(false),
                    },
                    Type::Array { element, .. } | Type::RuntimeArray { element } => *element,
                    Type::Vector { component, .. } => *component,
                    Type::Matrix { column, .. } => *column,
                    _ => return Ok(false),
                };
            }
            if matches!(self.types.get(at)?, Type::Float { bits: 16 }) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The word representation of a variable, even if it does not need one. `is_atomic` requests atomic words if the
    /// variable is writable.
    pub(super) fn as_words(
        &mut self,
        space: AddressSpace,
        ty: Id,
        atomics: &AtomicPaths,
        is_atomic: bool,
    ) -> Result<(WordRepresentation, Handle<naga::Type>)> {
        let is_uniform = space == AddressSpace::Uniform;
        let is_narrow = self.is_narrow(ty)?;
        if is_uniform {
            let size = self.size(ty, None)?.ok_or_else(|| {
                ReadError::unsupported("a uniform buffer whose length is not known")
            })?;
            let four = TypeInner::Vector {
                size: VectorSize::Quad,
                scalar: Scalar::U32,
            };
            let base = self.insert_type(four);
            let length = NonZeroU32::new(size.div_ceil(16)).unwrap_or(NonZeroU32::MIN);
            let ty = self.insert_type(TypeInner::Array {
                base,
                size: ArraySize::Constant(length),
                stride: 16,
            });
            return Ok((WordRepresentation::Fours, ty));
        }
        if space == AddressSpace::Immediate {
            return self.immediate_words(ty);
        }
        let is_written = match space {
            AddressSpace::Storage { access } => access.contains(naga::StorageAccess::STORE),
            _ => true,
        };
        let is_atomic = is_atomic && is_written;
        let words = if is_atomic || !atomics.is_empty() || (is_narrow && is_written) {
            WordRepresentation::Atomic
        } else {
            WordRepresentation::Plain
        };
        let base = self.insert_type(match words {
            WordRepresentation::Atomic => TypeInner::Atomic(Scalar::U32),
            _ => TypeInner::Scalar(Scalar::U32),
        });
        let size = match space {
            AddressSpace::WorkGroup => {
                ArraySize::Constant(self.word_count(ty, "a workgroup block")?)
            }
            _ => ArraySize::Dynamic,
        };
        let ty = self.insert_type(TypeInner::Array {
            base,
            size,
            stride: 4,
        });
        Ok((words, ty))
    }

    /// The size of a sized type in words, at least 1.
    fn word_count(&self, ty: Id, what: &str) -> Result<NonZeroU32> {
        let size = self
            .size(ty, None)?
            .ok_or_else(|| ReadError::unsupported(format!("{what} whose length is not known")))?;
        Ok(NonZeroU32::new(size.div_ceil(4)).unwrap_or(NonZeroU32::MIN))
    }

    /// The struct of words for push constants: of the widest vectors whose size divides the total, so that it is not
    /// larger.
    fn immediate_words(&mut self, ty: Id) -> Result<(WordRepresentation, Handle<naga::Type>)> {
        let total = self.word_count(ty, "push constants")?.get();
        let words = [4, 2]
            .into_iter()
            .find(|size| total.is_multiple_of(*size))
            .unwrap_or(1);
        let member = self.insert_type(match words {
            1 => TypeInner::Scalar(Scalar::U32),
            words => TypeInner::Vector {
                size: vector_size(words)?,
                scalar: Scalar::U32,
            },
        });
        let count = total / words;
        let members = (0..count).map(|index| naga::StructMember {
            name: Some(format!("words_{index}")),
            ty: member,
            binding: None,
            offset: index * words * 4,
        });
        let members = members.collect();
        let name = self.spirv.names.of(ty).map(str::to_owned);
        let inner = TypeInner::Struct {
            members,
            span: total * 4,
        };
        let made = naga::Type { name, inner };
        let made = self.module.types.insert(made, self.span);
        Ok((
            WordRepresentation::PushConstants(PushConstantLayout { count, words }),
            made,
        ))
    }

    /// Whether WebGPU's immediate data can have this type: without arrays and, in naga, without 16-bit numbers.
    fn is_immediate(&mut self, ty: Id) -> Result<bool> {
        let is_array = |ty: &Id| matches!(self.types.get(*ty), Ok(Type::Array { .. }));
        let has_arrays = match self.types.get(ty)? {
            Type::Struct { members } => members.iter().any(is_array),
            _ => false,
        };
        if has_arrays || self.is_narrow(ty)? {
            return Ok(false);
        }
        let made = self.memory_type(ty, None, &AtomicPaths::new())?;
        Ok(!has_array(&self.module, made))
    }

    /// The alignment of a type if WGSL can express its layout; `None` otherwise.
    fn fits(&self, ty: Id, matrix: Option<MatrixLayout>, is_uniform: bool) -> Result<Option<u32>> {
        Ok(match self.types.get(ty)? {
            Type::Int { bits: 8 | 16, .. } => None,
            Type::Int { bits, .. } | Type::Float { bits } => Some(bits / 8),
            Type::Vector { component, count } => self
                .fits(*component, None, is_uniform)?
                .map(|size| size * if *count == 2 { 2 } else { 4 }),
            Type::Matrix { column, columns } => {
                self.matrix_fits(ty, (*column, *columns), matrix, is_uniform)?
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                self.array_fits(ty, *element, matrix, is_uniform)?
            }
            Type::Struct { members } => self.struct_fits(ty, members, is_uniform)?,
            _ => Some(4),
        })
    }

    fn matrix_fits(
        &self,
        ty: Id,
        (column, columns): (Id, u32),
        matrix: Option<MatrixLayout>,
        is_uniform: bool,
    ) -> Result<Option<u32>> {
        if let (Some(layout), Some(column_size)) = (matrix, self.size(column, None)?) {
            let scalar = self.size(self.types.scalar(ty)?, None)?.unwrap_or(4);
            let size = if layout.is_row_major {
                scalar.saturating_mul(columns)
            } else {
                column_size
            };
            check_stride(layout.stride, size, "a matrix whose columns or rows")?;
        }
        let Some(alignment) = self.fits(column, None, is_uniform)? else {
            return Ok(None);
        };
        Ok(match matrix {
            Some(layout) if layout.is_row_major => {
                let scalar = self.types.scalar(ty)?;
                let size = self.fits(scalar, None, is_uniform)?.unwrap_or(4);
                let alignment = size * if columns == 2 { 2 } else { 4 };
                is_multiple(layout.stride, alignment, is_uniform)
            }
            Some(layout) if layout.stride != alignment => {
                is_multiple(layout.stride, alignment, is_uniform)
            }
            _ => Some(alignment),
        })
    }

    fn array_fits(
        &self,
        ty: Id,
        element: Id,
        matrix: Option<MatrixLayout>,
        is_uniform: bool,
    ) -> Result<Option<u32>> {
        let stride = self.spirv.decorations.value(ty, Decoration::ArrayStride);
        if let (Some(stride), Some(size)) = (stride, self.size(element, matrix)?) {
            check_stride(stride, size, "an array whose elements")?;
        }
        let Some(alignment) = self.fits(element, matrix, is_uniform)? else {
            return Ok(None);
        };
        Ok(match stride {
            Some(stride) => is_multiple(stride, alignment, is_uniform),
            None => Some(alignment),
        })
    }

    fn struct_fits(&self, ty: Id, members: &[Id], is_uniform: bool) -> Result<Option<u32>> {
        let layout = self.layouts.members(self.spirv, ty, members.len());
        let mut alignment = 1;
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(members.len());
        for (member, inner) in members.iter().enumerate() {
            let Some(own) = self.fits(*inner, layout.matrices[member], is_uniform)? else {
                return Ok(None);
            };
            let offset = layout.offsets[member].unwrap_or(0);
            if !offset.is_multiple_of(own) {
                return Ok(None);
            }
            alignment = alignment.max(own);
            let size = self.size(*inner, layout.matrices[member])?.unwrap_or(0);
            // A struct occupies a multiple of its alignment, and of 16 in uniform buffers.
            let is_struct = matches!(self.types.get(*inner)?, Type::Struct { .. });
            let unit = match (is_struct, is_uniform) {
                (true, true) => own.max(16),
                (true, false) => own,
                (false, _) => 1,
            };
            ranges.push((offset, offset.saturating_add(size.next_multiple_of(unit))));
        }
        ranges.sort_unstable();
        if ranges.windows(2).any(|pair| pair[0].1 > pair[1].0) {
            return Ok(None);
        }
        Ok(Some(if is_uniform {
            alignment.max(16)
        } else {
            alignment
        }))
    }

    /// The size of a type in bytes, without trailing padding; `None` for runtime-sized types.
    pub(crate) fn size(&self, ty: Id, matrix: Option<MatrixLayout>) -> Result<Option<u32>> {
        let decorations = &self.spirv.decorations;
        let too_large = || ReadError::invalid(format!("{ty} ends beyond 4 GiB"));
        Ok(match self.types.get(ty)? {
            Type::Int { bits, .. } | Type::Float { bits } => Some(bits / 8),
            Type::Bool => Some(4),
            Type::Vector { component, count } => match self.size(*component, None)? {
                Some(size) => Some(size.checked_mul(*count).ok_or_else(too_large)?),
                None => None,
            },
            Type::Matrix { column, columns } => {
                let column_size = self.size(*column, None)?.unwrap_or(0);
                let scalar = self.size(self.types.scalar(ty)?, None)?.unwrap_or(4);
                let rows = column_size.checked_div(scalar).unwrap_or(0);
                let (stride, count, last) = match matrix {
                    Some(layout) if layout.is_row_major => {
                        (layout.stride, rows, scalar.checked_mul(*columns))
                    }
                    Some(layout) => (layout.stride, *columns, Some(column_size)),
                    None => (column_size, *columns, Some(column_size)),
                };
                let before = stride.checked_mul(count.saturating_sub(1));
                let end = before
                    .zip(last)
                    .and_then(|(before, last)| before.checked_add(last));
                Some(end.ok_or_else(too_large)?)
            }
            Type::Array { element, length } => {
                let count = self
                    .constants
                    .integer(*length)
                    .and_then(|length| u32::try_from(length).ok());
                let (Some(count), Some(size)) = (count, self.size(*element, matrix)?) else {
                    return Ok(None);
                };
                let stride = decorations
                    .value(ty, Decoration::ArrayStride)
                    .unwrap_or(size);
                let before = stride.checked_mul(count.saturating_sub(1));
                let end = before.and_then(|before| before.checked_add(size));
                Some(end.ok_or_else(too_large)?)
            }
            Type::Struct { members } => {
                let lie = self.layouts.members(self.spirv, ty, members.len());
                let mut end = 0;
                for (member, inner) in members.iter().enumerate() {
                    let Some(size) = self.size(*inner, lie.matrices[member])? else {
                        return Ok(None);
                    };
                    let own = lie.offsets[member].unwrap_or(end).checked_add(size);
                    end = end.max(own.ok_or_else(too_large)?);
                }
                Some(end)
            }
            _ => None,
        })
    }

    pub(super) fn is_narrow(&self, ty: Id) -> Result<bool> {
        Ok(match self.types.get(ty)? {
            Type::Int { bits, .. } | Type::Float { bits } => *bits < 32,
            Type::Vector { component, .. } => self.is_narrow(*component)?,
            Type::Matrix { column, .. } => self.is_narrow(*column)?,
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                self.is_narrow(*element)?
            }
            Type::Struct { members } => {
                for member in members {
                    if self.is_narrow(*member)? {
                        return Ok(true);
                    }
                }
                false
            }
            _ => false,
        })
    }
}

/// Rejects elements that overlap, as the validation rules of SPIR-V do.
fn check_stride(stride: u32, size: u32, parts: &str) -> Result<()> {
    if stride >= size {
        return Ok(());
    }
    Err(ReadError::invalid(format!(
        "{parts} take {size} bytes each has a stride of {stride}"
    )))
}

/// The alignment of an array or matrix if its stride is a multiple of it; `None` otherwise.
fn is_multiple(stride: u32, alignment: u32, is_uniform: bool) -> Option<u32> {
    let alignment = if is_uniform {
        alignment.max(16)
    } else {
        alignment
    };
    stride.is_multiple_of(alignment).then_some(alignment)
}

/// Whether a type is an array or a struct that contains one.
fn has_array(module: &naga::Module, ty: Handle<naga::Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { .. } => true,
        TypeInner::Struct { members, .. } => {
            members.iter().any(|member| has_array(module, member.ty))
        }
        _ => false,
    }
}
