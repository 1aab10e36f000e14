//! Where in bind groups the user's resources lie, and that no two share a place or a name.

use std::collections::HashSet;

use toml::Spanned;

use super::error::FileError;
use super::place::Places;
use crate::code::GROUP;

/// The most bindings that any device counts in a group.
const MAX_BINDING: u32 = 999;

/// A place in a bind group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The bind group.
    pub group: u32,
    /// The binding in it.
    pub binding: u32,
    /// The line of the declaration, counted from one.
    pub line: usize,
}

/// The places and names that are taken.
#[derive(Default)]
pub(super) struct Slots {
    places: HashSet<(u32, u32)>,
    names: HashSet<String>,
}

impl Slots {
    /// Takes a place for a resource.
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
