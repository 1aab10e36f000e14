//! The layout of values in registers and in memory.
//!
//! Two layouts: *packed* (whole words per scalar, no padding) for registers, function, private and
//! workgroup variables, and *host-shareable* (WGSL's byte offsets and strides, as naga computed
//! them) for buffers and immediate data.

use naga::proc::{GlobalCtx, IndexableLength};
use naga::{ArraySize, Handle, Module, Scalar, Type, TypeInner, VectorSize};

use crate::bytecode::{Number, Run, Space};

/// An unsupported type; the text names it.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported(pub(crate) String);

/// The most words a single value or variable may have: 64 MiB.
pub(crate) const MAX_WORDS: u64 = 1 << 24;

/// The size of a type.
#[derive(Clone, Copy)]
struct Extent {
    /// Packed.
    words: u64,
    /// Whether it contains 16-bit scalars.
    has_halves: bool,
}

/// By type of a module: its size in packed memory; an error if it is not supported.
pub(crate) struct TypeWords(Vec<Result<Extent, Unsupported>>);

impl TypeWords {
    /// Counts each type once: naga puts a type after those it is made of, and a type that holds
    /// another twice, and so on, would take exponential time to walk.
    pub(crate) fn of(module: &Module) -> Self {
        let mut counted = Self(Vec::with_capacity(module.types.len()));
        for (_, ty) in module.types.iter() {
            let extent = Layout::of(module, &counted).extent(&ty.inner);
            counted.0.push(extent);
        }
        counted
    }
}

/// Types of a module with both layouts.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    context: GlobalCtx<'a>,
    type_words: &'a TypeWords,
}

/// The type of a scalar that values can have.
pub(crate) fn number(scalar: Scalar) -> Result<Number, Unsupported> {
    Number::of(scalar).ok_or_else(|| Unsupported("an abstract number".into()))
}

/// Bytes from one matrix column to the next in host-shareable memory.
fn column_stride(rows: VectorSize, scalar: Scalar) -> u32 {
    let rows = match rows {
        VectorSize::Bi => 2,
        VectorSize::Tri | VectorSize::Quad => 4,
    };
    rows * u32::from(scalar.width)
}

/// Units from one component of a vector to the next.
pub(crate) fn component_stride(space: Space, scalar: Scalar) -> Result<u32, Unsupported> {
    if is_packed(space) {
        return Ok(number(scalar)?.words());
    }
    Ok(u32::from(scalar.width))
}

/// Whether a space uses the packed layout.
pub(crate) fn is_packed(space: Space) -> bool {
    matches!(space, Space::Registers | Space::Workgroup)
}

impl<'a> Layout<'a> {
    /// The layouts of a module's types.
    pub(crate) fn of(module: &'a Module, type_words: &'a TypeWords) -> Self {
        Self {
            context: module.to_ctx(),
            type_words,
        }
    }

