//! Type layout: naga types for values and for memory.
//!
//! In: [`Type`]s with their decorations. Out: two naga types for each. The *value type* is what instructions compute
//! with. The *memory type* is what a variable holds; it differs for row-major matrices, matrices with a non-default
//! stride, members out of offset order, and atomics. Every leaf of a memory type has the offset that the module
//! specifies; if both types are the same, a load needs no conversion.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::rc::Rc;

use anywarp_program::naga::{self, ArraySize, Handle, Scalar, ScalarKind, TypeInner, VectorSize};
use naga::proc::{Alignment, TypeLayout};
use rspirv::spirv::Decoration;

pub(crate) use super::atomic_paths::AtomicPaths;
use super::id_table::IdTable;
use super::types::{Type, Types};
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::{Id, Module};

/// The layout of a matrix in memory, from the decorations of the member that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MatrixLayout {
    pub(crate) stride: u32,
    pub(crate) is_row_major: bool,
}

/// The path step for any element of an array.
pub(crate) const ELEMENT: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LayoutKey {
    ty: Id,
    matrix: Option<MatrixLayout>,
    atomics: AtomicPaths,
}

/// Cache of the naga types and layouts.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    values: IdTable<Handle<naga::Type>>,
    /// Memory types without atomics and without a matrix layout.
    plain: IdTable<Handle<naga::Type>>,
    memories: HashMap<LayoutKey, Handle<naga::Type>>,
    /// Array lengths by the id of the length constant.
    lengths: IdTable<ArraySize>,
    /// Layouts by type. naga's `Layouter` visits all types each time, so this cache replaces it.
    laid: HashMap<Handle<naga::Type>, TypeLayout>,
    /// Member layouts by struct.
    members: RefCell<IdTable<Rc<StructLayout>>>,
}

/// The inputs of type construction.
pub(crate) struct LayoutInputs<'a> {
    pub(crate) spirv: &'a Module<'a>,
    pub(crate) types: &'a Types,
}

impl Layouts {
    /// The member layouts of a struct, computed once.
    pub(crate) fn members(&self, spirv: &Module<'_>, id: Id, count: usize) -> Rc<StructLayout> {
        let mut known = self.members.borrow_mut();
        if let Some(found) = known.get(id) {
            return Rc::clone(found);
        }
        let found = Rc::new(members(spirv, id, count));
        known.insert(id, Rc::clone(&found));
        found
    }

    /// Sets the length of the arrays whose length operand is this constant.
    pub(crate) fn set_length(&mut self, constant: Id, length: ArraySize) {
        self.lengths.insert(constant, length);
    }

    /// The length of the arrays whose length operand is this constant.
    pub(crate) fn length(&self, constant: Id) -> Result<ArraySize> {
        let length = self.lengths.get(constant).copied();
        length.ok_or_else(|| {
            ReadError::invalid(format!("the length {constant} of an array is no constant"))
        })
    }

    /// The value type.
    pub(crate) fn value(
        &mut self,
        source: &LayoutInputs<'_>,
        module: &mut naga::Module,
        id: Id,
    ) -> Result<Handle<naga::Type>> {
        if let Some(handle) = self.values.get(id) {
            return Ok(*handle);
        }
        TypeBuilder::new(self, source, module).build(id, None, None)
    }

