//! Calls: which functions are inlined (`inlining`), how a call is inlined (`inline`), functions that are compiled once
//! (`callee`), and calls of the host (`host_call`).

pub(in crate::lower) mod callee;
pub(in crate::lower) mod host_call;
pub(in crate::lower) mod inline;
pub(in crate::lower) mod inlining;
