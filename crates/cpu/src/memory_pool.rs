//! A pool of memory blocks for short-lived upload buffers.
//!
//! Every write of the host to a buffer goes through an upload buffer. Fresh memory from the system costs a page fault
//! per page, which takes longer than the copy itself.

use std::sync::Mutex;

use crate::memory::Memory;

/// Smaller blocks are not kept: the allocator reuses their memory itself.
const SMALLEST: usize = 128 << 10;
/// The largest total size of kept blocks.
const KEPT_BYTES: usize = 256 << 20;
/// The largest number of kept blocks.
const KEPT_BLOCKS: usize = 16;

/// Free blocks of memory. Bounded in bytes and in number.
#[derive(Debug, Default)]
pub struct MemoryPool {
    blocks: Mutex<Vec<Memory>>,
}

impl MemoryPool {
    /// The smallest block of at least `size` and at most twice as many bytes.
    pub(crate) fn take(&self, size: u64) -> Option<Memory> {
        let size = usize::try_from(size).ok()?;
        let mut blocks = self.blocks.lock().ok()?;
        let fits = |block: &&Memory| {
            block.capacity() >= size && block.capacity() <= size.saturating_mul(2)
        };
        let best = blocks.iter().filter(fits).map(Memory::capacity).min()?;
        let index = blocks.iter().position(|block| block.capacity() == best)?;
        Some(blocks.swap_remove(index))
    }

    /// Adds a free block, and frees the oldest ones if there are too many.
    pub(crate) fn give(&self, memory: Memory) {
        if memory.capacity() < SMALLEST || memory.capacity() > KEPT_BYTES {
            return;
        }
        let Ok(mut blocks) = self.blocks.lock() else {
            return;
        };
        blocks.push(memory);
        let mut bytes: usize = blocks.iter().map(Memory::capacity).sum();
        while blocks.len() > KEPT_BLOCKS || bytes > KEPT_BYTES {
            bytes -= blocks.remove(0).capacity();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: usize) -> Memory {
        Memory::zeroed(size).unwrap()
    }

    #[test]
    fn takes_the_smallest_that_fits() {
        let pool = MemoryPool::default();
        pool.give(block(4 << 20));
        pool.give(block(1 << 20));
        pool.give(block(2 << 20));
        assert_eq!(pool.take(1 << 20).unwrap().capacity(), 1 << 20);
        assert!(pool.take(1 << 19).is_none(), "a block four times too large");
        assert_eq!(pool.take(3 << 20).unwrap().capacity(), 4 << 20);
    }

    #[test]
    fn keeps_a_bounded_amount() {
        let pool = MemoryPool::default();
        for _ in 0..100 {
            pool.give(block(32 << 20));
        }
        let kept: usize = pool
            .blocks
            .lock()
            .unwrap()
            .iter()
            .map(Memory::capacity)
            .sum();
        assert!(kept <= KEPT_BYTES, "{kept}");
        pool.give(block(1000));
        assert!(pool.take(1000).is_none());
    }
}