    /// The memory type.
    pub(crate) fn memory(
        &mut self,
        source: &LayoutInputs<'_>,
        module: &mut naga::Module,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<Handle<naga::Type>> {
        let is_plain = matrix.is_none() && atomics.is_empty();
        if is_plain {
            return match self.plain.get(id) {
                Some(handle) => Ok(*handle),
                None => TypeBuilder::new(self, source, module).build(id, matrix, Some(atomics)),
            };
        }
        let key = LayoutKey {
            ty: id,
            matrix,
            atomics: atomics.clone(),
        };
        if let Some(handle) = self.memories.get(&key) {
            return Ok(*handle);
        }
        let handle = TypeBuilder::new(self, source, module).build(id, matrix, Some(atomics))?;
        self.memories.insert(key, handle);
        Ok(handle)
    }
}

/// The layout of the members of a struct.
#[derive(Clone, Debug)]
pub(crate) struct StructLayout {
    /// The index of each member in the naga struct, whose members are in offset order.
    pub(crate) places: Vec<u32>,
    pub(crate) matrices: Vec<Option<MatrixLayout>>,
    /// The `Offset` decoration of each member.
    pub(crate) offsets: Vec<Option<u32>>,
}

/// The member layouts of a struct, from its decorations.
fn members(spirv: &Module<'_>, id: Id, count: usize) -> StructLayout {
    let mut offsets = vec![None; count];
    let mut strides = vec![None; count];
    let mut is_row_major = vec![false; count];
    for (member, decoration) in spirv.decorations.of_members(id) {
        let member = member as usize;
        if member >= count {
            continue;
        }
        let value = decoration.operands.first().copied();
        // The first of several decorations of one kind wins.
        match decoration.kind {
            Decoration::Offset => offsets[member] = offsets[member].or(Some(value)),
            Decoration::MatrixStride => strides[member] = strides[member].or(Some(value)),
            Decoration::RowMajor => is_row_major[member] = true,
            _ => {}
        }
    }
    let offsets: Vec<Option<u32>> = offsets.into_iter().map(Option::flatten).collect();
    let mut places: Vec<u32> = (0..count as u32).collect();
    let offset = |member: u32| offsets[member as usize].unwrap_or(0);
    if !places.is_sorted_by_key(|member| offset(*member)) {
        let mut order = places.clone();
        // A stable sort: members without offsets keep their order.
        order.sort_by_key(|member| offset(*member));
        for (place, member) in (0..).zip(order) {
            places[member as usize] = place;
        }
    }
    let matrices = strides.into_iter().zip(is_row_major);
    let matrices = matrices.map(|(stride, is_row_major)| {
        Some(MatrixLayout {
            stride: stride.flatten()?,
            is_row_major,
        })
    });
    StructLayout {
        places,
        matrices: matrices.collect(),
        offsets,
    }
}

/// Whether a matrix has the layout of a WGSL matrix.
pub(crate) fn is_plain(layout: Option<MatrixLayout>, rows: VectorSize, scalar: Scalar) -> bool {
    let padded = if rows == VectorSize::Bi { 2 } else { 4 };
    layout.is_none_or(|layout| {
        !layout.is_row_major && layout.stride == padded * u32::from(scalar.width)
    })
}

/// What the alignment of a type depends on.
enum AlignmentSource {
    Known(Alignment),
    /// The largest alignment of these types.
    LargestOf(Vec<Handle<naga::Type>>),
}

/// Builds a type and its component types.
struct TypeBuilder<'m> {
    layouts: &'m mut Layouts,
    source: &'m LayoutInputs<'m>,
    module: &'m mut naga::Module,
}

impl<'m> TypeBuilder<'m> {
    fn new(
        layouts: &'m mut Layouts,
        source: &'m LayoutInputs<'m>,
        module: &'m mut naga::Module,
    ) -> Self {
        Self {
            layouts,
            source,
            module,
        }
    }

    /// Builds a value type if `atomics` is `None`, a memory type otherwise.
    fn build(
        &mut self,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: Option<&AtomicPaths>,
    ) -> Result<Handle<naga::Type>> {
        let is_plain = matrix.is_none() && atomics.is_none_or(AtomicPaths::is_empty);
        if !is_plain {
            return self.make_anew(id, matrix, atomics);
        }
        let known = match atomics {
            None => self.layouts.values.get(id),
            Some(_) => self.layouts.plain.get(id),
        };
        if let Some(known) = known {
            return Ok(*known);
        }
        let handle = self.make_anew(id, matrix, atomics)?;
        match atomics {
            None => self.layouts.values.insert(id, handle),
            Some(_) => self.layouts.plain.insert(id, handle),
        }
        Ok(handle)
    }

