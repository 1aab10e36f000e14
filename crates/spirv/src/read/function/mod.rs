//! The body of a function.
//!
//! In: a function's blocks and their structure. Out: a function of naga. Each family of instructions is
//! a file here, which adds expressions and statements through [`Body`]. What always holds: what an
//! instruction makes is computed where it stands; what is used outside of the braces in which it is
//! computed goes through a variable; pointers are followed where they are used.

mod access;
mod arithmetic;
mod atomic;
mod barrier;
mod body;
mod choice;
mod comparison;
mod composite;
mod control;
mod conversion;
mod dot;
mod elements;
mod extended;
mod glsl;
mod image;
mod immediate;
mod memory;
mod narrow_atomic;
mod ranges;
mod scopes;
mod signs;
mod steps;
mod subgroup;
mod word_access;

use anywarp_program::naga::{Expression, Handle};

pub(crate) use body::{Body, Opaque};
pub(crate) use control::Flow;
pub(crate) use memory::{Index, Pointer, Root, Step, holds_values};
pub(crate) use scopes::escaping;

/// An expression of the function that is being built.
pub(crate) type Expr = Handle<Expression>;
