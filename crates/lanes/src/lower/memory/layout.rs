//! Type layout: the 32-bit scalars that a type consists of, and their positions in memory.
//!
//! In: types of a module. Out: the number and kinds of a type's scalars, and the offset of each in memory.
//! Host-shareable memory has WGSL's layout; other memory is packed, one word for each scalar. A scalar is a 32-bit
//! value here: a 64-bit number is two scalars.
//!
//! Constant offsets and strides are in [`Bytes`]; only `MemoryLayout::units` converts them to the units of
//! instructions.

use anywarp_program::units::Bytes;
use naga::proc::{GlobalCtx, IndexableLength};
use naga::{ArraySize, Handle, Module, Type, TypeInner, VectorSize};

use crate::lower::arithmetic::number::Number;
use crate::lower::error::{Result, Stop, unsupported};

/// The kind of a 32-bit value; truth values are masks or words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum ScalarType {
    Float,
    Sint,
    Uint,
    Bool,
}

impl ScalarType {
    /// The kind of a number that is one 32-bit value.
    pub(in crate::lower) fn of(scalar: naga::Scalar) -> Result<Self> {
        let number = Number::of(scalar)?;
        match scalar.width {
            2 | 8 => unsupported(format!("this of {} bits", 8 * u32::from(scalar.width))),
            _ => Ok(number.kind()),
        }
    }
}

/// The position of a 32-bit value or a 16-bit number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) struct ScalarPosition {
    /// Offset from the beginning of the value.
    pub(in crate::lower) at: Bytes,
    pub(in crate::lower) code: ScalarEncoding,
}

/// How a scalar is encoded in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum ScalarEncoding {
    /// One word.
    Word(ScalarType),
    /// One half of a word.
    Half(Number),
}

/// How memory is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum MemoryLayout {
    /// WGSL's host-shareable layout.
    Shared,
    /// WGSL's layout, addressed in half-words: all numbers have 16 bits.
    Halves,
    /// One word for each scalar, without padding.
    Packed,
}

impl MemoryLayout {
    /// Converts bytes to the unit of an index in this layout: words or half-words.
    pub(in crate::lower) fn units(self, bytes: Bytes) -> Result<u32> {
        let count = match self {
            Self::Shared | Self::Packed => bytes.words().0,
            Self::Halves => bytes.halves().0,
        };
        // Offsets in instructions are signed.
        match u32::try_from(count) {
            Ok(count) if count.cast_signed() >= 0 => Ok(count),
            _ => unsupported(format!("an offset of {} bytes", bytes.0)),
        }
    }
}

/// The most scalars of a value; more would generate too much code.
pub(in crate::lower) const MAX_SCALARS: u64 = 512;

/// The size of a scalar in packed memory.
const SCALAR: Bytes = Bytes(4);

/// The layouts of a module's types.
pub(in crate::lower) struct Shapes<'a> {
    module: &'a Module,
    /// By type: its number of scalars; a runtime-sized array counts no element.
    scalars: Vec<u64>,
}

/// The elements of an indexable type.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct ElementLayout {
    /// The distance between elements.
    pub(in crate::lower) stride: Bytes,
    /// The unit of offsets in them.
    pub(in crate::lower) layout: MemoryLayout,
    /// Scalars of each element.
    pub(in crate::lower) scalars: u32,
    /// The number of elements; `None` for a runtime-sized array.
    pub(in crate::lower) count: Option<u32>,
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct Member {
    /// Offset in the structure.
    pub(in crate::lower) offset: Bytes,
    /// The unit of offsets in it.
    pub(in crate::lower) layout: MemoryLayout,
    /// The number of scalars before it.
    pub(in crate::lower) scalars: u32,
    pub(in crate::lower) shape: Shape,
}

/// A type, possibly one that has no handle in the module.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) enum Shape {
    Handle(Handle<Type>),
    Scalar(naga::Scalar),
    Vector(VectorSize, naga::Scalar),
}

impl<'a> Shapes<'a> {
    pub(in crate::lower) fn of(module: &'a Module) -> Self {
        let mut shapes = Self {
            module,
            scalars: Vec::with_capacity(module.types.len()),
        };
        // Types come after their components.
        for (_, ty) in module.types.iter() {
            let count = shapes.count_inner(&ty.inner);
            shapes.scalars.push(count);
        }
        shapes
    }

