//! Maps and sets by id and by handle.
//!
//! What they hash are small numbers that lie close to each other, so a quick hash does; naga's is one,
//! and it is the same at every run.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};
