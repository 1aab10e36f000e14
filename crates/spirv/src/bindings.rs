//! Binding maps: how the bindings of a SPIR-V module correspond to those of the translated program.
//!
//! The reader returns the map ([`Bindings`]), from which callers derive pipeline layouts for a Vulkan layout. It also
//! accepts one, which prescribes the bindings of the program. As JSON:
//!
//! ```json
//! {
//!   "bindings": [
//!     {
//!       "group": 0,
//!       "binding": 1,
//!       "name": "colors",
//!       "texture": { "group": 0, "binding": 1 },
//!       "sampler": { "group": 0, "binding": 5 }
//!     }
//!   ]
//! }
//! ```
//!
//! The doc comment of [`Bindings`] specifies how bindings are assigned.

use serde::{Deserialize, Serialize};

/// A bind group and a binding number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingPoint {
    /// The descriptor set, in Vulkan's terms.
    pub group: u32,
    /// The binding number in the group.
    pub binding: u32,
}

/// What one binding of a module is translated to. The unused kinds of resources are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedBinding {
    /// The descriptor set in the module.
    pub group: u32,
    /// The binding in the module.
    pub binding: u32,
    /// The name of the variable in the module (`OpName`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The binding of the texture or storage texture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<BindingPoint>,
    /// The binding of the depth texture, if the image is used with depth comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<BindingPoint>,
    /// The binding of the sampler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<BindingPoint>,
    /// The binding of the comparison sampler, if the sampler is used for depth comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<BindingPoint>,
    /// The binding of the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BindingPoint>,
    /// The WGSL name of the texel format of a storage image whose type has the format `Unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// The bindings that are not mapped to themselves.
///
/// A combined image sampler is split into a texture, which keeps the group and the binding, and a sampler, which gets
/// the next free binding of that group. Free bindings start after the highest binding that the module uses in the
/// group; samplers take them in the order of their combined bindings. An image that is used with depth comparison and
/// also in ways that a depth texture does not allow becomes two textures, and a sampler that is used with and without
/// comparison becomes two samplers: the second ones (`depth`, `comparison`) take the free bindings after those, again
/// in the order of bindings. If one entry point uses variables of different types at one binding, such as a 2D and a
/// cube texture, the first keeps the binding, and each other type has its own entry here and takes a free binding
/// after all of these. All of them are bound to the same Vulkan resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bindings {
    /// Sorted by group and binding.
    pub bindings: Vec<MappedBinding>,
}

/// An error in the JSON of a binding map.
#[derive(Debug, thiserror::Error)]
#[error("not a map of bindings: {0}")]
pub struct BindingsError(#[from] serde_json::Error);

impl Bindings {
    /// Parses a map from JSON.
    pub fn from_json(text: &str) -> Result<Self, BindingsError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Serializes the map as JSON.
    pub fn to_json(&self) -> Result<String, BindingsError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// The entry with index `variant` of a binding that several variables of different types use.
    pub(crate) fn variant(
        &self,
        group: u32,
        binding: u32,
        variant: usize,
    ) -> Option<&MappedBinding> {
        let mut same = self.bindings.iter();
        let is_same = |mapped: &&MappedBinding| (mapped.group, mapped.binding) == (group, binding);
        same.by_ref().filter(is_same).nth(variant)
    }

    /// The entry of a binding of the module; the first, if there are several.
    pub fn get(&self, group: u32, binding: u32) -> Option<&MappedBinding> {
        self.bindings
            .iter()
            .find(|mapped| (mapped.group, mapped.binding) == (group, binding))
    }
}
