//! Abstract values and types of the token-based size analysis.

use std::rc::Rc;

/// The shape of a type. Scalars, vectors, matrices and unknown types are plain.
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

/// A type, and the number of members that naga visits when it checks it.
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

/// The abstract value of an expression.
#[derive(Clone, Debug)]
pub(super) struct ValueInfo<'a> {
    pub(super) shape: Shape<'a>,
    /// Number of expressions of the value without sharing.
    pub(super) weight: u64,
    /// Whether naga may evaluate it at compile time.
    pub(super) is_constant: bool,
}

impl ValueInfo<'_> {
    pub(super) const LITERAL: Self = Self {
        shape: Shape::Plain,
        weight: 1,
        is_constant: true,
    };

    /// A value known at run time only.
    pub(super) const RUNTIME: Self = Self {
        shape: Shape::Plain,
        weight: 1,
        is_constant: false,
    };
}
