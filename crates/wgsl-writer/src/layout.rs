//! Computes memory layouts, and the attributes that reproduce them in WGSL.
//!
//! In: the offsets, sizes and strides of a module's types. Out: for each structure the `@size` of its members and the
//! padding before the first; for each non-default stride a wrapper structure around the element. What always holds: a
//! host-shareable type has exactly the layout of the module, or there is an error; other types have it where WGSL can
//! express it, and the default layout otherwise, which no program can observe. `@align` is never used: it would raise
//! the alignment of the structure, which naga's modules do not record.

use anywarp_program::naga::{
    AddressSpace, ArraySize, FastHashMap, FastHashSet, Handle, Module, StructMember, Type,
    TypeInner, VectorSize,
};

use crate::WriteError;

/// The padding and member sizes of a structure declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StructLayout {
    /// `@size` of a padding member before the first member; 0 if there is none.
    pub(super) padding: u32,
    /// Whether the padding member has two bytes instead of four.
    pub(super) is_half: bool,
    /// `@size` of each member; `None` if it is not needed.
    pub(super) sizes: Vec<Option<u32>>,
}

/// An array element type with a stride larger than its size.
pub(super) type Strided = (Handle<Type>, u32);

/// The layouts of a module's types.
#[derive(Debug)]
pub(super) struct Layouts {
    structs: FastHashMap<Handle<Type>, StructLayout>,
    /// In the order of the first array of each.
    strided: Vec<(Handle<Type>, Strided)>,
    wrapped: FastHashSet<Strided>,
}

/// Size and alignment of a type in WGSL.
#[derive(Clone, Copy, Debug)]
struct TypeLayout {
    size: u64,
    align: u64,
    sized: bool,
}

impl Layouts {
    pub(super) fn new(module: &Module) -> Result<Self, WriteError> {
        let shown = shown_to_host(module);
        let mut layouts = Self {
            structs: FastHashMap::default(),
            strided: Vec::new(),
            wrapped: FastHashSet::default(),
        };
        let mut extents: Vec<TypeLayout> = Vec::with_capacity(module.types.len());
        for (handle, ty) in module.types.iter() {
            let shown = shown[handle.index()];
            let extent = match ty.inner {
                TypeInner::Struct { ref members, span } => {
                    layouts.structure(module, handle, members, span, shown, &extents)?
                }
                TypeInner::Array { base, size, stride } => {
                    let element = extents[base.index()];
                    let natural = element.size.next_multiple_of(element.align);
                    if natural != u64::from(stride) && shown {
                        layouts.stride(module, handle, (base, stride), element)?;
                    }
                    let step = if shown { u64::from(stride) } else { natural };
                    let (count, sized) = match size {
                        ArraySize::Constant(count) => (u64::from(count.get()), true),
                        ArraySize::Pending(_) => (1, true),
                        ArraySize::Dynamic => (1, false),
                    };
                    TypeLayout {
                        size: step * count,
                        align: element.align,
                        sized,
                    }
                }
                ref inner => leaf(inner),
            };
            extents.push(extent);
        }
        Ok(layouts)
    }

    /// The layout attributes of a structure; `None` if it needs none.
    pub(super) fn of_struct(&self, handle: Handle<Type>) -> Option<&StructLayout> {
        self.structs.get(&handle)
    }

    /// The first array type of each wrapped element, in the order of the module.
    pub(super) fn strided(&self) -> &[(Handle<Type>, Strided)] {
        &self.strided
    }

    /// Whether the elements of an array type are wrapped.
    pub(super) fn is_wrapped(&self, inner: &TypeInner) -> bool {
        match *inner {
            TypeInner::Array { base, stride, .. } => {
                !self.wrapped.is_empty() && self.wrapped.contains(&(base, stride))
            }
            _ => false,
        }
    }

    fn structure(
        &mut self,
        module: &Module,
        handle: Handle<Type>,
        members: &[StructMember],
        span: u32,
        shown: bool,
        extents: &[TypeLayout],
    ) -> Result<TypeLayout, WriteError> {
        let natural = natural_extent(members, extents);
        // Offsets of pipeline inputs and outputs have no meaning.
        if !shown && members.iter().any(|member| member.binding.is_some()) {
            return Ok(natural);
        }
        match exact_layout(members, span, natural, extents) {
            Ok(layout) => {
                if layout != StructLayout::default() {
                    self.structs.insert(handle, layout);
                }
                let size = if natural.sized {
                    u64::from(span)
                } else {
                    natural.size
                };
                Ok(TypeLayout { size, ..natural })
            }
            Err((index, why)) if shown => Err(WriteError::Layout {
                ty: described(module, handle),
                member: match &members[index].name {
                    Some(name) => format!("member `{name}`"),
                    None => format!("member {index}"),
                },
                offset: members[index].offset,
                why,
            }),
            Err(_) => Ok(natural),
        }
    }