    fn make_anew(
        &mut self,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: Option<&AtomicPaths>,
    ) -> Result<Handle<naga::Type>> {
        let is_atomic = atomics.is_some_and(|paths| paths.is_whole());
        let inner = match self.source.types.get(id)? {
            Type::Bool | Type::Int { .. } | Type::Float { .. } => match self.scalar(id)? {
                scalar if is_atomic => TypeInner::Atomic(atomic(scalar)),
                scalar => TypeInner::Scalar(scalar),
            },
            // A vector cannot have atomic components, so it becomes an array.
            Type::Vector { component, count } if atomics.is_some_and(|paths| !paths.is_empty()) => {
                let scalar = self.scalar(*component)?;
                let base = self.insert(None, TypeInner::Atomic(atomic(scalar)));
                let length = NonZeroU32::new(*count).expect("vectors have components");
                TypeInner::Array {
                    base,
                    size: ArraySize::Constant(length),
                    stride: scalar.width.into(),
                }
            }
            Type::Vector { component, count } => TypeInner::Vector {
                size: vector_size(*count)?,
                scalar: self.scalar(*component)?,
            },
            Type::Matrix { column, columns } => self.matrix(*column, *columns, matrix)?,
            Type::Array { element, length } => {
                let size = *self.layouts.lengths.get(*length).ok_or_else(|| {
                    ReadError::invalid(format!("the length {length} of an array is no constant"))
                })?;
                self.array(id, *element, size, matrix, atomics)?
            }
            Type::RuntimeArray { element } => {
                self.array(id, *element, ArraySize::Dynamic, matrix, atomics)?
            }
            Type::Struct { members } => return self.structure(id, members, atomics),
            Type::Pointer { .. } => {
                let feature = "pointers that lie in memory or that functions give back";
                return Err(ReadError::unsupported(feature));
            }
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => {
                return Err(ReadError::unsupported("images or samplers as data"));
            }
            ty => return Err(ReadError::invalid(format!("{ty:?} is not a type of data"))),
        };
        Ok(self.insert(None, inner))
    }

    fn scalar(&self, id: Id) -> Result<Scalar> {
        scalar(self.source.types, id)
    }

    fn matrix(
        &mut self,
        column: Id,
        columns: u32,
        layout: Option<MatrixLayout>,
    ) -> Result<TypeInner> {
        let Type::Vector { component, count } = *self.source.types.get(column)? else {
            return Err(ReadError::invalid("the columns of a matrix are no vectors"));
        };
        let (columns, rows) = (vector_size(columns)?, vector_size(count)?);
        let scalar = self.scalar(component)?;
        let Some(layout) = layout.filter(|layout| !is_plain(Some(*layout), rows, scalar)) else {
            return Ok(TypeInner::Matrix {
                columns,
                rows,
                scalar,
            });
        };
        let (length, size) = if layout.is_row_major {
            (rows, columns)
        } else {
            (columns, rows)
        };
        let base = self.insert(None, TypeInner::Vector { size, scalar });
        let length = NonZeroU32::new(length as u32).expect("vectors have components");
        Ok(TypeInner::Array {
            base,
            size: ArraySize::Constant(length),
            stride: layout.stride,
        })
    }

    fn array(
        &mut self,
        id: Id,
        element: Id,
        size: ArraySize,
        matrix: Option<MatrixLayout>,
        atomics: Option<&AtomicPaths>,
    ) -> Result<TypeInner> {
        let inside = atomics.map(|paths| below(paths, ELEMENT));
        let base = self.build(element, matrix, inside.as_ref())?;
        let stride = match self
            .source
            .spirv
            .decorations
            .value(id, Decoration::ArrayStride)
        {
            Some(stride) => stride,
            None => self.layout(base)?.to_stride(),
        };
        Ok(TypeInner::Array { base, size, stride })
    }

    fn structure(
        &mut self,
        id: Id,
        types: &[Id],
        atomics: Option<&AtomicPaths>,
    ) -> Result<Handle<naga::Type>> {
        let spirv = self.source.spirv;
        let lie = self.layouts.members(spirv, id, types.len());
        let is_memory = atomics.is_some();
        let mut made = Vec::with_capacity(types.len());
        let mut end = 0;
        let mut alignment = Alignment::ONE;
        let mut order: Vec<usize> = (0..types.len()).collect();
        if is_memory {
            order.sort_by_key(|member| lie.places[*member]);
        }
        for member in order {
            let number = member as u32;
            let inside = atomics.map(|paths| below(paths, number));
            let matrix = lie.matrices[member].filter(|_| is_memory);
            let ty = self.build(types[member], matrix, inside.as_ref())?;
            let layout = self.layout(ty)?;
            let natural = layout.alignment.round_up(end);
            let offset = lie.offsets[member];
            // A value type uses the module's offsets where they fit, so that value type and memory type are the same.
            let offset = offset.filter(|offset| is_memory || *offset >= natural);
            let offset = offset.unwrap_or(natural);
            end = offset.checked_add(layout.size).ok_or_else(|| {
                ReadError::invalid(format!("member {number} of {id} ends beyond 4 GiB"))
            })?;
            alignment = alignment.max(layout.alignment);
            made.push(naga::StructMember {
                name: spirv.names.member(id, number).map(str::to_owned),
                ty,
                binding: None,
                offset,
            });
        }
        if made.is_empty() {
            // naga rejects empty structs.
            let ty = self.insert(None, TypeInner::Scalar(Scalar::U32));
            end = 4;
            made.push(naga::StructMember {
                name: None,
                ty,
                binding: None,
                offset: 0,
            });
        }
        let name = spirv.names.of(id).map(str::to_owned);
        let inner = TypeInner::Struct {
            members: made,
            span: alignment.round_up(end),
        };
        Ok(self.insert(name, inner))
    }

