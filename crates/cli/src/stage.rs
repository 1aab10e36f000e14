//! The inputs and outputs of a shader stage.
//!
//! In: an entry point. Out: its inputs and outputs with structs flattened, each with its WGSL attributes
//! (`@location(0) @interpolate(flat)`, `@builtin(position)`), its name and its type.

use anywarp_program::naga::common::wgsl::{ToWgsl, TryToWgsl, TypeContext};
use anywarp_program::naga::{Binding, Handle, Interpolation, Module, Sampling, Type, TypeInner};
use serde::Serialize;

/// One input or output.
#[derive(Debug, Serialize)]
pub(crate) struct Port {
    /// Empty if unnamed.
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// Null for builtins.
    pub(crate) location: Option<u32>,
    /// Null for locations.
    pub(crate) builtin: Option<String>,
    /// The WGSL attributes.
    pub(crate) place: String,
}

/// Inputs and outputs of an entry point, in declaration order.
pub(crate) fn ports(module: &Module, entry: &str) -> (Vec<Port>, Vec<Port>) {
    let Some(point) = module
        .entry_points
        .iter()
        .find(|entry_point| entry_point.name == entry)
    else {
        return Default::default();
    };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for argument in &point.function.arguments {
        let binding = argument.binding.as_ref();
        add(
            module,
            argument.name.as_deref(),
            argument.ty,
            binding,
            &mut inputs,
        );
    }
    if let Some(result) = &point.function.result {
        add(
            module,
            None,
            result.ty,
            result.binding.as_ref(),
            &mut outputs,
        );
    }
    (inputs, outputs)
}

fn add(
    module: &Module,
    name: Option<&str>,
    ty: Handle<Type>,
    binding: Option<&Binding>,
    ports: &mut Vec<Port>,
) {
    if let Some(binding) = binding {
        ports.push(port(module, name, ty, binding));
    } else if let TypeInner::Struct { members, .. } = &module.types[ty].inner {
        for member in members {
            let binding = member.binding.as_ref();
            ports.extend(
                binding.map(|binding| port(module, member.name.as_deref(), member.ty, binding)),
            );
        }
    }
}

fn port(module: &Module, name: Option<&str>, ty: Handle<Type>, binding: &Binding) -> Port {
    let (location, builtin, place) = match binding {
        Binding::BuiltIn(builtin) => {
            let name = builtin
                .try_to_wgsl()
                .map_or_else(|| format!("{builtin:?}"), str::to_owned);
            let place = format!("@builtin({name})");
            (None, Some(name), place)
        }
        Binding::Location {
            location,
            interpolation,
            sampling,
            blend_src,
            ..
        } => {
            let blend = blend_src.map_or(String::new(), |it| format!(" @blend_src({it})"));
            let interpolation = interpolate(*interpolation, *sampling);
            let place = format!("@location({location}){blend}{interpolation}");
            (Some(*location), None, place)
        }
    };
    Port {
        name: name.unwrap_or_default().to_owned(),
        ty: module.to_ctx().type_to_string(ty),
        location,
        builtin,
        place,
    }
}

/// The attribute; empty for WGSL's default.
fn interpolate(interpolation: Option<Interpolation>, sampling: Option<Sampling>) -> String {
    let sampling =
        sampling.filter(|sampling| !matches!(sampling, Sampling::Center | Sampling::First));
    match (interpolation, sampling) {
        (None | Some(Interpolation::Perspective), None) => String::new(),
        (kind, None) => kind.map_or(String::new(), |kind| {
            format!(" @interpolate({})", kind.to_wgsl())
        }),
        (kind, Some(sampling)) => format!(
            " @interpolate({}, {})",
            kind.unwrap_or(Interpolation::Perspective).to_wgsl(),
            sampling.to_wgsl()
        ),
    }
}
