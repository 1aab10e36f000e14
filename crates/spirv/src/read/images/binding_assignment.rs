//! Which bindings the faces of variables get.
//!
//! The rule is in [`crate::bindings`]. What always holds: every face has a place; no two bindings of the
//! module share one unless the caller's map says so. Variables of different types that an entry point uses
//! at one binding are *variants* of it, each with places of its own.

use std::collections::{BTreeMap, BTreeSet};

use anywarp_program::naga::ResourceBinding;
use rspirv::spirv::{Decoration, Op};

use super::faces::Face;
use crate::bindings::{BindingPoint, Bindings, MappedBinding};
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::Module;

/// A binding of the module, and which of its variants.
pub(super) type Variant = (BindingPoint, usize);

/// What the module has at a binding.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) name: Option<String>,
    pub(super) faces: BTreeSet<Face>,
}

/// Where everything goes.
#[derive(Debug, Default)]
pub(crate) struct BindingAssignment {
    places: HashMap<(Variant, Face), BindingPoint>,
    splits: Vec<MappedBinding>,
}

impl BindingAssignment {
    /// Decides for all bindings of a module. `map` is what the caller wants.
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
            // The first face keeps the binding.
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

    /// Where a face of what lies at this binding of the module goes.
    pub(super) fn of(&self, at: Variant, face: Face) -> ResourceBinding {
        let place = self.places.get(&(at, face)).copied().unwrap_or(at.0);
        ResourceBinding {
            group: place.group,
            binding: place.binding,
        }
    }

    /// What callers want to know.
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

/// What became of a binding, unless it stays what and where it was and has no other variants.
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

/// The first free binding of each group; nothing where there is none.
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
