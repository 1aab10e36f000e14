//! Types as the scalars they are made of.
//!
//! In: types of a module. Out: how many scalars a value has, of which kinds, and where each lies in memory. Memory
//! that others see has WGSL's layout; what only the program sees is packed, a word for each scalar.

use naga::proc::{GlobalCtx, IndexableLength};
use naga::{ArraySize, Handle, Module, ScalarKind, Type, TypeInner, VectorSize};

use super::error::{Result, Stop, unsupported};

/// The kind of a scalar, all of 32 bits; truth is a mask or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Sint,
    Uint,
    Bool,
}

impl Kind {
    pub(super) fn of(scalar: naga::Scalar) -> Result<Self> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => Ok(Self::Float),
            (ScalarKind::Sint, 4) => Ok(Self::Sint),
            (ScalarKind::Uint, 4) => Ok(Self::Uint),
            (ScalarKind::Bool, _) => Ok(Self::Bool),
            (kind, width) => {
                let kind = match kind {
                    ScalarKind::Float => "f",
                    ScalarKind::Sint => "i",
                    ScalarKind::Uint => "u",
                    _ => return unsupported("abstract numbers"),
                };
                unsupported(format!("`{kind}{}`", 8 * u32::from(width)))
            }
        }
    }
}

/// How memory is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// As WGSL says.
    Shared,
    /// A word for each scalar.
    Packed,
}

/// The most scalars that a value may have; more would be code without end.
pub(super) const MAX_SCALARS: u64 = 512;

/// The types of a module.
pub(super) struct Shapes<'a> {
    module: &'a Module,
    /// Scalars of each type; of a runtime-sized array those of no element.
    scalars: Vec<u64>,
}

/// The elements of a type that has an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    /// Words from one to the next.
    pub(super) stride: u32,
    /// Scalars of each.
    pub(super) scalars: u32,
    /// How many; `None` where only the buffer says it.
    pub(super) count: Option<u32>,
}

/// A type that may have no handle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Handle(Handle<Type>),
    Scalar(naga::Scalar),
    Vector(VectorSize, naga::Scalar),
}

impl<'a> Shapes<'a> {
    pub(super) fn of(module: &'a Module) -> Self {
        let mut shapes = Self {
            module,
            scalars: Vec::with_capacity(module.types.len()),
        };
        // Types come after those that they are made of.
        for (_, ty) in module.types.iter() {
            let count = shapes.count_inner(&ty.inner);
            shapes.scalars.push(count);
        }
        shapes
    }

