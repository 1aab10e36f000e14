//! What an entry point asks of the outside: bindings, immediates, constants, memory.
//!
//! In: a [`Program`] and values for its constants. Out: plain data in the words of the command
//! line, ordered by group and binding. What always holds: only what the entry point really uses
//! is listed, because that is what a pipeline needs.

use anywarp_program::naga::common::wgsl::{TryToWgsl, TypeContext};
use anywarp_program::naga::proc::GlobalCtx;
use anywarp_program::naga::{
    AddressSpace, ArraySize, EntryPoint, GlobalVariable, Handle, ScalarKind, ShaderStage,
    StorageAccess, Type, TypeInner,
};
use anywarp_program::{Constants, Program, ProgramError};

use crate::specs::{ElementType, Slot};

/// One entry point.
#[derive(Clone, Debug)]
pub(crate) struct EntryInterface {
    pub(crate) name: String,
    pub(crate) stage: ShaderStage,
    /// Absent when it depends on a constant without a value.
    pub(crate) workgroup_size: Option<[u32; 3]>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) immediate: Option<Immediate>,
    /// Bytes of workgroup memory; absent like the workgroup size.
    pub(crate) workgroup_memory: Option<u64>,
}

/// A resource at a group and binding.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) slot: Slot,
    pub(crate) name: String,
    pub(crate) kind: BindingKind,
    /// The type as WGSL writes it.
    pub(crate) ty: String,
    /// The scalar that its first element is made of, as a picture reads it.
    pub(crate) element: ElementType,
}

/// What kind of resource a binding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    Uniform(BufferSize),
    Storage {
        writable: bool,
        size: BufferSize,
    },
    /// A texture, a sampler or something else that is not a buffer.
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
    pub(crate) ty: String,
    pub(crate) bytes: u64,
}

/// A pipeline-overridable constant.
#[derive(Clone, Debug)]
pub(crate) struct OverrideConstant {
    pub(crate) name: Option<String>,
    pub(crate) id: Option<u16>,
    pub(crate) ty: String,
    pub(crate) has_default: bool,
}

impl BufferSize {
    pub(crate) fn minimum(self) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::AtLeast { minimum, .. } => minimum,
        }
    }
}

impl Binding {
    /// The size of a buffer; nothing for what is not one.
    pub(crate) fn buffer_size(&self) -> Option<BufferSize> {
        match self.kind {
            BindingKind::Uniform(size) | BindingKind::Storage { size, .. } => Some(size),
            BindingKind::Opaque => None,
        }
    }
}

impl OverrideConstant {
    /// The name by which a pipeline takes it: its `@id` where it has one.
    pub(crate) fn key(&self) -> String {
        match (self.id, &self.name) {
            (Some(id), _) => id.to_string(),
            (None, Some(name)) => name.clone(),
            (None, None) => String::new(),
        }
    }
}

/// The interface of one entry point with its constants resolved.
pub(crate) fn resolved(
    program: &Program,
    stage: ShaderStage,
    entry: &str,
    constants: &Constants,
) -> Result<EntryInterface, ProgramError> {
    let specialized = program.specialize(stage, entry, constants)?;
    reflect(&specialized, stage, entry, true)
        .ok_or_else(|| ProgramError::EntryPoint(format!("no entry point `{entry}`")))
}

/// Like [`resolved`] with every constant at its default; where one has none, the sizes that depend
/// on it are absent.
pub(crate) fn with_defaults(
    program: &Program,
    stage: ShaderStage,
    entry: &str,
) -> Option<EntryInterface> {
    resolved(program, stage, entry, &Constants::default())
        .ok()
        .or_else(|| reflect(program, stage, entry, false))
}

/// The overrides of a program, in the order of its text.
pub(crate) fn overrides(program: &Program) -> Vec<OverrideConstant> {
    let module = program.module();
    module
        .overrides
        .iter()
        .map(|(_, item)| OverrideConstant {
            name: item.name.clone(),
            id: item.id,
            ty: type_text(module.to_ctx(), item.ty),
            has_default: item.init.is_some(),
        })
        .collect()
}

/// The word for a stage in messages.
pub(crate) fn stage_name(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vertex",
        ShaderStage::Fragment => "fragment",
        ShaderStage::Compute => "compute",
        ShaderStage::Task => "task",
        ShaderStage::Mesh => "mesh",
        _ => "ray tracing",
    }
}