    fn context(&self) -> GlobalCtx<'a> {
        self.module.to_ctx()
    }

    /// The length of an array; `None` if it is runtime-sized.
    pub(in crate::lower) fn length(&self, size: ArraySize) -> Result<Option<u32>> {
        match size.resolve(self.context()) {
            Ok(IndexableLength::Known(length)) => Ok(Some(length)),
            Ok(IndexableLength::Dynamic) => Ok(None),
            Err(_) => unsupported("an array whose size is not resolved"),
        }
    }

    fn count_inner(&self, inner: &TypeInner) -> u64 {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => values(scalar),
            TypeInner::Vector { size, scalar } => size as u64 * values(scalar),
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => columns as u64 * rows as u64 * values(scalar),
            TypeInner::Array { base, size, .. } => {
                let length = self.length(size).ok().flatten().unwrap_or(0);
                self.scalars[base.index()].saturating_mul(length.into())
            }
            TypeInner::Struct { ref members, .. } => members.iter().fold(0, |sum, member| {
                self.scalars[member.ty.index()].saturating_add(sum)
            }),
            _ => 0,
        }
    }

    /// The number of scalars of a type.
    pub(in crate::lower) fn scalars(&self, inner: &TypeInner) -> Result<usize> {
        let count = self.count_inner(inner);
        if count <= MAX_SCALARS {
            Ok(count as usize)
        } else {
            unsupported(format!("a value of {count} numbers"))
        }
    }

    /// The words of a variable in packed memory.
    pub(in crate::lower) fn packed_words(&self, ty: Handle<Type>) -> Result<u32> {
        let words = self.scalars[ty.index()];
        u32::try_from(words)
            .ok()
            .filter(|words| *words < 1 << 22)
            .ok_or_else(|| Stop::Unsupported(format!("a variable of {words} words")))
    }

    /// The kinds of a type's scalars.
    pub(in crate::lower) fn kinds(&self, inner: &TypeInner) -> Result<Vec<ScalarType>> {
        let mut kinds = Vec::with_capacity(self.scalars(inner)?);
        self.push_kinds(inner, &mut kinds)?;
        Ok(kinds)
    }

    fn push_kinds(&self, inner: &TypeInner, kinds: &mut Vec<ScalarType>) -> Result {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => push_kind(scalar, 1, kinds)?,
            TypeInner::Vector { size, scalar } => push_kind(scalar, size as usize, kinds)?,
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => push_kind(scalar, columns as usize * rows as usize, kinds)?,
            TypeInner::Array { base, size, .. } => {
                let Some(length) = self.length(size)? else {
                    return unsupported("a runtime-sized array as a value");
                };
                for _ in 0..length {
                    self.push_kinds(&self.module.types[base].inner, kinds)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.push_kinds(&self.module.types[member.ty].inner, kinds)?;
                }
            }
            _ => return unsupported("a value that is not made of numbers"),
        }
        Ok(())
    }

    /// The positions of a type's scalars.
    pub(in crate::lower) fn positions(
        &self,
        inner: &TypeInner,
        layout: MemoryLayout,
    ) -> Result<Vec<ScalarPosition>> {
        if layout == MemoryLayout::Packed {
            let kinds = self.kinds(inner)?.into_iter().zip(0u32..);
            return Ok(kinds
                .map(|(kind, word)| ScalarPosition {
                    at: SCALAR * word,
                    code: ScalarEncoding::Word(kind),
                })
                .collect());
        }
        let mut positions = Vec::with_capacity(self.scalars(inner)?);
        self.push_positions(inner, Bytes(0), &mut positions)?;
        Ok(positions)
    }

    fn push_positions(
        &self,
        inner: &TypeInner,
        at: Bytes,
        positions: &mut Vec<ScalarPosition>,
    ) -> Result {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                push_scalar(scalar, at, positions)?;
            }
            TypeInner::Vector { size, scalar } => {
                for component in 0..size as u32 {
                    let offset = Bytes(scalar.width.into()) * component;
                    push_scalar(scalar, at + offset, positions)?;
                }
            }
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => {
                let column_type = TypeInner::Vector { size: rows, scalar };
                for column in 0..columns as u32 {
                    let at = at + column_stride(rows, scalar) * column;
                    self.push_positions(&column_type, at, positions)?;
                }
            }
            TypeInner::Array { base, size, stride } => {
                let length = self.length(size)?.unwrap_or(0);
                for element in 0..length {
                    let at = at + Bytes::from(stride) * element;
                    self.push_positions(&self.module.types[base].inner, at, positions)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    let inner = &self.module.types[member.ty].inner;
                    self.push_positions(inner, at + member.offset.into(), positions)?;
                }
            }
            _ => return unsupported("memory that is not made of numbers"),
        }
        Ok(())
    }

    /// The elements of an indexable type, and their type.
    pub(in crate::lower) fn element(
        &self,
        inner: &TypeInner,
        layout: MemoryLayout,
    ) -> Result<(ElementLayout, Shape)> {
        let (bytes, count, shape) = match *inner {
            TypeInner::Vector { size, scalar } => (
                Bytes(scalar.width.into()),
                Some(size as u32),
                Shape::Scalar(scalar),
            ),
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => (
                column_stride(rows, scalar),
                Some(columns as u32),
                Shape::Vector(rows, scalar),
            ),
            TypeInner::Array { base, size, stride } => {
                (stride.into(), self.length(size)?, Shape::Handle(base))
            }
            _ => return unsupported("this index"),
        };
        let scalars = self.count_shape(shape)?;
        let (stride, layout) = match layout {
            MemoryLayout::Shared | MemoryLayout::Halves => (bytes, counted(bytes, layout)),
            MemoryLayout::Packed => (SCALAR * scalars, layout),
        };
        let elements = ElementLayout {
            stride,
            layout,
            scalars,
            count,
        };
        Ok((elements, shape))
    }

    fn count_shape(&self, shape: Shape) -> Result<u32> {
        let count = match shape {
            Shape::Handle(ty) => self.scalars[ty.index()],
            Shape::Scalar(scalar) => values(scalar),
            Shape::Vector(size, scalar) => size as u64 * values(scalar),
        };
        u32::try_from(count).map_err(|_| Stop::Unsupported(format!("a value of {count} numbers")))
    }

    /// The position of a structure member.
    pub(in crate::lower) fn member(
        &self,
        inner: &TypeInner,
        index: u32,
        layout: MemoryLayout,
    ) -> Result<Member> {
        let TypeInner::Struct { ref members, .. } = *inner else {
            return unsupported("this member");
        };
        let before = &members[..index as usize];
        let scalars: u64 = before
            .iter()
            .map(|member| self.scalars[member.ty.index()])
            .sum();
        let scalars =
            u32::try_from(scalars).map_err(|_| Stop::Unsupported("a huge structure".into()))?;
        let member = &members[index as usize];
        let (offset, layout) = match layout {
            MemoryLayout::Shared | MemoryLayout::Halves => {
                let offset = member.offset.into();
                (offset, counted(offset, layout))
            }
            MemoryLayout::Packed => (SCALAR * scalars, layout),
        };
        Ok(Member {
            offset,
            layout,
            scalars,
            shape: Shape::Handle(member.ty),
        })
    }

    /// The inner type.
    pub(in crate::lower) fn inner(&self, shape: Shape) -> TypeInner {
        match shape {
            Shape::Handle(ty) => self.module.types[ty].inner.clone(),
            Shape::Scalar(scalar) => TypeInner::Scalar(scalar),
            Shape::Vector(size, scalar) => TypeInner::Vector { size, scalar },
        }
    }
}

