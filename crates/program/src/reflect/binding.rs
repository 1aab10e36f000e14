//! Reflection of resource bindings.
//!
//! In: a module's global variables. Out: [`Binding`]s sorted by group and binding.

use std::fmt;

use naga::{AddressSpace, GlobalVariable, ImageClass, Module, StorageAccess, TypeInner};

use super::spell_type;
use crate::Program;

/// A resource binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// The name of the variable; empty if the program has no names.
    pub name: String,
    /// The kind of resource; for a binding array, that of its elements.
    pub kind: BindingKind,
    /// The WGSL spelling of the type, such as `array<vec4<f32>>`.
    pub ty: String,
    /// Minimal size in bytes of a buffer bound here; a runtime-sized array counts as one element. `None` for resources
    /// that are not buffers.
    pub min_size: Option<u64>,
}

/// The kind of a bound resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage(BindingAccess),
    /// A sampled texture.
    Texture,
    /// A storage texture.
    StorageTexture(BindingAccess),
    /// A video frame or another external texture.
    ExternalTexture,
    /// A sampler.
    Sampler,
    /// A comparison sampler.
    ComparisonSampler,
    /// An acceleration structure for ray queries.
    AccelerationStructure,
}

impl fmt::Display for BindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Storage(access) => write!(f, "storage, {access}"),
            Self::Texture => f.write_str("texture"),
            Self::StorageTexture(access) => write!(f, "storage texture, {access}"),
            Self::ExternalTexture => f.write_str("external texture"),
            Self::Sampler => f.write_str("sampler"),
            Self::ComparisonSampler => f.write_str("comparison sampler"),
            Self::AccelerationStructure => f.write_str("acceleration structure"),
        }
    }
}

/// WGSL's access mode of a resource, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: WGSL's three access modes and naga's `atomic`.
pub enum BindingAccess {
    /// `read`
    Read,
    /// `write`
    Write,
    /// `read_write`
    ReadWrite,
    /// `atomic`, naga's access mode for textures with atomic operations.
    Atomic,
}

impl BindingAccess {
    fn new(access: StorageAccess) -> Self {
        let reads = access.contains(StorageAccess::LOAD);
        let writes = access.contains(StorageAccess::STORE);
        match (reads, writes) {
            _ if access.contains(StorageAccess::ATOMIC) => Self::Atomic,
            (true, true) => Self::ReadWrite,
            (false, true) => Self::Write,
            _ => Self::Read,
        }
    }
}

impl fmt::Display for BindingAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read_write",
            Self::Atomic => "atomic",
        })
    }
}

impl Program {
    /// All resource bindings of the module, used or not, sorted by group and binding.
    pub fn bindings(&self) -> Vec<Binding> {
        let variables = self.module().global_variables.iter();
        sorted(variables.filter_map(|(_, variable)| Binding::new(self.module(), variable)))
    }
}

/// Sorts bindings by group and binding.
pub(super) fn sorted(bindings: impl Iterator<Item = Binding>) -> Vec<Binding> {
    let mut bindings: Vec<_> = bindings.collect();
    bindings.sort_by_key(|binding| (binding.group, binding.binding));
    bindings
}

impl Binding {
    /// The binding of a variable; `None` for variables without one.
    pub(super) fn new(module: &Module, variable: &GlobalVariable) -> Option<Self> {
        let place = variable.binding.as_ref()?;
        let kind = kind(module, variable)?;
        let is_buffer = matches!(kind, BindingKind::Uniform | BindingKind::Storage(_));
        let size = || {
            u64::from(
                module.types[element(module, variable)]
                    .inner
                    .size(module.to_ctx()),
            )
        };
        Some(Self {
            group: place.group,
            binding: place.binding,
            name: variable.name.clone().unwrap_or_default(),
            kind,
            ty: spell_type(module, variable.ty),
            min_size: is_buffer.then(size),
        })
    }
}

/// The type of the variable; for a binding array, that of its elements.
fn element(module: &Module, variable: &GlobalVariable) -> naga::Handle<naga::Type> {
    match module.types[variable.ty].inner {
        TypeInner::BindingArray { base, .. } => base,
        _ => variable.ty,
    }
}

