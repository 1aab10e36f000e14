//! A map by id for what a module declares once.
//!
//! Ids are small numbers, so what belongs to one is found by its number, without hashing. There are far
//! fewer types than ids, so a place is only a number, too.

use crate::module::Id;

/// What some ids stand for.
#[derive(Debug)]
pub(crate) struct IdTable<T> {
    /// Where the value of each id is, counted from 1; 0 where it has none.
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

    /// All, in the order in which they were declared.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    pub(crate) fn contains(&self, id: Id) -> bool {
        self.place(id).is_some()
    }

    /// What was there before is gone. Ids lie below the bound of their module, which is checked.
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
