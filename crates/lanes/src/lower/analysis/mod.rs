//! Analyses of naga functions before they are lowered: liveness of variables, and uniformity.
//!
//! Both are data-flow analyses on structured statements, and work on sets of variables (`bit_set`).

pub(in crate::lower) mod bit_set;
pub(in crate::lower) mod liveness;
pub(in crate::lower) mod uniformity;
