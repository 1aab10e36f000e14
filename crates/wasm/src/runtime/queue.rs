//! The work queue of a launch: resident threads (persistent kernels) take items, and may add more.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of items.
pub const MAX_QUEUE_ITEMS: usize = 1 << 20;

/// A FIFO queue of work items. Items are non-negative as signed numbers, so that -1 can mean that
/// there is none.
#[derive(Debug, Default)]
pub struct WorkQueue(Mutex<VecDeque<u32>>);

impl WorkQueue {
    /// A queue with these items.
    pub fn new(items: Vec<u32>) -> Self {
        Self(Mutex::new(items.into()))
    }

    /// Adds an item, if it is in range and the queue is not full.
    pub fn push(&self, item: u32) -> bool {
        let mut items = self.items();
        let fits = items.len() < MAX_QUEUE_ITEMS && item as i32 >= 0;
        if fits {
            items.push_back(item);
        }
        fits
    }

    /// Takes the first item.
    pub fn pop(&self) -> Option<u32> {
        self.items().pop_front()
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    /// The remaining items.
    pub fn take(self) -> Vec<u32> {
        let items = self.0.into_inner();
        items.unwrap_or_else(PoisonError::into_inner).into()
    }

    fn items(&self) -> MutexGuard<'_, VecDeque<u32>> {
        // Every operation leaves the queue consistent, so a panic of another thread is harmless.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