fn kind(module: &Module, variable: &GlobalVariable) -> Option<BindingKind> {
    Some(match variable.space {
        AddressSpace::Uniform => BindingKind::Uniform,
        AddressSpace::Storage { access } => BindingKind::Storage(BindingAccess::new(access)),
        AddressSpace::Handle => match module.types[element(module, variable)].inner {
            TypeInner::Image { class, .. } => match class {
                ImageClass::Sampled { .. } | ImageClass::Depth { .. } => BindingKind::Texture,
                ImageClass::Storage { access, .. } => {
                    BindingKind::StorageTexture(BindingAccess::new(access))
                }
                ImageClass::External => BindingKind::ExternalTexture,
            },
            TypeInner::Sampler { comparison: false } => BindingKind::Sampler,
            TypeInner::Sampler { comparison: true } => BindingKind::ComparisonSampler,
            TypeInner::AccelerationStructure { .. } => BindingKind::AccelerationStructure,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row: declaration, kind, spelling of the type, minimal size.
    const CASES: &[(&str, &str, &str, Option<u64>)] = &[
        (
            "var<uniform> v: vec3<f32>",
            "uniform",
            "vec3<f32>",
            Some(12),
        ),
        ("var<uniform> v: S", "uniform", "S", Some(32)),
        (
            "var<storage> v: array<vec3<f32>>",
            "storage, read",
            "array<vec3<f32>>",
            Some(16),
        ),
        (
            "var<storage, read_write> v: R",
            "storage, read_write",
            "R",
            Some(8),
        ),
        (
            "var<storage, read_write> v: atomic<u32>",
            "storage, read_write",
            "atomic<u32>",
            Some(4),
        ),
        (
            "var<storage> v: array<mat3x3<f32>, 4>",
            "storage, read",
            "array<mat3x3<f32>, 4>",
            Some(192),
        ),
        (
            "var<storage> v: array<f16, 3>",
            "storage, read",
            "array<f16, 3>",
            Some(6),
        ),
        ("var v: texture_2d<f32>", "texture", "texture_2d<f32>", None),
        (
            "var v: texture_depth_multisampled_2d",
            "texture",
            "texture_depth_multisampled_2d",
            None,
        ),
        (
            "var v: texture_storage_2d_array<rgba8unorm, write>",
            "storage texture, write",
            "texture_storage_2d_array<rgba8unorm, write>",
            None,
        ),
        ("var v: sampler", "sampler", "sampler", None),
        (
            "var v: sampler_comparison",
            "comparison sampler",
            "sampler_comparison",
            None,
        ),
        (
            "var<storage> v: binding_array<R, 4>",
            "storage, read",
            "binding_array<R, 4>",
            Some(8),
        ),
        (
            "var v: acceleration_structure",
            "acceleration structure",
            "acceleration_structure",
            None,
        ),
    ];

    #[test]
    fn kinds_types_and_sizes() {
        for (declaration, kind, ty, min_size) in CASES {
            let text = format!(
                "enable f16; enable wgpu_binding_array; enable wgpu_ray_query;
                 struct S {{ a: f32, b: vec4<f32> }}
                 struct R {{ n: u32, rest: array<u32> }}
                 @group(2) @binding(3) {declaration};"
            );
            let program = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
            let bindings = program.bindings();
            assert_eq!(bindings.len(), 1, "{declaration}");
            let binding = &bindings[0];
            assert_eq!((binding.group, binding.binding), (2, 3));
            assert_eq!(binding.name, "v");
            assert_eq!(binding.kind.to_string(), *kind, "{declaration}");
            assert_eq!(binding.ty, *ty, "{declaration}");
            assert_eq!(binding.min_size, *min_size, "{declaration}");
        }
    }

    #[test]
    fn bindings_come_in_order_and_only_they() {
        let program = Program::from_wgsl(
            "var<private> p: f32; var<workgroup> w: f32;
             @group(1) @binding(0) var<uniform> c: f32;
             @group(0) @binding(9) var<uniform> b: f32;
             @group(0) @binding(1) var<uniform> a: f32;",
        )
        .unwrap();
        let names: Vec<_> = program.bindings().into_iter().map(|b| b.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
