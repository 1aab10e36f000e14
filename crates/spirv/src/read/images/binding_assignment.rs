//! Assigns bindings to the faces of resources.
//!
//! In: the faces at each binding of the module, and the caller's map. Out: a binding for each face, by the rule in
//! [`crate::bindings`]. Two faces share a binding only if the caller's map says so. Variables of different types that
//! one entry point uses at the same binding are *variants* of it, each with bindings of its own.

use std::collections::{BTreeMap, BTreeSet};

use anywarp_program::naga::ResourceBinding;
use rspirv::spirv::{Decoration, Op};

use super::faces::Face;
use crate::bindings::{BindingPoint, Bindings, MappedBinding};
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::Module;

/// A binding of the module and the index of a variant at it.
pub(super) type Variant = (BindingPoint, usize);

/// The faces required at a binding of the module.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) name: Option<String>,
    pub(super) faces: BTreeSet<Face>,
}

/// The assigned bindings.
#[derive(Debug, Default)]
pub(crate) struct BindingAssignment {
    places: HashMap<(Variant, Face), BindingPoint>,
    splits: Vec<MappedBinding>,
}

impl BindingAssignment {
    /// Assigns all bindings of a module. `map` has the caller's choices.
    pub(super) fn plan(
        spirv: &Module<'_>,
        wanted: &BTreeMap<Variant, Wanted>,
        map: &Bindings,
    ) -> Result<Self> {
        let mut plan = Plan {
            free: Free::of(spirv, map),
            places: HashMap::default(),
        };
        for (at, wanted) in wanted {
            for face in &wanted.faces {
                let split = map.variant(at.0.group, at.0.binding, at.1);
                if let Some(place) = split.and_then(|split| place_of(split, *face)) {
                    plan.places.insert((*at, *face), place);
                }
            }
            // The first face keeps the binding of the module.
            if let Some(first) = wanted.faces.first().filter(|_| at.1 == 0) {
                plan.places.entry((*at, *first)).or_insert(at.0);
            }
        }
        let firsts = || wanted.iter().filter(|(at, _)| at.1 == 0);
        for (at, wanted) in firsts() {
            let is_image = wanted.faces.first().is_some_and(|face| face.is_image());
            let sampler = wanted.faces.iter().find(|face| !face.is_image());
            if let Some(sampler) = sampler.filter(|_| is_image) {
                plan.place(*at, *sampler)?;
            }
        }
        let others = wanted.iter().filter(|(at, _)| at.1 > 0);
        for (at, wanted) in firsts().chain(others) {
            for face in &wanted.faces {
                plan.place(*at, *face)?;
            }
        }
        let places = plan.places;
        let splits = wanted
            .iter()
            .filter_map(|(at, it)| split(*at, it, &places, wanted.contains_key(&(at.0, 1))));
        Ok(Self {
            splits: splits.collect(),
            places,
        })
    }

    /// The binding of a face.
    pub(super) fn of(&self, at: Variant, face: Face) -> ResourceBinding {
        let place = self.places.get(&(at, face)).copied().unwrap_or(at.0);
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

fn place_of(split: &MappedBinding, face: Face) -> Option<BindingPoint> {
    match face {
        Face::Texture => split.texture,
        Face::Depth => split.depth,
        Face::Sampler => split.sampler,
        Face::Comparison => split.comparison,
    }
}

/// The map entry of a binding; `None` if it is unchanged and has no other variants.
fn split(
    at: Variant,
    wanted: &Wanted,
    places: &HashMap<(Variant, Face), BindingPoint>,
    has_variants: bool,
) -> Option<MappedBinding> {
    let place = |face| places.get(&(at, face)).copied();
    let is_same = wanted.faces.len() == 1 && wanted.faces.iter().all(|it| place(*it) == Some(at.0));
    (!is_same || has_variants).then(|| MappedBinding {
        group: at.0.group,
        binding: at.0.binding,
        name: wanted.name.clone(),
        texture: place(Face::Texture),
        depth: place(Face::Depth),
        sampler: place(Face::Sampler),
        comparison: place(Face::Comparison),
        ..MappedBinding::default()
    })
}

struct Plan {
    free: Free,
    places: HashMap<(Variant, Face), BindingPoint>,
}

impl Plan {
    fn place(&mut self, at: Variant, face: Face) -> Result<()> {
        if !self.places.contains_key(&(at, face)) {
            let place = self.free.take(at.0.group)?;
            self.places.insert((at, face), place);
        }
        Ok(())
    }
}

/// The first free binding of each group; `None` if a group is full.
struct Free(HashMap<u32, Option<u32>>);

impl Free {
    fn of(spirv: &Module<'_>, map: &Bindings) -> Self {
        let mut free = Self(HashMap::default());
        let variables = spirv.globals.iter().filter(|it| it.op == Op::Variable);
        for id in variables.filter_map(|it| it.result) {
            let value = |kind| spirv.decorations.value(id, kind);
            if let Some(binding) = value(Decoration::Binding) {
                let group = value(Decoration::DescriptorSet).unwrap_or(0);
                free.used(BindingPoint { group, binding });
            }
        }
        for split in &map.bindings {
            let places = [split.texture, split.depth, split.sampler, split.comparison];
            let places = places.into_iter().chain([split.buffer]).flatten();
            places.for_each(|place| free.used(place));
        }
        free
    }

    fn used(&mut self, place: BindingPoint) {
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
