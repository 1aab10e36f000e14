//! Which parts of a variable are atomic.
//!
//! Nearly always none are, and every load and store asks: so this is a row, which costs nothing where it
//! is empty, and not a tree.

use std::collections::BTreeSet;

/// Paths of members; any element of an array is [`ELEMENT`](super::layout::ELEMENT).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Atomics {
    /// Sorted, each once.
    paths: Vec<Vec<u32>>,
}

impl Atomics {
    pub(crate) const fn new() -> Self {
        Self { paths: Vec::new() }
    }

    /// The whole is atomic.
    pub(crate) fn whole() -> Self {
        Self {
            paths: vec![Vec::new()],
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn is_whole(&self) -> bool {
        // The shortest path is the first.
        self.paths.first().is_some_and(Vec::is_empty)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.paths.iter()
    }

    /// What is atomic in a part.
    pub(crate) fn below(&self, step: u32) -> Self {
        if self.paths.is_empty() {
            return Self::new();
        }
        let through = self.iter().filter(|path| path.first() == Some(&step));
        let paths = through.map(|path| path[1..].to_vec()).collect();
        // Those that begin alike keep their order.
        Self { paths }
    }
}

impl From<BTreeSet<Vec<u32>>> for Atomics {
    fn from(paths: BTreeSet<Vec<u32>>) -> Self {
        let paths = paths.into_iter().collect();
        Self { paths }
    }
}
