//! Hash maps and sets keyed by ids and handles.
//!
//! Keys are small, dense integers, so naga's fast non-cryptographic hash is used. It is deterministic.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};

use crate::module::{Function, Id, ResultIds};

/// A map from ids to values for one function. The ids that a function defines are mostly consecutive, so they index an
/// array; all other ids are stored in a hash map.
pub(crate) struct FunctionMap<V> {
    first: usize,
    row: Vec<Option<V>>,
    others: HashMap<Id, V>,
}

/// Maximal ratio of ids of other functions to own ids in the array.
const GAPS: usize = 3;

impl<V> FunctionMap<V> {
    /// An empty map that hashes all ids.
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            row: Vec::new(),
            others: HashMap::default(),
        }
    }

    /// An empty map with an array for the ids that a function defines, if they are dense enough.
    pub(crate) fn of(function: &Function<'_>) -> Self {
        let ResultIds { first, last, count } = function.results;
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

    /// Inserts a value and returns the previous one.
    pub(crate) fn insert(&mut self, id: Id, value: V) -> Option<V> {
        let place = self.place(id);
        match self.row.get_mut(place) {
            Some(place) => place.replace(value),
            None => self.others.insert(id, value),
        }
    }

    /// Removes a value and returns it.
    pub(crate) fn remove(&mut self, id: &Id) -> Option<V> {
        let place = self.place(*id);
        match self.row.get_mut(place) {
            Some(place) => place.take(),
            None => self.others.remove(id),
        }
    }
}
