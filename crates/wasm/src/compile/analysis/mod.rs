//! Facts about values that several stages use.

pub(crate) mod alignment;
pub(crate) mod linear;
pub(crate) mod provenance;
pub(crate) mod ranges;
