//! Analyses of naga functions before they are lowered: liveness of variables, speculation, short-circuit operators,
//! uniformity.
//!
//! Liveness and uniformity are data-flow analyses on structured statements, and work on sets of variables (`bit_set`).

pub(in crate::lower) mod bit_set;
pub(in crate::lower) mod liveness;
pub(in crate::lower) mod short_circuit;
pub(in crate::lower) mod speculation;
pub(in crate::lower) mod uniformity;
