//! A block of raw memory: allocated zeroed and lazily, freed when dropped.
//!
//! Large blocks have guard pages on both sides where machine code may run (`guarded`); others come from the allocator.
//! The module does not know the contents of a block; see [`Buffer`](crate::Buffer).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use crate::guarded::GuardedMemory;

/// Every block starts on a cache line, which is also the widest vector register.
const ALIGNMENT: usize = 64;

/// The alignment that is requested from the allocator. The system's zeroing allocation returns untouched pages only up
/// to this alignment; above it, the standard library allocates and then writes zeros, which would touch every page of a
/// huge buffer.
const LAZY_ALIGNMENT: usize = 16;

/// The size in bytes from which on a block gets guard pages.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const LARGE: usize = 1 << 20;

/// Memory that belongs to one owner at a time.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The first byte, aligned.
    start: NonNull<u8>,
    capacity: usize,
    /// The memory that `drop` frees.
    _allocation: Allocation,
}

/// The origin of a block.
#[derive(Debug)]
#[allow(dead_code, reason = "fields are there for their drop")]
enum Allocation {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Guarded(GuardedMemory),
    Heap(HeapAllocation),
}

/// A heap allocation.
#[derive(Debug)]
struct HeapAllocation {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block is plain bytes with no tie to a thread; `Memory` itself never reads or writes them, and users are
// responsible for their accesses (see `Buffer`).
unsafe impl Send for Memory {}
// SAFETY: as above; a shared reference gives access to nothing but the address.
unsafe impl Sync for Memory {}

impl Memory {
    /// `capacity` bytes of zeros, or `None` if the system has not enough memory.
    pub(crate) fn zeroed(capacity: usize) -> Option<Self> {
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        if capacity >= LARGE
            && let Some(guarded) = GuardedMemory::zeroed(capacity)
        {
            return Some(Self {
                start: guarded.start(),
                capacity,
                _allocation: Allocation::Guarded(guarded),
            });
        }
        Self::from_heap(capacity)
    }

    fn from_heap(capacity: usize) -> Option<Self> {
        // At least one word, so that the layout is never empty.
        let capacity = capacity.max(4);
        let layout =
            Layout::from_size_align(capacity.checked_add(ALIGNMENT)?, LAZY_ALIGNMENT).ok()?;
        // SAFETY: the layout has a size over zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let heap = HeapAllocation { base, layout };
        let padding = base.as_ptr().align_offset(ALIGNMENT);
        assert!(padding < ALIGNMENT, "byte pointers can always be aligned");
        Some(Self {
            // SAFETY: `padding` is less than `ALIGNMENT`, by which the allocation exceeds `capacity`.
            start: unsafe { base.add(padding) },
            capacity,
            _allocation: Allocation::Heap(heap),
        })
    }

    /// The first byte, aligned to 64 bytes.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Usable bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for HeapAllocation {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc_zeroed` with this layout and is freed once, here.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned() {
        for capacity in [0, 1, 63, 64, 4096, 1 << 20] {
            let memory = Memory::zeroed(capacity).unwrap();
            assert_eq!(memory.start().as_ptr().align_offset(ALIGNMENT), 0);
            assert!(memory.capacity() >= capacity);
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Memory::zeroed(usize::MAX).is_none());
        assert!(Memory::zeroed(usize::MAX / 4).is_none());
    }
}
