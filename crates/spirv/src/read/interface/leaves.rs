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

/// Flattens one variable.
struct Flattening<'r, 'a> {
    reader: &'r Reader<'a>,
    leaves: Vec<Leaf>,
    /// The member and element indices of the current part.
    path: Vec<u32>,
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
    let mut flattening = Flattening {
        reader,
        leaves: Vec::new(),
        path: Vec::new(),
        steps: 0,
    };
    flattening.part(ty, inherited, name)?;
    Ok(flattening.leaves)
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

fn too_many() -> ReadError {
    ReadError::unsupported(format!(
        "an input or output of more than {MAX_LEAVES} locations"
    ))
}

impl Flattening<'_, '_> {
    /// Adds the leaves of a part; returns the next location after it.
    fn part(
        &mut self,
        ty: Id,
        inherited: InheritedDecorations,
        name: Option<&str>,
    ) -> Result<Option<u32>> {
        self.steps += 1;
        if self.leaves.len() >= MAX_LEAVES || self.steps > MAX_STEPS {
            return Err(too_many());
        }
        let reader = self.reader;
        match reader.types.get(ty)? {
            Type::Struct { members } => self.members(ty, members, inherited, name),
            Type::Array { element, length } => {
                let length = reader.constants.integer(*length).ok_or_else(|| {
                    ReadError::unsupported("an input or output whose length a pipeline sets")
                })?;
                if length > MAX_LEAVES as i64 {
                    return Err(too_many());
                }
                self.elements(*element, length.max(0) as u32, inherited, name)
            }
            Type::Matrix { column, columns } => self.elements(*column, *columns, inherited, name),
            _ => self.location(ty, inherited, name).map(Some),
        }
    }

    /// Adds the leaves of the members of a struct.
    fn members(
        &mut self,
        ty: Id,
        members: &[Id],
        inherited: InheritedDecorations,
        name: Option<&str>,
    ) -> Result<Option<u32>> {
        let spirv = self.reader.spirv;
        let mut next = inherited.location;
        for (member, inner) in members.iter().enumerate() {
            let member = member as u32;
            self.path.push(member);
            let value = |kind| spirv.decorations.member_value(ty, member, kind);
            let has = |kind| spirv.decorations.member_has(ty, member, kind);
            let qualifiers = qualifiers(&has, inherited.qualifiers);
            let name = spirv.names.member(ty, member).or(name);
            if let Some(builtin) = value(Decoration::BuiltIn) {
                let place = LeafBinding::BuiltIn(known(builtin)?, qualifiers);
                self.push(*inner, place, name);
            } else {
                let inside = InheritedDecorations {
                    location: value(Decoration::Location).or(next),
                    component: value(Decoration::Component).unwrap_or(0),
                    index: inherited.index,
                    qualifiers,
                };
                next = self.part(*inner, inside, name)?;
            }
            self.path.pop();
        }
        Ok(next)
    }

    /// Adds the leaves of the elements of an array or the columns of a matrix.
    fn elements(
        &mut self,
        element: Id,
        count: u32,
        inherited: InheritedDecorations,
        name: Option<&str>,
    ) -> Result<Option<u32>> {
        let mut inside = inherited;
        for index in 0..count {
            self.path.push(index);
            inside.location = self.part(element, inside, name)?;
            self.path.pop();
        }
        Ok(inside.location)
    }

    /// Adds a scalar or a vector; returns the next location after it.
    fn location(
        &mut self,
        ty: Id,
        inherited: InheritedDecorations,
        name: Option<&str>,
    ) -> Result<u32> {
        let types = &self.reader.types;
        let scalar = types.get(types.scalar(ty)?)?;
        let is_wide = matches!(
            scalar,
            Type::Int { bits: 64, .. } | Type::Float { bits: 64 }
        );
        let count = match types.get(ty)? {
            Type::Vector { count, .. } => *count,
            _ => 1,
        };
        let component = if is_wide {
            inherited.component / 2
        } else {
            inherited.component
        };
        let location = inherited
            .location
            .ok_or_else(|| ReadError::invalid("an input or output has no Location"))?;
        let place = LeafBinding::Location {
            location,
            component,
            index: inherited.index,
            qualifiers: inherited.qualifiers,
        };
        self.push(ty, place, name);
        // Vectors of three or four 64-bit components take two locations.
        let locations = if is_wide && count > 2 { 2 } else { 1 };
        Ok(location.saturating_add(locations))
    }

    fn push(&mut self, ty: Id, place: LeafBinding, name: Option<&str>) {
        self.leaves.push(Leaf {
            path: self.path.clone(),
            ty,
            place,
            name: name.map(str::to_owned),
        });
    }
}
