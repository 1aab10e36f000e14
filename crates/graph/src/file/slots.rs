//! Bindings of the user's resources; no two resources share a binding or a name.

use std::collections::HashSet;

use toml::Spanned;

use super::error::FileError;
use super::place::Places;
use crate::code::GROUP;

/// The maximum binding number on any device.
const MAX_BINDING: u32 = 999;

/// A bind group and binding, with the line that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The index of the bind group.
    pub group: u32,
    /// The binding number.
    pub binding: u32,
    /// The one-based line of the declaration.
    pub line: usize,
}

/// The bindings and names in use.
#[derive(Default)]
pub(super) struct Slots {
    places: HashSet<(u32, u32)>,
    names: HashSet<String>,
}

impl Slots {
    /// Reserves a binding for a resource.
    pub(super) fn take(
        &mut self,
        name: &Spanned<String>,
        group: Option<&Spanned<u32>>,
        binding: &Spanned<u32>,
        places: &Places<'_>,
    ) -> Result<Slot, FileError> {
        let slot = Slot {
            group: group.map_or(0, |group| *group.get_ref()),
            binding: *binding.get_ref(),
            line: places.line(&name.span()),
        };
        match group {
            Some(given) if slot.group >= GROUP => {
                return Err(places.at(given, "belongs to the graph; use groups 0 to 2"));
            }
            _ => {}
        }
        if slot.binding > MAX_BINDING {
            return Err(places.at(binding, format!("is more than {MAX_BINDING}")));
        }
        if !self.places.insert((slot.group, slot.binding)) {
            return Err(places.at(binding, "another resource has this binding"));
        }
        if !self.names.insert(name.get_ref().clone()) {
            return Err(places.at(name, "another resource has this name"));
        }
        Ok(slot)
    }
}
