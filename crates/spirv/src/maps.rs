//! Maps and sets by id and by handle.
//!
//! What they hash are small numbers that lie close to each other, so a quick hash does; naga's is one,
//! and it is the same at every run.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};

use crate::module::{Function, Id, Results};

/// A map by id for one function. Ids that a function defines mostly follow each other, so they have
/// their places in a row; whatever lies elsewhere is hashed.
pub(crate) struct FunctionMap<V> {
    first: usize,
    row: Vec<Option<V>>,
    others: HashMap<Id, V>,
}

/// Ids that may lie between those of a function, for each of its own.
const GAPS: usize = 3;

impl<V> FunctionMap<V> {
    /// For anything.
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            row: Vec::new(),
            others: HashMap::default(),
        }
    }

    /// With room for what a function defines.
    pub(crate) fn of(function: &Function<'_>) -> Self {
        let Results { first, last, count } = function.results;
        let (first, last) = (first as usize, last as usize);
        let mut map = Self::new();
        let length = (last + 1).saturating_sub(first);
        if count > 0 && length <= count * (GAPS + 1) {
            map.first = first;
            map.row.resize_with(length, || None);
        }
        map
    }

    #[inline]
    fn place(&self, id: Id) -> usize {
        id.index().wrapping_sub(self.first)
    }

    #[inline]
    pub(crate) fn get(&self, id: &Id) -> Option<&V> {
        match self.row.get(self.place(*id)) {
            Some(place) => place.as_ref(),
            None => self.others.get(id),
        }
    }

    pub(crate) fn contains_key(&self, id: &Id) -> bool {
        self.get(id).is_some()
    }

    /// Gives back what was there before.
    pub(crate) fn insert(&mut self, id: Id, value: V) -> Option<V> {
        let place = self.place(id);
        match self.row.get_mut(place) {
            Some(place) => place.replace(value),
            None => self.others.insert(id, value),
        }
    }

    /// Gives back what was there.
    pub(crate) fn remove(&mut self, id: &Id) -> Option<V> {
        let place = self.place(*id);
        match self.row.get_mut(place) {
            Some(place) => place.take(),
            None => self.others.remove(id),
        }
    }
}
