//! Bindings of the user's resources; no two resources share a binding or a name.

use std::collections::HashSet;

use toml::Spanned;

use super::error::FileError;
use super::locations::Locations;
use crate::layout::RUNTIME_GROUP;

/// The maximum binding number on any device.
const MAX_BINDING: u32 = 999;

/// A bind group and binding, with the line that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BindingPoint {
    /// The index of the bind group.
    pub group: u32,
    /// The binding number.
    pub binding: u32,
    /// The one-based line of the declaration.
    pub line: usize,
}

/// The bindings and names in use.
#[derive(Default)]
pub(super) struct UsedBindings {
    points: HashSet<(u32, u32)>,
    names: HashSet<String>,
}

impl UsedBindings {
    /// Reserves a binding for a resource.
    pub(super) fn take(
        &mut self,
        name: &Spanned<String>,
        group: Option<&Spanned<u32>>,
        binding: &Spanned<u32>,
        locations: &Locations<'_>,
    ) -> Result<BindingPoint, FileError> {
        let binding_point = BindingPoint {
            group: group.map_or(0, |group| *group.get_ref()),
            binding: *binding.get_ref(),
            line: locations.line(&name.span()),
        };
        match group {
            Some(given) if binding_point.group >= RUNTIME_GROUP => {
                return Err(locations.at(given, "belongs to the graph; use groups 0 to 2"));
            }
            _ => {}
        }
        if binding_point.binding > MAX_BINDING {
            return Err(locations.at(binding, format!("is more than {MAX_BINDING}")));
        }
        if !self
            .points
            .insert((binding_point.group, binding_point.binding))
        {
            return Err(locations.at(binding, "another resource has this binding"));
        }
        if !self.names.insert(name.get_ref().clone()) {
            return Err(locations.at(name, "another resource has this name"));
        }
        Ok(binding_point)
    }
}