/// The number of 32-bit values of a number, supported or not.
fn values(scalar: naga::Scalar) -> u64 {
    if scalar.width == 8 { 2 } else { 1 }
}

fn push_kind(scalar: naga::Scalar, count: usize, kinds: &mut Vec<ScalarType>) -> Result {
    let number = Number::of(scalar)?;
    kinds.extend(std::iter::repeat_n(number.kind(), count * number.values()));
    Ok(())
}

fn push_scalar(scalar: naga::Scalar, at: Bytes, positions: &mut Vec<ScalarPosition>) -> Result {
    let number = Number::of(scalar)?;
    if scalar.width == 2 {
        let code = ScalarEncoding::Half(number);
        positions.push(ScalarPosition { at, code });
        return Ok(());
    }
    let code = ScalarEncoding::Word(number.kind());
    let words = 0..number.values() as u32;
    positions.extend(words.map(|word| ScalarPosition {
        at: at + SCALAR * word,
        code,
    }));
    Ok(())
}

/// The layout in which a distance can be expressed: half-words if it is not a multiple of a word.
fn counted(distance: Bytes, layout: MemoryLayout) -> MemoryLayout {
    if distance.is_whole_words() {
        layout
    } else {
        MemoryLayout::Halves
    }
}

/// The stride between matrix columns.
fn column_stride(rows: VectorSize, scalar: naga::Scalar) -> Bytes {
    let columns = match rows {
        VectorSize::Bi => 2,
        VectorSize::Tri | VectorSize::Quad => 4,
    };
    Bytes(scalar.width.into()) * columns
}
