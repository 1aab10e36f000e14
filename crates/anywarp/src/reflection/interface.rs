//! The interface of an entry point: its bindings from the program's reflection, with buffer layouts, texture types,
//! and the sampler of each texture.
//!
//! What always holds: only resources that the entry point uses are listed, ordered by group and binding, because a
//! pipeline needs exactly those.

use std::sync::Arc;

use anywarp_program::naga::{AddressSpace, GlobalVariable, Handle, Module, Type, TypeInner};
use anywarp_program::{self as program, BindingAccess, EntryPoint, Program};

use super::element::ElementType;
use super::layout::{Layout, element_type};
use super::slot::Slot;
use super::texture::TextureType;

/// The resources that one entry point uses.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The name of the entry point.
    pub entry: String,
    /// In ascending order of group and binding.
    pub bindings: Vec<Binding>,
    /// The `var<immediate>`, if it uses one.
    pub immediate: Option<Immediate>,
    /// Textures with the samplers that they are sampled with.
    pub sampling: Vec<(Slot, Slot)>,
}

/// A resource at a group and binding.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Group and binding.
    pub slot: Slot,
    /// The variable's name; `unnamed` if the module has none.
    pub name: String,
    /// The type as WGSL writes it.
    pub ty: String,
    /// The kind of resource in words.
    pub sort: String,
    /// The kind of resource, and what a binding must satisfy.
    pub kind: BindingKind,
    /// The type of its first scalar, which a heat map uses.
    pub element: ElementType,
    /// The layout of a buffer.
    pub layout: Option<Arc<Layout>>,
}

/// The kind of a binding, and whether `run` can bind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform(BufferSize),
    /// A storage buffer.
    Storage {
        /// Whether the shader may write it.
        writable: bool,
        /// The size that it needs.
        size: BufferSize,
    },
    /// A sampled or storage texture.
    Texture(TextureType),
    /// A sampler.
    Sampler {
        /// Whether it is a comparison sampler.
        compares: bool,
    },
    /// An array of bindings.
    Array,
    /// External textures and acceleration structures, which `run` cannot bind.
    Opaque,
}

/// The size that a buffer binding requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a type has a fixed size or ends in a runtime-sized array.
pub enum BufferSize {
    /// The size of the type.
    Fixed(u64),
    /// The type ends in a runtime-sized array: at least this much, and `stride` per element.
    AtLeast {
        /// The size with one element.
        minimum: u64,
        /// Bytes from one element to the next.
        stride: u64,
    },
}

/// A `var<immediate>`.
#[derive(Clone, Debug)]
pub struct Immediate {
    /// The variable's name.
    pub name: String,
    /// Its size.
    pub bytes: u32,
    /// The layout of its type.
    pub layout: Option<Arc<Layout>>,
}

impl BufferSize {
    /// The smallest size that can be bound.
    #[must_use]
    pub fn minimum(self) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::AtLeast { minimum, .. } => minimum,
        }
    }

    /// Bytes per element of the runtime-sized array at the end.
    pub fn stride(self) -> Option<u64> {
        match self {
            Self::Fixed(_) => None,
            Self::AtLeast { stride, .. } => Some(stride),
        }
    }
}

impl Binding {
    /// The size of a buffer; `None` for other resources.
    pub fn buffer_size(&self) -> Option<BufferSize> {
        match self.kind {
            BindingKind::Uniform(size) | BindingKind::Storage { size, .. } => Some(size),
            _ => None,
        }
    }

    /// The type of a texture; `None` for other resources.
    pub fn texture(&self) -> Option<TextureType> {
        match self.kind {
            BindingKind::Texture(ty) => Some(ty),
            _ => None,
        }
    }
}

impl Interface {
    /// The interface of an entry point of `program`.
    pub fn new(program: &Program, entry: &EntryPoint) -> Self {
        let module = program.module();
        let immediate = (entry.immediate_size > 0).then(|| immediate(module, entry.immediate_size));
        Self {
            entry: entry.name.clone(),
            bindings: entry.bindings.iter().map(|b| binding(module, b)).collect(),
            immediate,
            sampling: sampling(program, entry),
        }
    }
}