    /// The inner type.
    pub(crate) fn inner(self, ty: Handle<Type>) -> &'a TypeInner {
        &self.context.types[ty].inner
    }

    /// The elements of an array that is not runtime-sized; its size may come from an override.
    pub(crate) fn len(self, size: ArraySize) -> Result<u32, Unsupported> {
        match size.resolve(self.context) {
            Ok(IndexableLength::Known(len)) => Ok(len),
            Ok(IndexableLength::Dynamic) => {
                Err(Unsupported("a runtime-sized array as a value".into()))
            }
            Err(_) => Err(Unsupported("an array whose size is not resolved".into())),
        }
    }

    /// Words of a packed value.
    pub(crate) fn words(self, inner: &TypeInner) -> Result<u32, Unsupported> {
        let words = self.extent(inner)?.words;
        if words > MAX_WORDS {
            return Err(Unsupported(format!(
                "a value of {} bytes (the limit is {})",
                words.saturating_mul(4),
                MAX_WORDS * 4
            )));
        }
        Ok(words as u32)
    }

    /// Whether a type contains 16-bit scalars.
    pub(crate) fn has_halves(self, inner: &TypeInner) -> Result<bool, Unsupported> {
        Ok(self.extent(inner)?.has_halves)
    }

    fn extent_of_part(self, ty: Handle<Type>) -> Result<Extent, Unsupported> {
        self.type_words.0[ty.index()].clone()
    }

    fn extent(self, inner: &TypeInner) -> Result<Extent, Unsupported> {
        let scalars = |count: u64, scalar| {
            let number = number(scalar)?;
            Ok(Extent {
                words: count * u64::from(number.words()),
                has_halves: number.bits() == 16,
            })
        };
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => scalars(1, scalar),
            TypeInner::Vector { size, scalar } => scalars(size as u64, scalar),
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => scalars(columns as u64 * rows as u64, scalar),
            TypeInner::Array { base, size, .. } => {
                let len = u64::from(self.len(size)?);
                let base = self.extent_of_part(base)?;
                let words = base.words.saturating_mul(len);
                Ok(Extent { words, ..base })
            }
            TypeInner::Struct { ref members, .. } => {
                let mut all = Extent {
                    words: 0,
                    has_halves: false,
                };
                for member in members {
                    let part = self.extent_of_part(member.ty)?;
                    all.words = all.words.saturating_add(part.words);
                    all.has_halves |= part.has_halves;
                }
                Ok(all)
            }
            TypeInner::Image {
                class: naga::ImageClass::External,
                ..
            } => Err(Unsupported("an external texture".into())),
            // As a parameter, a texture is its index.
            TypeInner::Pointer { .. }
            | TypeInner::ValuePointer { .. }
            | TypeInner::Image { .. }
            | TypeInner::Sampler { .. } => Ok(Extent {
                words: 1,
                has_halves: false,
            }),
            TypeInner::BindingArray { .. } => Err(Unsupported("a binding array".into())),
            TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
                Err(Unsupported("ray tracing".into()))
            }
            TypeInner::CooperativeMatrix { .. } => Err(Unsupported("a cooperative matrix".into())),
        }
    }

    /// The first register of part `index` of a packed value, counted from the value's first.
    pub(crate) fn packed_part(self, inner: &TypeInner, index: u32) -> Result<u32, Unsupported> {
        Ok(match *inner {
            TypeInner::Vector { scalar, .. } => index * number(scalar)?.words(),
            TypeInner::Matrix { rows, scalar, .. } => index * rows as u32 * number(scalar)?.words(),
            TypeInner::Array { base, .. } => index * self.words(self.inner(base))?,
            TypeInner::Struct { ref members, .. } => {
                let mut words = 0;
                for member in &members[..index as usize] {
                    words += self.words(self.inner(member.ty))?;
                }
                words
            }
            _ => 0,
        })
    }

    /// Units from the address of a composite to the address of its part `index`.
    pub(crate) fn part_offset(
        self,
        space: Space,
        inner: &TypeInner,
        index: u32,
    ) -> Result<u32, Unsupported> {
        if is_packed(space) {
            return self.packed_part(inner, index);
        }
        Ok(match *inner {
            TypeInner::Vector { scalar, .. } => index * u32::from(scalar.width),
            TypeInner::Matrix { rows, scalar, .. } => index * column_stride(rows, scalar),
            TypeInner::Array { stride, .. } => index * stride,
            TypeInner::Struct { ref members, .. } => members[index as usize].offset,
            _ => 0,
        })
    }

    /// The contiguous runs of a value in host-shareable memory, in ascending order, merged where they touch.
    pub(crate) fn host_runs(self, inner: &TypeInner) -> Result<Vec<Run>, Unsupported> {
        self.words(inner)?;
        let mut runs = Vec::new();
        let mut register = 0;
        self.push_runs(inner, 0, &mut register, &mut runs)?;
        Ok(runs)
    }

    fn push_runs(
        self,
        inner: &TypeInner,
        memory: u32,
        register: &mut u32,
        runs: &mut Vec<Run>,
    ) -> Result<(), Unsupported> {
        let words = self.words(inner)?;
        let halves = self.has_halves(inner)?;
        let width = if halves { 2 } else { 4 };
        let mut run = |memory: u32, words: u32| {
            match runs.last_mut() {
                Some(last)
                    if last.halves == halves && last.memory + last.words * width == memory =>
                {
                    last.words += words;
                }
                _ => runs.push(Run {
                    memory,
                    register: *register,
                    words,
                    halves,
                }),
            }
            *register += words;
        };
        // A type without padding is one run, whatever its parts. With 16-bit scalars this test is not sufficient:
        // other scalars may make up for padding.
        if !halves && inner.size(self.context) == words * 4 {
            run(memory, words);
            return Ok(());
        }
        match *inner {
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => {
                let words = words / columns as u32;
                for column in 0..columns as u32 {
                    run(memory + column * column_stride(rows, scalar), words);
                }
            }
            TypeInner::Array { base, size, stride } => {
                for index in 0..self.len(size)? {
                    let at = memory + index * stride;
                    self.push_runs(self.inner(base), at, register, runs)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    let at = memory + member.offset;
                    self.push_runs(self.inner(member.ty), at, register, runs)?;
                }
            }
            _ => run(memory, words),
        }
        Ok(())
    }
}
