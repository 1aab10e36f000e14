//! What an entry point asks of whoever runs it: the program's reflection in the words of the
//! command line, with what buffers and pictures need to know beside it.
//!
//! What always holds: only what the entry point really uses is listed, by group and binding,
//! because that is what a pipeline needs.

use anywarp_program::naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, ScalarKind, Type, TypeInner,
};
use anywarp_program::{self as program, Access, EntryPoint, Program};

use crate::specs::{ElementType, Slot};
use crate::texture::TextureType;

/// What one entry point uses.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) entry: String,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) immediate: Option<Immediate>,
}

/// A resource at a group and binding.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) slot: Slot,
    pub(crate) name: String,
    /// The type as WGSL writes it.
    pub(crate) ty: String,
    /// The sort of resource in words.
    pub(crate) sort: String,
    pub(crate) kind: BindingKind,
    /// The scalar that its first element is made of, as a heat map reads it.
    pub(crate) element: ElementType,
}

/// What `run` can bind, and what it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    Uniform(BufferSize),
    Storage {
        writable: bool,
        size: BufferSize,
    },
    Texture(TextureType),
    /// An array of bindings.
    Array,
    /// A sampler, and what else cannot be bound.
    Opaque,
}

/// How large a buffer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferSize {
    /// The type says it.
    Fixed(u64),
    /// The type ends in an array without a length: at least this much, then `stride` an element.
    AtLeast { minimum: u64, stride: u64 },
}

/// A `var<immediate>`.
#[derive(Clone, Debug)]
pub(crate) struct Immediate {
    pub(crate) name: String,
    pub(crate) bytes: u32,
}

impl BufferSize {
    pub(crate) fn minimum(self) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::AtLeast { minimum, .. } => minimum,
        }
    }

    /// Bytes that one more element of a final array without a length adds.
    pub(crate) fn stride(self) -> Option<u64> {
        match self {
            Self::Fixed(_) => None,
            Self::AtLeast { stride, .. } => Some(stride),
        }
    }
}

impl Binding {
    /// The size of a buffer; nothing for what is not one.
    pub(crate) fn buffer_size(&self) -> Option<BufferSize> {
        match self.kind {
            BindingKind::Uniform(size) | BindingKind::Storage { size, .. } => Some(size),
            BindingKind::Texture(_) | BindingKind::Array | BindingKind::Opaque => None,
        }
    }

    /// The type of a texture; nothing for what is not one.
    pub(crate) fn texture(&self) -> Option<TextureType> {
        match self.kind {
            BindingKind::Texture(ty) => Some(ty),
            _ => None,
        }
    }
}

impl Interface {
    /// The interface of an entry point of `program`.
    pub(crate) fn new(program: &Program, entry: &EntryPoint) -> Self {
        let module = program.module();
        let immediate = (entry.immediate_size > 0).then(|| Immediate {
            name: immediate_name(module),
            bytes: entry.immediate_size,
        });
        Self {
            entry: entry.name.clone(),
            bindings: entry.bindings.iter().map(|b| binding(module, b)).collect(),
            immediate,
        }
    }
}

fn binding(module: &Module, reflected: &program::Binding) -> Binding {
    let ty = variable_at(module, reflected).map(|variable| variable.ty);
    let size =
        reflected.min_size.map(
            |minimum| match ty.and_then(|ty| runtime_stride(module, ty)) {
                Some(stride) => BufferSize::AtLeast { minimum, stride },
                None => BufferSize::Fixed(minimum),
            },
        );
    let is_array_of_bindings =
        ty.is_some_and(|ty| matches!(module.types[ty].inner, TypeInner::BindingArray { .. }));
    let kind = match (reflected.kind, size) {
        _ if is_array_of_bindings => BindingKind::Array,
        (program::BindingKind::Uniform, Some(size)) => BindingKind::Uniform(size),
        (program::BindingKind::Storage(access), Some(size)) => BindingKind::Storage {
            writable: access != Access::Read,
            size,
        },
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
    }
}

/// SPIR-V may come without names.
fn named(name: &str) -> String {
    if name.is_empty() { "unnamed" } else { name }.to_owned()
}

/// Variables of different entry points may share a place, so the name counts too.
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

fn immediate_name(module: &Module) -> String {
    let mut variables = module.global_variables.iter().map(|(_, variable)| variable);
    variables
        .find(|variable| variable.space == AddressSpace::Immediate)
        .map(|variable| named(variable.name.as_deref().unwrap_or_default()))
        .unwrap_or_default()
}

fn runtime_stride(module: &Module, ty: Handle<Type>) -> Option<u64> {
    match &module.types[ty].inner {
        TypeInner::Array {
            size: ArraySize::Dynamic,
            stride,
            ..
        } => Some(u64::from(*stride)),
        TypeInner::Struct { members, .. } => runtime_stride(module, members.last()?.ty),
        _ => None,
    }
}

/// The scalar at the beginning of a type; what is no number is shown as its bits.
fn first_scalar(module: &Module, ty: Handle<Type>) -> ElementType {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Atomic(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 2) => ElementType::F16,
            (ScalarKind::Float, 4) => ElementType::F32,
            (ScalarKind::Float, 8) => ElementType::F64,
            (ScalarKind::Sint, 2) => ElementType::I16,
            (ScalarKind::Sint, 4) => ElementType::I32,
            (ScalarKind::Sint, 8) => ElementType::I64,
            (ScalarKind::Uint, 2) => ElementType::U16,
            (ScalarKind::Uint, 8) => ElementType::U64,
            _ => ElementType::U32,
        },
        TypeInner::Array { base, .. } => first_scalar(module, *base),
        TypeInner::Struct { members, .. } => members
            .first()
            .map_or(ElementType::U32, |member| first_scalar(module, member.ty)),
        _ => ElementType::U32,
    }
}
