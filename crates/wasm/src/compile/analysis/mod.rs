//! Facts about values that several stages use.

pub(crate) mod linear;
