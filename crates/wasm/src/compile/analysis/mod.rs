//! Analyses that several stages share. None of them changes a function.

pub(crate) mod alignment;
pub(crate) mod linear;
pub(crate) mod provenance;
