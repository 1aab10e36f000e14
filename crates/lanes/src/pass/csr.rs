//! Lists of items by a dense index, stored in one vector (compressed sparse row).
//!
//! In: pairs of an index and an item. Out: the items of each index, in the order of the pairs. Built once by counting
//! sort; immutable.

/// A list of items for each index.
#[derive(Clone, Debug)]
pub(crate) struct CsrLists<T> {
    starts: Vec<u32>,
    things: Vec<T>,
}

impl<T: Copy> CsrLists<T> {
    /// The lists of `count` indices.
    pub(crate) fn new(count: usize, pairs: &[(u32, T)]) -> Self {
        let mut starts = vec![0; count + 1];
        for (index, _) in pairs {
            starts[*index as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut things: Vec<T> = pairs.iter().map(|(_, thing)| *thing).collect();
        let mut next = starts.clone();
        for (index, thing) in pairs {
            let place = &mut next[*index as usize];
            things[*place as usize] = *thing;
            *place += 1;
        }
        Self { starts, things }
    }

    /// The number of indices.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The items of an index.
    pub(crate) fn of(&self, index: usize) -> &[T] {
        &self.things[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::CsrLists;

    #[test]
    fn things_keep_their_order() {
        let lists = CsrLists::new(3, &[(2, 'a'), (0, 'b'), (2, 'c')]);
        assert_eq!(lists.of(0), ['b']);
        assert!(lists.of(1).is_empty());
        assert_eq!(lists.of(2), ['a', 'c']);
    }
}