fn reflect(
    program: &Program,
    stage: ShaderStage,
    entry: &str,
    constants_resolved: bool,
) -> Option<EntryInterface> {
    let module = program.module();
    let index = module
        .entry_points
        .iter()
        .position(|point| point.stage == stage && point.name == entry)?;
    let point = &module.entry_points[index];
    let usage = program.info().get_entry_point(index);
    let used: Vec<&GlobalVariable> = module
        .global_variables
        .iter()
        .filter(|(handle, _)| !usage[*handle].is_empty())
        .map(|(_, variable)| variable)
        .collect();

    let ctx = module.to_ctx();
    let mut bindings: Vec<Binding> = used.iter().filter_map(|v| binding(ctx, v)).collect();
    bindings.sort_by_key(|binding| binding.slot);
    Some(EntryInterface {
        name: point.name.clone(),
        stage,
        workgroup_size: workgroup_size(point, constants_resolved),
        bindings,
        immediate: used.iter().find_map(|v| immediate(ctx, v)),
        workgroup_memory: workgroup_memory(ctx, &used, constants_resolved),
    })
}

fn workgroup_size(point: &EntryPoint, constants_resolved: bool) -> Option<[u32; 3]> {
    let known = constants_resolved || point.workgroup_size_overrides.is_none();
    known.then_some(point.workgroup_size)
}

fn binding(ctx: GlobalCtx<'_>, variable: &GlobalVariable) -> Option<Binding> {
    let place = variable.binding?;
    let kind = match variable.space {
        AddressSpace::Uniform => BindingKind::Uniform(buffer_size(ctx, variable.ty)),
        AddressSpace::Storage { access } => BindingKind::Storage {
            writable: access.contains(StorageAccess::STORE),
            size: buffer_size(ctx, variable.ty),
        },
        _ => BindingKind::Opaque,
    };
    Some(Binding {
        slot: Slot {
            group: place.group,
            binding: place.binding,
        },
        name: variable.name.clone().unwrap_or_default(),
        kind,
        ty: type_text(ctx, variable.ty),
        element: first_scalar(ctx, variable.ty),
    })
}

fn immediate(ctx: GlobalCtx<'_>, variable: &GlobalVariable) -> Option<Immediate> {
    (variable.space == AddressSpace::Immediate).then(|| Immediate {
        name: variable.name.clone().unwrap_or_default(),
        ty: type_text(ctx, variable.ty),
        bytes: size_of(ctx, variable.ty),
    })
}

fn workgroup_memory(
    ctx: GlobalCtx<'_>,
    used: &[&GlobalVariable],
    constants_resolved: bool,
) -> Option<u64> {
    let memory = || {
        used.iter()
            .filter(|variable| variable.space == AddressSpace::WorkGroup)
    };
    let pending = |variable: &&&GlobalVariable| {
        matches!(
            ctx.types[variable.ty].inner,
            TypeInner::Array {
                size: ArraySize::Pending(_),
                ..
            }
        )
    };
    if !constants_resolved && memory().any(|variable| pending(&variable)) {
        return None;
    }
    Some(memory().map(|variable| size_of(ctx, variable.ty)).sum())
}

fn buffer_size(ctx: GlobalCtx<'_>, ty: Handle<Type>) -> BufferSize {
    let minimum = size_of(ctx, ty);
    match runtime_stride(ctx, ty) {
        Some(stride) => BufferSize::AtLeast { minimum, stride },
        None => BufferSize::Fixed(minimum),
    }
}

/// Bytes of a type, an array without a length counted with one element, as WebGPU does.
fn size_of(ctx: GlobalCtx<'_>, ty: Handle<Type>) -> u64 {
    u64::from(ctx.types[ty].inner.try_size(ctx).unwrap_or(u32::MAX))
}

fn runtime_stride(ctx: GlobalCtx<'_>, ty: Handle<Type>) -> Option<u64> {
    match &ctx.types[ty].inner {
        TypeInner::Array {
            size: ArraySize::Dynamic,
            stride,
            ..
        } => Some(u64::from(*stride)),
        TypeInner::Struct { members, .. } => runtime_stride(ctx, members.last()?.ty),
        _ => None,
    }
}

/// The scalar at the beginning of a type; what is no 32-bit number is shown as its bits.
fn first_scalar(ctx: GlobalCtx<'_>, ty: Handle<Type>) -> ElementType {
    match &ctx.types[ty].inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Atomic(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => ElementType::F32,
            (ScalarKind::Sint, 4) => ElementType::I32,
            _ => ElementType::U32,
        },
        TypeInner::Array { base, .. } => first_scalar(ctx, *base),
        TypeInner::Struct { members, .. } => members
            .first()
            .map_or(ElementType::U32, |member| first_scalar(ctx, member.ty)),
        _ => ElementType::U32,
    }
}

fn type_text(ctx: GlobalCtx<'_>, ty: Handle<Type>) -> String {
    if let TypeInner::Scalar(scalar) = ctx.types[ty].inner
        && let Some(name) = scalar.try_to_wgsl()
    {
        return name.to_owned();
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = ctx.write_type(ty, &mut text);
    text
}
