//! Trees whose lists have no memory of their own.
//!
//! Functions have very many short lists of shapes inside each other. All lie in one row, each with the
//! number of the one that follows it.

/// A list in a [`Tree`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// Numbers counted from 1; 0 in an empty list.
    first: u32,
    last: u32,
}

/// What its lists hold.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    items: Vec<Item<T>>,
}

#[derive(Debug)]
struct Item<T> {
    value: T,
    /// Counted from 1; 0 behind the last.
    next: u32,
}

impl List {
    pub(super) fn is_empty(self) -> bool {
        self.first == 0
    }
}

impl<T> Tree<T> {
    /// With room for so many.
    pub(super) fn new(room: usize) -> Self {
        let items = Vec::with_capacity(room);
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

    /// A list of one.
    pub(super) fn one(&mut self, value: T) -> List {
        let mut list = List::default();
        self.push(&mut list, value);
        list
    }

    /// Puts a list behind another one, which it then is a part of.
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

    /// Everything in any list, in no order that matters.
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

    /// Takes the first of a list out of it.
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