    fn stride(
        &mut self,
        module: &Module,
        array: Handle<Type>,
        strided: Strided,
        element: TypeLayout,
    ) -> Result<(), WriteError> {
        let stride = u64::from(strided.1);
        if stride < element.size || !stride.is_multiple_of(element.align) {
            return Err(WriteError::Layout {
                ty: described(module, array),
                member: "element 1".into(),
                offset: strided.1,
                why: format!(
                    "an element takes {} bytes and is aligned to {}",
                    element.size, element.align
                ),
            });
        }
        if self.wrapped.insert(strided) {
            self.strided.push((array, strided));
        }
        Ok(())
    }
}

/// The name of a type in messages.
fn described(module: &Module, handle: Handle<Type>) -> String {
    match (&module.types[handle].name, &module.types[handle].inner) {
        (Some(name), _) => format!("`{name}`"),
        (None, TypeInner::Array { base, .. }) => {
            format!("an array of {}", described(module, *base))
        }
        (None, TypeInner::Struct { .. }) => "a structure without a name".into(),
        (None, _) => "a type without a name".into(),
    }
}

/// The default layout by WGSL's rules.
fn natural_extent(members: &[StructMember], extents: &[TypeLayout]) -> TypeLayout {
    let mut extent = TypeLayout {
        size: 0,
        align: 1,
        sized: true,
    };
    for member in members {
        let inner = extents[member.ty.index()];
        extent.size = extent.size.next_multiple_of(inner.align) + inner.size;
        extent.align = extent.align.max(inner.align);
        extent.sized &= inner.sized;
    }
    extent.size = extent.size.next_multiple_of(extent.align);
    extent
}

/// The attributes that give these offsets and this size; the error is the member that WGSL cannot express.
fn exact_layout(
    members: &[StructMember],
    span: u32,
    natural: TypeLayout,
    extents: &[TypeLayout],
) -> Result<StructLayout, (usize, String)> {
    let mut layout = StructLayout::default();
    let mut sizes = vec![None; members.len()];
    let mut end = 0;
    for (index, member) in members.iter().enumerate() {
        let inner = extents[member.ty.index()];
        let offset = u64::from(member.offset);
        if !offset.is_multiple_of(inner.align) {
            return Err((index, format!("its type is aligned to {}", inner.align)));
        }
        if offset < end {
            return Err((index, format!("the member before it ends at {end}")));
        }
        if offset > u64::next_multiple_of(end, inner.align) {
            match index.checked_sub(1) {
                Some(before) => sizes[before] = Some(member.offset - members[before].offset),
                // The alignment of the first member may create the padding by itself.
                None => {
                    // The padding member must not raise the structure's alignment.
                    layout.is_half = natural.align < 4 || !offset.is_multiple_of(4);
                    let bytes = if layout.is_half { 2 } else { 4 };
                    layout.padding = match offset == u64::next_multiple_of(bytes, inner.align) {
                        true if layout.is_half => 2,
                        true => 4,
                        false => member.offset,
                    };
                }
            }
        }
        end = offset + inner.size;
    }
    let last = members.len() - 1;
    let span = u64::from(span);
    if natural.sized && span != end.next_multiple_of(natural.align) {
        if span < end || !span.is_multiple_of(natural.align) {
            return Err((last, format!("the structure takes {span} bytes")));
        }
        sizes[last] = u32::try_from(span)
            .ok()
            .map(|span| span - members[last].offset);
    }
    if sizes.iter().any(Option::is_some) {
        layout.sizes = sizes;
    }
    Ok(layout)
}

fn leaf(inner: &TypeInner) -> TypeLayout {
    let rows_align = |size: VectorSize, width: u8| match size {
        VectorSize::Bi => 2 * u64::from(width),
        VectorSize::Tri | VectorSize::Quad => 4 * u64::from(width),
    };
    let (size, align) = match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
            (u64::from(scalar.width), u64::from(scalar.width))
        }
        TypeInner::Vector { size, scalar } => (
            u64::from(size as u8) * u64::from(scalar.width),
            rows_align(size, scalar.width),
        ),
        TypeInner::Matrix {
            columns,
            rows,
            scalar,
        } => {
            let column = rows_align(rows, scalar.width);
            (u64::from(columns as u8) * column, column)
        }
        _ => (0, 1),
    };
    TypeLayout {
        size,
        align: align.max(1),
        sized: true,
    }
}

/// The types in memory that is shared with the host.
fn shown_to_host(module: &Module) -> Vec<bool> {
    let mut shown = vec![false; module.types.len()];
    let mut open: Vec<Handle<Type>> = module
        .global_variables
        .iter()
        .filter(|(_, variable)| {
            matches!(
                variable.space,
                AddressSpace::Uniform | AddressSpace::Storage { .. } | AddressSpace::Immediate
            )
        })
        .map(|(_, variable)| variable.ty)
        .collect();
    while let Some(handle) = open.pop() {
        if std::mem::replace(&mut shown[handle.index()], true) {
            continue;
        }
        match module.types[handle].inner {
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => open.push(base),
            TypeInner::Struct { ref members, .. } => {
                open.extend(members.iter().map(|member| member.ty));
            }
            _ => {}
        }
    }
    shown
}
