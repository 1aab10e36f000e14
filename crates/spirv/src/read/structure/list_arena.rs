//! An arena of linked lists.
//!
//! The structure of a function has very many short nested lists. All items are in one vector; each has the index of
//! the next item in its list, so a list needs no allocation of its own.

/// A list in a [`ListArena`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// Indices counted from 1; 0 if the list is empty.
    first: u32,
    last: u32,
}

/// The arena that holds the items of all lists.
#[derive(Debug)]
pub(crate) struct ListArena<T> {
    items: Vec<Item<T>>,
}

#[derive(Debug)]
struct Item<T> {
    value: T,
    /// Counted from 1; 0 for the last item.
    next: u32,
}

impl List {
    pub(super) fn is_empty(self) -> bool {
        self.first == 0
    }
}

impl<T> ListArena<T> {
    /// An empty arena with capacity for this number of items.
    pub(super) fn new(capacity: usize) -> Self {
        let items = Vec::with_capacity(capacity);
        Self { items }
    }

    pub(super) fn push(&mut self, list: &mut List, value: T) {
        self.items.push(Item { value, next: 0 });
        let at = self.items.len() as u32;
        self.append(
            list,
            List {
                first: at,
                last: at,
            },
        );
    }

    /// A list of one item.
    pub(super) fn one(&mut self, value: T) -> List {
        let mut list = List::default();
        self.push(&mut list, value);
        list
    }

    /// Appends `other` to `list`. The items then belong to `list`.
    pub(super) fn append(&mut self, list: &mut List, other: List) {
        match list.last {
            _ if other.is_empty() => return,
            0 => list.first = other.first,
            last => self.items[last as usize - 1].next = other.first,
        }
        list.last = other.last;
    }

    pub(crate) fn iter(&self, list: List) -> impl Iterator<Item = &T> {
        let mut next = list.first;
        std::iter::from_fn(move || {
            let item = self.items.get((next as usize).checked_sub(1)?)?;
            next = item.next;
            Some(&item.value)
        })
    }

    /// The items of all lists, in arbitrary order.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|item| &item.value)
    }

    pub(super) fn last_mut(&mut self, list: List) -> Option<&mut T> {
        let item = (list.last as usize).checked_sub(1)?;
        self.items.get_mut(item).map(|item| &mut item.value)
    }

    pub(super) fn last(&self, list: List) -> Option<&T> {
        let item = (list.last as usize).checked_sub(1)?;
        self.items.get(item).map(|item| &item.value)
    }

    /// Removes the first item of a list and returns it.
    pub(super) fn take_first(&mut self, list: &mut List) -> Option<T>
    where
        T: Default,
    {
        let item = self.items.get_mut((list.first as usize).checked_sub(1)?)?;
        list.first = item.next;
        if list.first == 0 {
            list.last = 0;
        }
        Some(std::mem::take(&mut item.value))
    }
}
