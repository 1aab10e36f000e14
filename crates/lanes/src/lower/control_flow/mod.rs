//! Structured control flow: statements, branches, switches and loops.
//!
//! Uniform constructs become branches, divergent ones are linearized under an execution mask (`predication`).

pub(in crate::lower) mod branch;
pub(in crate::lower) mod continue_elimination;
pub(in crate::lower) mod loops;
mod predication;
pub(in crate::lower) mod statement;
pub(in crate::lower) mod switch;