/// The pairs of global textures and samplers that are used together, from naga's analysis.
fn sampling(program: &Program, entry: &EntryPoint) -> Vec<(Slot, Slot)> {
    let module = program.module();
    let mut points = module.entry_points.iter();
    let index = points.position(|point| point.stage == entry.stage && point.name == entry.name);
    let Some(index) = index else {
        return Vec::new();
    };
    let slot = |variable: Handle<GlobalVariable>| {
        let place = module.global_variables[variable].binding?;
        let (group, binding) = (place.group, place.binding);
        Some(Slot { group, binding })
    };
    let info = program.info().get_entry_point(index);
    let pairs = info
        .sampling_set
        .iter()
        .filter_map(|key| slot(key.image).zip(slot(key.sampler)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

fn binding(module: &Module, reflected: &program::Binding) -> Binding {
    let ty = variable_at(module, reflected).map(|variable| variable.ty);
    let layout = ty.and_then(|ty| Layout::new(module, ty));
    let runtime_array = layout.as_ref().and_then(|layout| layout.runtime_array());
    let size = reflected.min_size.map(|minimum| match runtime_array {
        Some((_, _, stride)) => BufferSize::AtLeast { minimum, stride },
        None => BufferSize::Fixed(minimum),
    });
    let is_array_of_bindings =
        ty.is_some_and(|ty| matches!(module.types[ty].inner, TypeInner::BindingArray { .. }));
    let kind = match (reflected.kind, size) {
        _ if is_array_of_bindings => BindingKind::Array,
        (program::BindingKind::Uniform, Some(size)) => BindingKind::Uniform(size),
        (program::BindingKind::Storage(access), Some(size)) => BindingKind::Storage {
            writable: access != BindingAccess::Read,
            size,
        },
        (program::BindingKind::Sampler, _) => BindingKind::Sampler { compares: false },
        (program::BindingKind::ComparisonSampler, _) => BindingKind::Sampler { compares: true },
        _ => ty
            .and_then(|ty| TextureType::new(&module.types[ty].inner, reflected.kind))
            .map_or(BindingKind::Opaque, BindingKind::Texture),
    };
    Binding {
        slot: Slot {
            group: reflected.group,
            binding: reflected.binding,
        },
        name: named(&reflected.name),
        ty: reflected.ty.clone(),
        sort: reflected.kind.to_string(),
        kind,
        element: ty.map_or(ElementType::U32, |ty| first_scalar(module, ty)),
        layout,
    }
}

/// A variable's name, or a placeholder: SPIR-V may come without names.
fn named(name: &str) -> String {
    if name.is_empty() { "unnamed" } else { name }.to_owned()
}

/// Variables of different entry points may share a binding, so the name must match too.
fn variable_at<'a>(module: &'a Module, binding: &program::Binding) -> Option<&'a GlobalVariable> {
    let mut variables = module.global_variables.iter().map(|(_, variable)| variable);
    variables.find(|variable| {
        let place = variable.binding;
        place.is_some_and(|place| {
            (place.group, place.binding) == (binding.group, binding.binding)
                && variable.name.as_deref().unwrap_or_default() == binding.name
        })
    })
}

fn immediate(module: &Module, bytes: u32) -> Immediate {
    let mut variables = module.global_variables.iter().map(|(_, variable)| variable);
    let variable = variables.find(|variable| variable.space == AddressSpace::Immediate);
    let name = variable.and_then(|variable| variable.name.as_deref());
    Immediate {
        name: named(name.unwrap_or_default()),
        bytes,
        layout: variable.and_then(|variable| Layout::new(module, variable.ty)),
    }
}

/// The first scalar of a type; u32 for types without scalars.
fn first_scalar(module: &Module, ty: Handle<Type>) -> ElementType {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Atomic(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => element_type(*scalar).unwrap_or(ElementType::U32),
        TypeInner::Array { base, .. } => first_scalar(module, *base),
        TypeInner::Struct { members, .. } => members
            .first()
            .map_or(ElementType::U32, |member| first_scalar(module, member.ty)),
        _ => ElementType::U32,
    }
}
