//! A dense map from ids to values.
//!
//! Ids are small integers, so a lookup is an index, without hashing. Only a few ids have a value, so the indexed table
//! holds 32-bit indices into a compact list of values.

use crate::module::Id;

/// A map from ids to values.
#[derive(Debug)]
pub(crate) struct IdTable<T> {
    /// For each id the index of its value, counted from 1; 0 if it has none.
    places: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for IdTable<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<T> IdTable<T> {
    #[inline]
    fn place(&self, id: Id) -> Option<usize> {
        let place = *self.places.get(id.index())? as usize;
        place.checked_sub(1)
    }

    #[inline]
    pub(crate) fn get(&self, id: Id) -> Option<&T> {
        self.values.get(self.place(id)?)
    }

    /// All values, in the order of insertion.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    pub(crate) fn contains(&self, id: Id) -> bool {
        self.place(id).is_some()
    }

    /// Inserts or replaces a value. The table grows to the id, which the caller has checked against the module's
    /// bound.
    pub(crate) fn insert(&mut self, id: Id, value: T) {
        if let Some(place) = self.place(id) {
            self.values[place] = value;
            return;
        }
        if self.places.len() <= id.index() {
            self.places.resize(id.index() + 1, 0);
        }
        self.values.push(value);
        self.places[id.index()] = self.values.len() as u32;
    }
}
