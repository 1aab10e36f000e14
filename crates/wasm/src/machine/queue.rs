//! The work queue of a launch: items that resident threads take, and may add.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Items that a queue can hold.
pub const QUEUE_ROOM: usize = 1 << 20;

/// Work items, first in, first out. An item is not negative as a signed number, so that -1 can say
/// that there is none.
#[derive(Debug, Default)]
pub struct WorkQueue(Mutex<VecDeque<u32>>);

impl WorkQueue {
    /// One with these items.
    pub fn new(items: Vec<u32>) -> Self {
        Self(Mutex::new(items.into()))
    }

    /// Adds an item, if it is one and there is room.
    pub fn push(&self, item: u32) -> bool {
        let mut items = self.items();
        let fits = items.len() < QUEUE_ROOM && item as i32 >= 0;
        if fits {
            items.push_back(item);
        }
        fits
    }

    /// Takes the first item.
    pub fn pop(&self) -> Option<u32> {
        self.items().pop_front()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    /// What is left.
    pub fn take(self) -> Vec<u32> {
        let items = self.0.into_inner();
        items.unwrap_or_else(PoisonError::into_inner).into()
    }

    fn items(&self) -> MutexGuard<'_, VecDeque<u32>> {
        // A queue is whole after every operation, also where another thread panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
