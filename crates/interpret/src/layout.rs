//! How values lie in registers and in memory.
//!
//! Two layouts: *packed* (one word per scalar, no padding) for registers, function, private and
//! workgroup variables, and *host-shareable* (WGSL's byte offsets and strides, as naga computed
//! them) for buffers and immediate data.

use naga::proc::{GlobalCtx, IndexableLength};
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

use crate::code::{Run, Space};

/// A type the evaluator does not have; the text names it.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported(pub(crate) String);

/// The most words a single value or variable may have: 64 MiB.
pub(crate) const MAX_WORDS: u64 = 1 << 24;

/// The words of every type of a module, packed; a type that is not supported says why.
pub(crate) struct TypeWords(Vec<Result<u64, Unsupported>>);

impl TypeWords {
    /// Counts each type once: naga puts a type after those it is made of, and a type that holds
    /// another twice, and so on, would take exponential time to walk.
    pub(crate) fn of(module: &Module) -> Self {
        let mut counted = Self(Vec::with_capacity(module.types.len()));
        for (_, ty) in module.types.iter() {
            let words = Layout::of(module, &counted).count_words(&ty.inner);
            counted.0.push(words);
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

/// Fails for scalars that are not a `bool` or 32 bits wide.
pub(crate) fn check_scalar(scalar: Scalar) -> Result<(), Unsupported> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok(()),
        (ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Float, 4) => Ok(()),
        (kind, width) => Err(Unsupported(format!(
            "the type {}{}",
            match kind {
                ScalarKind::Sint => "i",
                ScalarKind::Uint => "u",
                _ => "f",
            },
            u32::from(width) * 8
        ))),
    }
}

/// Bytes from one matrix column to the next in host-shareable memory.
pub(crate) fn column_stride(rows: VectorSize) -> u32 {
    match rows {
        VectorSize::Bi => 8,
        VectorSize::Tri | VectorSize::Quad => 16,
    }
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

    /// The structure of a type.
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
        let words = self.count_words(inner)?;
        if words > MAX_WORDS {
            return Err(Unsupported(format!(
                "a value of {} bytes (the limit is {})",
                words.saturating_mul(4),
                MAX_WORDS * 4
            )));
        }
        Ok(words as u32)
    }

    fn words_of_part(self, ty: Handle<Type>) -> Result<u64, Unsupported> {
        self.type_words.0[ty.index()].clone()
    }

    fn count_words(self, inner: &TypeInner) -> Result<u64, Unsupported> {
        Ok(match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                check_scalar(scalar)?;
                1
            }
            TypeInner::Vector { size, scalar } => {
                check_scalar(scalar)?;
                size as u64
            }
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => {
                check_scalar(scalar)?;
                columns as u64 * rows as u64
            }
            TypeInner::Array { base, size, .. } => {
                let len = u64::from(self.len(size)?);
                self.words_of_part(base)?.saturating_mul(len)
            }
            TypeInner::Struct { ref members, .. } => {
                let mut words = 0u64;
                for member in members {
                    words = words.saturating_add(self.words_of_part(member.ty)?);
                }
                words
            }
            TypeInner::Image {
                class: naga::ImageClass::External,
                ..
            } => return Err(Unsupported("an external texture".into())),
            // As a parameter, a texture is its number.
            TypeInner::Image { .. } | TypeInner::Sampler { .. } => 1,
            TypeInner::BindingArray { .. } => return Err(Unsupported("a binding array".into())),
            TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
                return Err(Unsupported("ray tracing".into()));
            }
            TypeInner::CooperativeMatrix { .. } => {
                return Err(Unsupported("a cooperative matrix".into()));
            }
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => 1,
        })
    }

    /// The first register of part `index` of a packed value, counted from the value's first.
    pub(crate) fn packed_part(self, inner: &TypeInner, index: u32) -> Result<u32, Unsupported> {
        Ok(match *inner {
            TypeInner::Vector { .. } => index,
            TypeInner::Matrix { rows, .. } => index * rows as u32,
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
            TypeInner::Vector { .. } => index * 4,
            TypeInner::Matrix { rows, .. } => index * column_stride(rows),
            TypeInner::Array { stride, .. } => index * stride,
            TypeInner::Struct { ref members, .. } => members[index as usize].offset,
            _ => 0,
        })
    }

    /// The stretches of a value in host-shareable memory, in rising order, joined where they touch.
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
        let mut run = |memory: u32, words: u32| {
            match runs.last_mut() {
                Some(last) if last.memory + last.words * 4 == memory => last.words += words,
                _ => runs.push(Run {
                    memory,
                    register: *register,
                    words,
                }),
            }
            *register += words;
        };
        // What has no padding is one stretch, however many parts it has.
        let words = self.words(inner)?;
        if inner.size(self.context) == words * 4 {
            run(memory, words);
            return Ok(());
        }
        match *inner {
            TypeInner::Matrix { columns, rows, .. } => {
                for column in 0..columns as u32 {
                    run(memory + column * column_stride(rows), rows as u32);
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
