//! Assigns bindings to the parts of resources.
//!
//! In: the parts at each binding of the module, and the caller's map. Out: a binding for each part, by the rule in
//! [`crate::bindings`]. Two parts share a binding only if the caller's map says so. Variables of different types that
//! one entry point uses at the same binding are *variants* of it, each with bindings of its own.

use std::collections::{BTreeMap, BTreeSet};

use anywarp_program::naga::ResourceBinding;
use rspirv::spirv::{Decoration, Op};

use super::split_resources::ResourcePart;
use crate::bindings::{BindingPoint, Bindings, MappedBinding};
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::Module;

/// A binding of the module and the index of a variant at it.
pub(super) type Variant = (BindingPoint, usize);

/// The parts required at a binding of the module.
#[derive(Debug, Default)]
pub(super) struct RequiredParts {
    pub(super) name: Option<String>,
    pub(super) parts: BTreeSet<ResourcePart>,
}

/// The assigned bindings.
#[derive(Debug, Default)]
pub(crate) struct BindingAssignment {
    places: HashMap<(Variant, ResourcePart), BindingPoint>,
    splits: Vec<MappedBinding>,
}

impl BindingAssignment {
    /// Assigns all bindings of a module. `map` has the caller's choices.
    pub(super) fn plan(
        spirv: &Module<'_>,
        required: &BTreeMap<Variant, RequiredParts>,
        map: &Bindings,
    ) -> Result<Self> {
        let mut plan = Planner {
            free: FreeBindings::of(spirv, map),
            places: HashMap::default(),
        };
        for (at, required) in required {
            for part in &required.parts {
                let split = map.variant(at.0.group, at.0.binding, at.1);
                if let Some(place) = split.and_then(|split| place_of(split, *part)) {
                    plan.places.insert((*at, *part), place);
                }
            }
            // The first part keeps the binding of the module.
            if let Some(first) = required.parts.first().filter(|_| at.1 == 0) {
                plan.places.entry((*at, *first)).or_insert(at.0);
            }
        }
        let first_variants = || required.iter().filter(|(at, _)| at.1 == 0);
        for (at, required) in first_variants() {
            let is_image = required.parts.first().is_some_and(|part| part.is_image());
            let sampler = required.parts.iter().find(|part| !part.is_image());
            if let Some(sampler) = sampler.filter(|_| is_image) {
                plan.place(*at, *sampler)?;
            }
        }
        let others = required.iter().filter(|(at, _)| at.1 > 0);
        for (at, required) in first_variants().chain(others) {
            for part in &required.parts {
                plan.place(*at, *part)?;
            }
        }
        let places = plan.places;
        let splits = required.iter().filter_map(|(at, parts)| {
            split(*at, parts, &places, required.contains_key(&(at.0, 1)))
        });
        Ok(Self {
            splits: splits.collect(),
            places,
        })
    }

    /// The binding of a part.
    pub(super) fn of(&self, at: Variant, part: ResourcePart) -> ResourceBinding {
        let place = self.places.get(&(at, part)).copied().unwrap_or(at.0);
        ResourceBinding {
            group: place.group,
            binding: place.binding,
        }
    }

    /// The map of changed bindings that is returned to the caller.
    pub(crate) fn into_bindings(self) -> Bindings {
        Bindings {
            bindings: self.splits,
        }
    }
}

fn place_of(split: &MappedBinding, part: ResourcePart) -> Option<BindingPoint> {
    match part {
        ResourcePart::Texture => split.texture,
        ResourcePart::Depth => split.depth,
        ResourcePart::Sampler => split.sampler,
        ResourcePart::Comparison => split.comparison,
    }
}

/// The map entry of a binding; `None` if it is unchanged and has no other variants.
fn split(
    at: Variant,
    required: &RequiredParts,
    places: &HashMap<(Variant, ResourcePart), BindingPoint>,
    has_variants: bool,
) -> Option<MappedBinding> {
    let place = |part| places.get(&(at, part)).copied();
    let is_same =
        required.parts.len() == 1 && required.parts.iter().all(|part| place(*part) == Some(at.0));
    (!is_same || has_variants).then(|| MappedBinding {
        group: at.0.group,
        binding: at.0.binding,
        name: required.name.clone(),
        texture: place(ResourcePart::Texture),
        depth: place(ResourcePart::Depth),
        sampler: place(ResourcePart::Sampler),
        comparison: place(ResourcePart::Comparison),
        ..MappedBinding::default()
    })
}

struct Planner {
    free: FreeBindings,
    places: HashMap<(Variant, ResourcePart), BindingPoint>,
}

impl Planner {
    fn place(&mut self, at: Variant, part: ResourcePart) -> Result<()> {
        if !self.places.contains_key(&(at, part)) {
            let place = self.free.take(at.0.group)?;
            self.places.insert((at, part), place);
        }
        Ok(())
    }
}

/// The first free binding of each group; `None` if a group is full.
struct FreeBindings(HashMap<u32, Option<u32>>);

impl FreeBindings {
    fn of(spirv: &Module<'_>, map: &Bindings) -> Self {
        let mut free = Self(HashMap::default());
        let variables = spirv
            .globals
            .iter()
            .filter(|global| global.op == Op::Variable);
        for id in variables.filter_map(|variable| variable.result) {
            let value = |kind| spirv.decorations.value(id, kind);
            if let Some(binding) = value(Decoration::Binding) {
                let group = value(Decoration::DescriptorSet).unwrap_or(0);
                free.mark_used(BindingPoint { group, binding });
            }
        }
        for split in &map.bindings {
            let places = [split.texture, split.depth, split.sampler, split.comparison];
            let places = places.into_iter().chain([split.buffer]).flatten();
            places.for_each(|place| free.mark_used(place));
        }
        free
    }

    fn mark_used(&mut self, place: BindingPoint) {
        let next = self.0.entry(place.group).or_insert(Some(0));
        *next = next.and_then(|next| Some(next.max(place.binding.checked_add(1)?)));
    }

    fn take(&mut self, group: u32) -> Result<BindingPoint> {
        let next = self.0.entry(group).or_insert(Some(0));
        let binding = next.ok_or_else(|| {
            ReadError::unsupported(format!(
                "a sampler behind the last binding of group {group}"
            ))
        })?;
        *next = binding.checked_add(1);
        Ok(BindingPoint { group, binding })
    }
}