    fn context(&self) -> GlobalCtx<'a> {
        self.module.to_ctx()
    }

    /// The elements of an array; `None` where only the buffer says it.
    pub(super) fn length(&self, size: ArraySize) -> Result<Option<u32>> {
        match size.resolve(self.context()) {
            Ok(IndexableLength::Known(length)) => Ok(Some(length)),
            Ok(IndexableLength::Dynamic) => Ok(None),
            Err(_) => unsupported("an array whose size is not resolved"),
        }
    }

    fn count_inner(&self, inner: &TypeInner) -> u64 {
        match *inner {
            TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
            TypeInner::Vector { size, .. } => size as u64,
            TypeInner::Matrix { columns, rows, .. } => columns as u64 * rows as u64,
            TypeInner::Array { base, size, .. } => {
                let length = self.length(size).ok().flatten().unwrap_or(0);
                self.scalars[base.index()].saturating_mul(length.into())
            }
            TypeInner::Struct { ref members, .. } => members
                .iter()
                .fold(0, |sum, it| self.scalars[it.ty.index()].saturating_add(sum)),
            _ => 0,
        }
    }

    /// How many scalars a type has.
    pub(super) fn scalars(&self, inner: &TypeInner) -> Result<usize> {
        let count = self.count_inner(inner);
        match count <= MAX_SCALARS {
            true => Ok(count as usize),
            false => unsupported(format!("a value of {count} numbers")),
        }
    }

    /// Words that a variable takes where memory is packed.
    pub(super) fn packed_words(&self, ty: Handle<Type>) -> Result<u32> {
        let words = self.scalars[ty.index()];
        u32::try_from(words)
            .ok()
            .filter(|words| *words < 1 << 22)
            .ok_or_else(|| Stop(format!("a variable of {words} words")))
    }

    /// The kinds of the scalars of a type.
    pub(super) fn kinds(&self, inner: &TypeInner) -> Result<Vec<Kind>> {
        let mut kinds = Vec::with_capacity(self.scalars(inner)?);
        self.push_kinds(inner, &mut kinds)?;
        Ok(kinds)
    }

    fn push_kinds(&self, inner: &TypeInner, kinds: &mut Vec<Kind>) -> Result {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => kinds.push(Kind::of(scalar)?),
            TypeInner::Vector { size, scalar } => {
                let kind = Kind::of(scalar)?;
                kinds.extend(std::iter::repeat_n(kind, size as usize));
            }
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => {
                let kind = Kind::of(scalar)?;
                kinds.extend(std::iter::repeat_n(kind, columns as usize * rows as usize));
            }
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

    /// Where the scalars of a type lie, in words from its beginning.
    pub(super) fn offsets(&self, inner: &TypeInner, layout: Layout) -> Result<Vec<u32>> {
        let count = self.scalars(inner)?;
        if layout == Layout::Packed {
            return Ok((0..count as u32).collect());
        }
        let mut offsets = Vec::with_capacity(count);
        self.push_offsets(inner, 0, &mut offsets)?;
        Ok(offsets)
    }

    fn push_offsets(&self, inner: &TypeInner, at: u32, offsets: &mut Vec<u32>) -> Result {
        match *inner {
            TypeInner::Scalar(_) | TypeInner::Atomic(_) => offsets.push(at),
            TypeInner::Vector { size, .. } => offsets.extend(at..at + size as u32),
            TypeInner::Matrix { columns, rows, .. } => {
                for column in 0..columns as u32 {
                    let at = at + column * column_stride(rows);
                    offsets.extend(at..at + rows as u32);
                }
            }
            TypeInner::Array { base, size, stride } => {
                let length = self.length(size)?.unwrap_or(0);
                for element in 0..length {
                    let at = at + element * words(stride)?;
                    self.push_offsets(&self.module.types[base].inner, at, offsets)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    let at = at + words(member.offset)?;
                    self.push_offsets(&self.module.types[member.ty].inner, at, offsets)?;
                }
            }
            _ => return unsupported("memory that is not made of numbers"),
        }
        Ok(())
    }

    /// What indexing a type gives, and the type of it.
    pub(super) fn element(&self, inner: &TypeInner, layout: Layout) -> Result<(Elements, Shape)> {
        let (shared, count, shape) = match *inner {
            TypeInner::Vector { size, scalar } => (Ok(1), Some(size as u32), Shape::Scalar(scalar)),
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => (
                Ok(column_stride(rows)),
                Some(columns as u32),
                Shape::Vector(rows, scalar),
            ),
            TypeInner::Array { base, size, stride } => {
                (words(stride), self.length(size)?, Shape::Handle(base))
            }
            _ => return unsupported("this index"),
        };
        let scalars = self.count_shape(shape)?;
        let stride = match layout {
            Layout::Shared => shared?,
            Layout::Packed => scalars,
        };
        let elements = Elements {
            stride,
            scalars,
            count,
        };
        Ok((elements, shape))
    }

    fn count_shape(&self, shape: Shape) -> Result<u32> {
        let count = match shape {
            Shape::Handle(ty) => self.scalars[ty.index()],
            Shape::Scalar(_) => 1,
            Shape::Vector(size, _) => size as u64,
        };
        u32::try_from(count).map_err(|_| Stop(format!("a value of {count} numbers")))
    }

    /// Where a member of a structure begins: in words of memory, and in scalars.
    pub(super) fn member(
        &self,
        inner: &TypeInner,
        index: u32,
        layout: Layout,
    ) -> Result<(u32, u32, Shape)> {
        let TypeInner::Struct { ref members, .. } = *inner else {
            return unsupported("this member");
        };
        let before = &members[..index as usize];
        let scalars: u64 = before.iter().map(|it| self.scalars[it.ty.index()]).sum();
        let scalars = u32::try_from(scalars).map_err(|_| Stop("a huge structure".into()))?;
        let member = &members[index as usize];
        let offset = match layout {
            Layout::Shared => words(member.offset)?,
            Layout::Packed => scalars,
        };
        Ok((offset, scalars, Shape::Handle(member.ty)))
    }

    /// The structure of a type.
    pub(super) fn inner(&self, shape: Shape) -> TypeInner {
        match shape {
            Shape::Handle(ty) => self.module.types[ty].inner.clone(),
            Shape::Scalar(scalar) => TypeInner::Scalar(scalar),
            Shape::Vector(size, scalar) => TypeInner::Vector { size, scalar },
        }
    }
}

fn words(bytes: u32) -> Result<u32> {
    match bytes % 4 {
        0 => Ok(bytes / 4),
        _ => unsupported("numbers of 16 bits in memory"),
    }
}

fn column_stride(rows: VectorSize) -> u32 {
    match rows {
        VectorSize::Bi => 2,
        VectorSize::Tri | VectorSize::Quad => 4,
    }
}