    fn layout(&mut self, ty: Handle<naga::Type>) -> Result<TypeLayout> {
        if let Some(known) = self.layouts.laid.get(&ty) {
            return Ok(*known);
        }
        let inner = &self.module.types[ty].inner;
        let size = inner.try_size(self.module.to_ctx());
        let size = size.ok_or_else(|| ReadError::invalid("a type is larger than 4 GiB"))?;
        let wide = |scalar: &Scalar| {
            let alignment = Alignment::new(scalar.width.into());
            alignment.ok_or_else(|| ReadError::invalid("the width of a number is no power of two"))
        };
        let parts = match inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                AlignmentSource::Known(wide(scalar)?)
            }
            TypeInner::Vector { size, scalar } => {
                AlignmentSource::Known(Alignment::from(*size) * wide(scalar)?)
            }
            TypeInner::Matrix { rows, scalar, .. } => {
                AlignmentSource::Known(Alignment::from(*rows) * wide(scalar)?)
            }
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
                AlignmentSource::LargestOf(vec![*base])
            }
            TypeInner::Struct { members, .. } => {
                AlignmentSource::LargestOf(members.iter().map(|member| member.ty).collect())
            }
            _ => AlignmentSource::Known(Alignment::ONE),
        };
        let alignment = match parts {
            AlignmentSource::Known(alignment) => alignment,
            AlignmentSource::LargestOf(types) => {
                types.into_iter().try_fold(Alignment::ONE, |most, ty| {
                    Ok::<_, ReadError>(most.max(self.layout(ty)?.alignment))
                })?
            }
        };
        let layout = TypeLayout { size, alignment };
        self.layouts.laid.insert(ty, layout);
        Ok(layout)
    }

    fn insert(&mut self, name: Option<String>, inner: TypeInner) -> Handle<naga::Type> {
        let ty = naga::Type { name, inner };
        self.module.types.insert(ty, naga::Span::UNDEFINED)
    }
}

/// The scalar type of an atomic variable. WGSL has no atomic floats: they are stored as their bits.
pub(crate) fn atomic(scalar: Scalar) -> Scalar {
    match scalar.kind {
        ScalarKind::Float => Scalar {
            kind: ScalarKind::Uint,
            ..scalar
        },
        _ => scalar,
    }
}

/// The paths through this step, relative to it.
pub(crate) fn below(paths: &AtomicPaths, step: u32) -> AtomicPaths {
    paths.below(step)
}

/// The naga scalar of a type. 8- and 16-bit integers are computed in 32 bits.
pub(crate) fn scalar(types: &Types, id: Id) -> Result<Scalar> {
    Ok(match *types.get(id)? {
        Type::Bool => Scalar::BOOL,
        Type::Int { bits, is_signed } => Scalar {
            kind: if is_signed {
                ScalarKind::Sint
            } else {
                ScalarKind::Uint
            },
            width: if bits == 64 { 8 } else { 4 },
        },
        Type::Float { bits } => Scalar {
            kind: ScalarKind::Float,
            width: (bits / 8) as u8,
        },
        _ => return Err(ReadError::invalid(format!("{id} is not a type of numbers"))),
    })
}

/// The naga vector size for a component count.
pub(crate) fn vector_size(count: u32) -> Result<VectorSize> {
    match count {
        2 => Ok(VectorSize::Bi),
        3 => Ok(VectorSize::Tri),
        4 => Ok(VectorSize::Quad),
        _ => Err(ReadError::unsupported(format!("{count} components"))),
    }
}
