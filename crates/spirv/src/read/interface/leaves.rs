//! Flattens inputs and outputs to what WGSL parameters and results can be.
//!
//! In: an `Input` or `Output` variable. Out: its [`Leaf`]s, each a scalar or vector at one location, or a builtin.
//! Structs, arrays and matrices are flattened in location order.

use rspirv::spirv::{BuiltIn, Decoration};

use crate::error::{ReadError, Result};
use crate::module::Id;
use crate::read::Reader;
use crate::read::types::Type;

/// The maximum number of leaves in one variable: more than any device has locations.
const MAX_LEAVES: usize = 1024;

/// The maximum number of types visited for one variable. It bounds nested empty structs and arrays, which have no
/// leaves.
const MAX_STEPS: usize = 1 << 16;

/// A leaf of a variable.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The member and element indices of its access path.
    pub(super) path: Vec<u32>,
    pub(super) ty: Id,
    pub(super) place: LeafBinding,
    pub(super) name: Option<String>,
}

/// The builtin or location of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafBinding {
    BuiltIn(BuiltIn, Qualifiers),
    Location {
        location: u32,
        component: u32,
        index: Option<u32>,
        qualifiers: Qualifiers,
    },
}

/// Interpolation and invariance decorations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Qualifiers {
    pub(super) is_flat: bool,
    pub(super) is_linear: bool,
    pub(super) is_centroid: bool,
    pub(super) is_sample: bool,
    pub(super) is_invariant: bool,
}

/// Decorations inherited from the enclosing type.
#[derive(Clone, Copy)]
struct InheritedDecorations {
    location: Option<u32>,
    component: u32,
    index: Option<u32>,
    qualifiers: Qualifiers,
}

#[derive(Default)]
struct FlattenedLeaves {
    leaves: Vec<Leaf>,
    steps: usize,
}

/// The leaves of a variable of type `ty`.
pub(super) fn leaves(reader: &Reader<'_>, variable: Id, ty: Id) -> Result<Vec<Leaf>> {
    let decorations = &reader.spirv.decorations;
    let value = |kind| decorations.value(variable, kind);
    let has = |kind| decorations.has(variable, kind);
    let name = reader
        .spirv
        .names
        .of(variable)
        .filter(|name| !name.is_empty());
    let mut qualifiers = qualifiers(&has, Qualifiers::default());
    qualifiers.is_centroid |= reader.is_only_at_centroid(variable);
    if let Some(builtin) = value(Decoration::BuiltIn) {
        return Ok(vec![Leaf {
            path: Vec::new(),
            ty,
            place: LeafBinding::BuiltIn(known(builtin)?, qualifiers),
            name: name.map(str::to_owned),
        }]);
    }
    let inherited = InheritedDecorations {
        location: value(Decoration::Location),
        component: value(Decoration::Component).unwrap_or(0),
        index: value(Decoration::Index),
        qualifiers,
    };
    let mut found = FlattenedLeaves::default();
    let mut path = Vec::new();
    collect(reader, ty, inherited, name, &mut path, &mut found)?;
    Ok(found.leaves)
}

fn qualifiers(has: &dyn Fn(Decoration) -> bool, around: Qualifiers) -> Qualifiers {
    Qualifiers {
        is_flat: around.is_flat || has(Decoration::Flat),
        is_linear: around.is_linear || has(Decoration::NoPerspective),
        is_centroid: around.is_centroid || has(Decoration::Centroid),
        is_sample: around.is_sample || has(Decoration::Sample),
        is_invariant: around.is_invariant || has(Decoration::Invariant),
    }
}

fn known(builtin: u32) -> Result<BuiltIn> {
    BuiltIn::from_u32(builtin)
        .ok_or_else(|| ReadError::unsupported(format!("builtin with number {builtin}")))
}

/// Adds the leaves of a part; returns the next location after it.
fn collect(
    reader: &Reader<'_>,
    ty: Id,
    inherited: InheritedDecorations,
    name: Option<&str>,
    path: &mut Vec<u32>,
    found: &mut FlattenedLeaves,
) -> Result<Option<u32>> {
    let mut next = inherited.location;
    let too_many = || {
        ReadError::unsupported(format!(
            "an input or output of more than {MAX_LEAVES} locations"
        ))
    };
    found.steps += 1;
    if found.leaves.len() >= MAX_LEAVES || found.steps > MAX_STEPS {
        return Err(too_many());
    }
    match reader.types.get(ty)? {
        Type::Struct { members } => {
            for (member, inner) in members.iter().enumerate() {
                let member = member as u32;
                path.push(member);
                let decorations = &reader.spirv.decorations;
                let value = |kind| decorations.member_value(ty, member, kind);
                let has = |kind| decorations.member_has(ty, member, kind);
                let qualifiers = qualifiers(&has, inherited.qualifiers);
                let name = reader.spirv.names.member(ty, member).or(name);
                if let Some(builtin) = value(Decoration::BuiltIn) {
                    found.leaves.push(Leaf {
                        path: path.clone(),
                        ty: *inner,
                        place: LeafBinding::BuiltIn(known(builtin)?, qualifiers),
                        name: name.map(str::to_owned),
                    });
                } else {
                    let inside = InheritedDecorations {
                        location: value(Decoration::Location).or(next),
                        component: value(Decoration::Component).unwrap_or(0),
                        index: inherited.index,
                        qualifiers,
                    };
                    next = collect(reader, *inner, inside, name, path, found)?;
                }
                path.pop();
            }
        }
        Type::Array { element, length } => {
            let length = reader.constants.integer(*length).ok_or_else(|| {
                ReadError::unsupported("an input or output whose length a pipeline sets")
            })?;
            if length > MAX_LEAVES as i64 {
                return Err(too_many());
            }
            for index in 0..length {
                path.push(index as u32);
                let inside = InheritedDecorations {
                    location: next,
                    ..inherited
                };
                next = collect(reader, *element, inside, name, path, found)?;
                path.pop();
            }
        }
        Type::Matrix { column, columns } => {
            for index in 0..*columns {
                path.push(index);
                let inside = InheritedDecorations {
                    location: next,
                    ..inherited
                };
                next = collect(reader, *column, inside, name, path, found)?;
                path.pop();
            }
        }
        _ => {
            let scalar = reader.types.get(reader.types.scalar(ty)?)?;
            let is_wide = matches!(
                scalar,
                Type::Int { bits: 64, .. } | Type::Float { bits: 64 }
            );
            let count = match reader.types.get(ty)? {
                Type::Vector { count, .. } => *count,
                _ => 1,
            };
            let component = if is_wide {
                inherited.component / 2
            } else {
                inherited.component
            };
            let location =
                next.ok_or_else(|| ReadError::invalid("an input or output has no Location"))?;
            found.leaves.push(Leaf {
                path: path.clone(),
                ty,
                place: LeafBinding::Location {
                    location,
                    component,
                    index: inherited.index,
                    qualifiers: inherited.qualifiers,
                },
                name: name.map(str::to_owned),
            });
            // Vectors of three or four 64-bit components take two locations.
            let locations = if is_wide && count > 2 { 2 } else { 1 };
            next = Some(location.saturating_add(locations));
        }
    }
    Ok(next)
}
