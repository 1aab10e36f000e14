//! The memory budget that all threads of a launch share for growing.
//!
//! In: bytes by which a memory or a table is about to grow. Out: whether the budget allows it.
//! Bytes are returned when the memory or the tables are reset or dropped, so the sum over all
//! threads never exceeds the launch's limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A handle to the shared budget, and the bytes taken through it.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    left: Arc<AtomicU64>,
    taken: u64,
}

impl MemoryBudget {
    /// A budget of that many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            left: Arc::new(AtomicU64::new(bytes)),
            taken: 0,
        }
    }

    /// Another handle to the same budget.
    pub(super) fn share(&self) -> Self {
        Self {
            left: Arc::clone(&self.left),
            taken: 0,
        }
    }

    /// Takes bytes from the budget, if that many are left.
    pub(super) fn take(&mut self, bytes: u64) -> Option<()> {
        let less = |left: u64| left.checked_sub(bytes);
        self.left.fetch_update(Relaxed, Relaxed, less).ok()?;
        self.taken += bytes;
        Some(())
    }

    /// Returns all bytes taken through this handle.
    pub(super) fn reset(&mut self) {
        self.left
            .fetch_add(std::mem::take(&mut self.taken), Relaxed);
    }
}

impl Default for MemoryBudget {
    /// An empty budget.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        self.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryBudget;

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let mut one = MemoryBudget::new(10);
        let mut other = one.share();
        assert_eq!(one.take(6), Some(()));
        assert_eq!(other.take(5), None);
        assert_eq!(other.take(4), Some(()));
        drop(other);
        assert_eq!(one.take(5), None);
        one.reset();
        assert_eq!(one.share().take(10), Some(()));
    }
}
