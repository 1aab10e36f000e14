//! The atomic parts of a variable, as member paths.
//!
//! Mostly a variable has none, and each load and store asks. So this is a sorted list, which is free when it is empty,
//! and not a tree.

use std::collections::BTreeSet;

/// Member paths; [`ELEMENT`](super::layout::ELEMENT) stands for any element of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AtomicPaths {
    /// Sorted, without duplicates.
    paths: Vec<Vec<u32>>,
}

impl AtomicPaths {
    pub(crate) const fn new() -> Self {
        Self { paths: Vec::new() }
    }

    /// The whole variable is atomic.
    pub(crate) fn whole() -> Self {
        Self {
            paths: vec![Vec::new()],
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn is_whole(&self) -> bool {
        // The empty path sorts first.
        self.paths.first().is_some_and(Vec::is_empty)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.paths.iter()
    }

    /// The atomic parts of a member or element, relative to it.
    pub(crate) fn below(&self, step: u32) -> Self {
        if self.paths.is_empty() {
            return Self::new();
        }
        let through = self.iter().filter(|path| path.first() == Some(&step));
        let paths = through.map(|path| path[1..].to_vec()).collect();
        // Paths with the same first step keep their order.
        Self { paths }
    }
}

impl From<BTreeSet<Vec<u32>>> for AtomicPaths {
    fn from(paths: BTreeSet<Vec<u32>>) -> Self {
        let paths = paths.into_iter().collect();
        Self { paths }
    }
}
