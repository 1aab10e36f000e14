//! Tests of work graphs: every rule, launch kind and limit, graph files, and random graphs against the oracle.

#[cfg(feature = "derive")]
mod bound;
mod cases;
mod common;
#[cfg(feature = "file")]
mod file;
#[cfg(feature = "oracle")]
mod random;
mod rules;
#[cfg(feature = "drawing")]
mod seeing;
