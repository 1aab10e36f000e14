//! Translation of function bodies.
//!
//! In: the blocks of a function and their structure. Out: a naga function. Each file here translates one family of
//! instructions, through the builder [`Body`]. The result of an instruction is evaluated at the instruction; a value
//! used outside the block in which it is computed goes through a local variable; pointers are resolved at their uses.

mod access;
mod arithmetic;
mod atomic;
mod barrier;
mod body;
mod comparison;
mod composite;
mod control;
mod conversion;
mod dot;
mod elements;
mod escape_analysis;
mod extended_arithmetic;
mod glsl;
mod image;
mod memory;
mod narrow_atomic;
mod push_constants;
mod range_analysis;
mod signedness;
mod steps;
mod subgroup;
mod variable_pointers;
mod word_access;

use anywarp_program::naga::{Expression, Handle};

pub(crate) use body::{Body, Opaque};
pub(crate) use control::Flow;
pub(crate) use escape_analysis::escaping;
pub(crate) use memory::{Index, Pointer, Root, Step, holds_values};

pub(crate) type Expr = Handle<Expression>;
