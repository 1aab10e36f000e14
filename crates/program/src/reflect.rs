//! Reflection: entry points, bindings, overrides and memory of a program.
//!
//! In: a validated [`Program`](crate::Program). Out: plain descriptions with WGSL spellings and sizes in bytes, for users (`anywarp
//! inspect`) and for code that binds buffers. What always holds: sizes that depend on overrides use the default values;
//! if a default is missing, the description names the override. Nothing is cached.

mod binding;
mod entry_point;
mod overrides;

pub use binding::{Binding, BindingAccess, BindingKind};
pub use entry_point::{EntryPoint, WorkgroupMemory, WorkgroupSize, stage_name};
pub use overrides::{Override, OverrideDefault};

pub(crate) use overrides::override_name;

use naga::common::wgsl::TypeContext;
use naga::{ArraySize, Handle, Module, Type, TypeInner};

/// The WGSL spelling of a type.
pub(crate) fn spell_type(module: &Module, ty: Handle<Type>) -> String {
    // naga omits the element type of arrays that an override sizes.
    if let TypeInner::Array { base, size, .. } = module.types[ty].inner
        && let ArraySize::Pending(length) = size
    {
        let length = match override_name(&module.overrides[length]) {
            name if name.is_empty() => "_".to_owned(),
            name => name,
        };
        return format!("array<{}, {length}>", spell_type(module, base));
    }
    // naga writes `texture_storage_2d<rgba8unorm,write>`, but `array<f32, 4>`.
    let spelling = module.to_ctx().type_to_string(ty);
    spelling.replace(", ", ",").replace(',', ", ")
}
