//! Which bindings of a SPIR-V module became which bindings of a program.
//!
//! Out: [`Bindings`], for callers that make layouts from those of Vulkan. In: the same, to say where
//! things should go. As JSON:
//!
//! ```json
//! {
//!   "bindings": [
//!     {
//!       "group": 0,
//!       "binding": 1,
//!       "name": "colours",
//!       "texture": { "group": 0, "binding": 1 },
//!       "sampler": { "group": 0, "binding": 5 }
//!     }
//!   ]
//! }
//! ```
//!
//! [`Bindings`] has the rule.

use serde::{Deserialize, Serialize};

/// A group and a binding in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingPoint {
    /// Vulkan's descriptor set.
    pub group: u32,
    /// The number in it.
    pub binding: u32,
}

/// What one binding of a module became.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedBinding {
    /// The descriptor set in the module.
    pub group: u32,
    /// The binding in the module.
    pub binding: u32,
    /// What the module calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where the texture or the storage texture is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<BindingPoint>,
    /// Where the texture is that is compared with depths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<BindingPoint>,
    /// Where the sampler is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<BindingPoint>,
    /// Where the sampler is that compares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<BindingPoint>,
    /// Where the buffer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<BindingPoint>,
    /// The format of a storage image for which the module names none, as WGSL calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// The bindings that are not one to one.
///
/// The rule: a combined image and sampler becomes a texture, which keeps the group and the binding, and
/// a sampler, which gets the next free binding of that group. Free bindings are counted from the highest
/// that the module uses in the group, plus one; combined ones take them in the order of their bindings.
/// An image that is compared with depths and also sampled as only colours can be becomes two textures,
/// and a sampler that is used with and without comparison two samplers: the second ones (`depth`,
/// `comparison`) take the free bindings after those, again in the order of bindings. Variables of different
/// types that one entry point uses at one binding, such as a 2D and a cube texture, are told apart: the first keeps
/// the binding, each other type has an entry of its own here and takes what is free after all of these. The same
/// resource of Vulkan goes to all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bindings {
    /// In the order of groups and bindings.
    pub bindings: Vec<MappedBinding>,
}

/// Why a map of bindings cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("not a map of bindings: {0}")]
pub struct BindingsError(#[from] serde_json::Error);

impl Bindings {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<Self, BindingsError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> Result<String, BindingsError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// What this says of one of several variables of different types at a binding of the module.
    pub(crate) fn variant(
        &self,
        group: u32,
        binding: u32,
        variant: usize,
    ) -> Option<&MappedBinding> {
        let mut same = self.bindings.iter();
        let is_same = |it: &&MappedBinding| (it.group, it.binding) == (group, binding);
        same.by_ref().filter(is_same).nth(variant)
    }

    /// What this says of a binding of the module; the first entry, where there are several.
    pub fn get(&self, group: u32, binding: u32) -> Option<&MappedBinding> {
        self.bindings
            .iter()
            .find(|it| (it.group, it.binding) == (group, binding))
    }
}
