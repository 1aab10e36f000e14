//! The variables in scope, and the access paths from them to a value of some type.

use super::tree::{Constness, Passing};
use super::types::{Structs, Type};

/// A named variable or value.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// The name, or another expression for the variable: `(*p0)`, `out[slot]`.
    pub(crate) root: String,
    pub(crate) ty: Type,
    pub(crate) role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Value(Constness),
    ReadOnly,
    /// A runtime-sized array: never read as a whole.
    Unsized,
    /// With the kind of pointer that `&` gives, if functions take such pointers.
    Writable(Option<Passing>),
}

impl Variable {
    pub(crate) fn new(root: impl Into<String>, ty: Type, role: Role) -> Self {
        Self {
            root: root.into(),
            ty,
            role,
        }
    }

    pub(crate) fn is_writable(&self) -> bool {
        matches!(self.role, Role::Writable(_))
    }
}

/// One step of an access path into a composite.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Member(usize),
    Component(u32),
    Index(u32),
}

/// All access paths from a type to parts of another type.
pub(crate) fn ways(from: &Type, to: &Type, structs: &Structs) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    walk(from, to, structs, &mut Vec::new(), &mut found);
    found
}

fn walk(
    from: &Type,
    to: &Type,
    structs: &Structs,
    way: &mut Vec<Step>,
    found: &mut Vec<Vec<Step>>,
) {
    if from == to {
        found.push(way.clone());
        return;
    }
    let mut go = |step, ty: &Type| {
        way.push(step);
        walk(ty, to, structs, way, found);
        way.pop();
    };
    match from {
        Type::Scalar(_) => {}
        Type::Vector(scalar, width) => {
            let part = Type::Scalar(*scalar);
            (0..*width).for_each(|i| go(Step::Component(i), &part));
            go(Step::Index(*width), &part);
        }
        Type::Matrix(scalar, columns, rows) => {
            go(Step::Index(*columns), &Type::Vector(*scalar, *rows));
        }
        Type::Array(element, count) => go(Step::Index(*count), element),
        Type::Struct(index) => {
            structs[*index]
                .iter()
                .enumerate()
                .for_each(|(i, member)| go(Step::Member(i), member));
        }
    }
}
