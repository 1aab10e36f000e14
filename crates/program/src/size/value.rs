//! What is known of a value or a type by its tokens.

use std::rc::Rc;

/// What a type is made of. Scalars, vectors, matrices and everything unknown is plain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape<'a> {
    Plain,
    Array(Rc<Shape<'a>>),
    Struct(&'a str),
}

impl Shape<'_> {
    pub(super) fn is_aggregate(&self) -> bool {
        *self != Self::Plain
    }

    pub(super) fn array(self) -> Self {
        Self::Array(Rc::new(self))
    }
}

/// A type, and the members that naga visits to check it.
#[derive(Clone, Debug)]
pub(super) struct Type<'a> {
    pub(super) shape: Shape<'a>,
    pub(super) members: u64,
}

impl Type<'_> {
    pub(super) const PLAIN: Self = Self {
        shape: Shape::Plain,
        members: 1,
    };
}

/// A value of an expression.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) shape: Shape<'a>,
    /// The expressions of it if nothing is shared.
    pub(super) weight: u64,
    /// Whether naga may know it without running the program.
    pub(super) is_constant: bool,
}

impl Value<'_> {
    pub(super) const LITERAL: Self = Self {
        shape: Shape::Plain,
        weight: 1,
        is_constant: true,
    };

    /// A value that only a run knows.
    pub(super) const RUNTIME: Self = Self {
        shape: Shape::Plain,
        weight: 1,
        is_constant: false,
    };
}
