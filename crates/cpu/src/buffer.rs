//! Buffers: device memory, shared by reference counting.
//!
//! In: a size. Out: words that kernels share, a pointer that the host maps, and clears and copies.
//!
//! # Synchronisation
//!
//! Kernels access a buffer as atomic words, so even programs with data races have defined behaviour. The host's mapping
//! ([`Buffer::pointer`]) and the bulk operations ([`Buffer::clear`], [`Buffer::copy_from`]) are plain memory accesses:
//! the caller guarantees that nothing else accesses the same bytes at the same time. For wgpu programs wgpu-core gives
//! that guarantee, as it lets a buffer be mapped or used by the device but not both, and so does the queue, which runs
//! one command after another.

use std::fmt;
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::memory::Memory;
use crate::{Access, MemoryPool};

/// The system has not enough memory for a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not enough memory for a buffer of {size} bytes")]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub size: u64,
}

/// A range of device memory. Clones refer to the same bytes.
#[derive(Clone)]
pub struct Buffer {
    shared: Arc<SharedBuffer>,
}

/// The initial content of a buffer's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InitialContent {
    Zeros,
    Arbitrary,
}

struct SharedBuffer {
    /// `Some` until the drop.
    memory: Mutex<Option<Memory>>,
    /// The first byte of the memory; null when the content was moved away.
    start: AtomicPtr<u8>,
    size: u64,
    /// Whether nothing was ever written: all bytes are zero, and no page was touched.
    pristine: AtomicBool,
    /// Receives the memory when the last reference is dropped.
    pool: Weak<MemoryPool>,
}

impl Buffer {
    /// A buffer of zeros. Pages are taken from the system when they are first touched.
    pub fn new(size: u64) -> Result<Self, OutOfMemory> {
        Ok(Self::from_memory(
            allocate(size)?,
            size,
            InitialContent::Zeros,
            Weak::new(),
        ))
    }

    /// A buffer with arbitrary content, from recycled memory if some fits. Its memory returns to the pool when it
    /// is dropped.
    pub fn pooled(size: u64, pool: &Arc<MemoryPool>) -> Result<Self, OutOfMemory> {
        let home = Arc::downgrade(pool);
        if let Some(memory) = pool.take(size) {
            return Ok(Self::from_memory(
                memory,
                size,
                InitialContent::Arbitrary,
                home,
            ));
        }
        let memory = allocate(size)?;
        Ok(Self::from_memory(memory, size, InitialContent::Zeros, home))
    }

    fn from_memory(
        memory: Memory,
        size: u64,
        content: InitialContent,
        pool: Weak<MemoryPool>,
    ) -> Self {
        let start = AtomicPtr::new(memory.start().as_ptr());
        Self {
            shared: Arc::new(SharedBuffer {
                memory: Mutex::new(Some(memory)),
                start,
                size,
                pristine: AtomicBool::new(content == InitialContent::Zeros),
                pool,
            }),
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.shared.size
    }

    /// Whether both refer to the same bytes.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn start(&self) -> NonNull<u8> {
        let start = NonNull::new(self.shared.start.load(Ordering::Relaxed));
        start.expect("nobody uses a buffer whose content was moved away")
    }

    /// The address of a range, checked to lie inside the buffer.
    fn address(&self, range: &Range<u64>) -> NonNull<u8> {
        assert!(
            range.start <= range.end && range.end <= self.size(),
            "range {range:?} leaves a buffer of {} bytes",
            self.size()
        );
        // SAFETY: the offset is at most the size, checked above, and the size fits an allocation.
        unsafe { self.start().add(range.start as usize) }
    }

    fn is_pristine(&self) -> bool {
        self.shared.pristine.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        // Loading first avoids writing a shared cache line in the common case.
        if self.is_pristine() {
            self.shared.pristine.store(false, Ordering::Relaxed);
        }
    }

    /// The whole 32-bit words of a range; a trailing part of less than four bytes is left out.
    ///
    /// # Panics
    ///
    /// If the range leaves the buffer or does not start at a multiple of four.
    pub fn words(&self, range: Range<u64>, access: Access) -> &[AtomicU32] {
        assert!(
            range.start.is_multiple_of(4),
            "words start at a multiple of four bytes"
        );
        if access == Access::ReadWrite {
            self.touch();
        }
        let address = self.address(&range).cast::<AtomicU32>();
        let count = ((range.end - range.start) / 4) as usize;
        // SAFETY: `address` checked the range; the memory is aligned to 64 bytes, so a multiple of four is aligned for
        // words; it lives as long as `self`. Plain accesses by others to the same bytes are excluded by their guarantee
        // (module documentation).
        unsafe { std::slice::from_raw_parts(address.as_ptr(), count) }
    }

    /// The address of a range, for the host to read and write.
    ///
    /// Accesses through it must not overlap in time with any other use of the same bytes.
    ///
    /// # Panics
    ///
    /// If the range leaves the buffer.
    pub fn pointer(&self, range: Range<u64>) -> NonNull<u8> {
        self.touch();
        self.address(&range)
    }

    /// Sets a range to zero. Free of cost as long as the buffer was never written.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the bytes of the range at the same time.
    ///
    /// # Panics
    ///
    /// If the range leaves the buffer.
    pub unsafe fn clear(&self, range: Range<u64>) {
        let address = self.address(&range);
        if self.is_pristine() {
            return;
        }
        // SAFETY: the range lies inside the buffer, and the caller promises to be alone with it.
        unsafe { address.write_bytes(0, (range.end - range.start) as usize) };
    }

    /// Replaces bytes.
    ///
    /// # Safety
    ///
    /// Nothing else accesses them at the same time.
    ///
    /// # Panics
    ///
    /// If they leave the buffer.
    pub unsafe fn write(&self, offset: u64, bytes: &[u8]) {
        let size = bytes.len() as u64;
        let end = offset.checked_add(size).expect("a range ends below 2^64");
        let target = self.pointer(offset..end);
        // SAFETY: the range lies inside the buffer, the caller promises to be alone with it, and a
        // slice of the host's lies elsewhere.
        unsafe { target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    /// Copies `size` bytes from another buffer, or from this one; the two ranges may overlap.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the bytes of either range at the same time.
    ///
    /// # Panics
    ///
    /// If a range leaves its buffer.
    pub unsafe fn copy_from(&self, offset: u64, source: &Self, source_offset: u64, size: u64) {
        let end = |start: u64| start.checked_add(size).expect("a range ends below 2^64");
        let from = source.address(&(source_offset..end(source_offset)));
        let to = self.address(&(offset..end(offset)));
        // Zeros onto zeros: wgpu-core clears textures before their first use this way.
        if self.is_pristine() && source.is_pristine() {
            return;
        }
        self.touch();
        // SAFETY: both ranges lie inside their buffers, the caller promises to be alone with them,
        // and `copy_from` allows overlap.
        unsafe { to.copy_from(from, size as usize) };
    }

    /// Moves the content of another buffer of the same size into this one, by swapping memory unless that is much too
    /// large, else by a copy. The other buffer must not be used again; using it panics.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the bytes of either buffer at the same time, and no pointer or words of either from before
    /// are used afterwards.
    ///
    /// # Panics
    ///
    /// If the sizes differ, both are the same buffer, or the content was moved away before.
    pub unsafe fn move_from(&self, source: &Self) {
        assert!(self.size() == source.size() && !self.is_same(source));
        source.start();
        let lock = |buffer: &Self| -> Option<Memory> {
            let memory = buffer.shared.memory.lock();
            memory.unwrap_or_else(PoisonError::into_inner).take()
        };
        let put = |buffer: &Self, memory: Option<Memory>| {
            let target = buffer.shared.memory.lock();
            *target.unwrap_or_else(PoisonError::into_inner) = memory;
        };
        let (new, old) = (lock(source), lock(self));
        let fits = |memory: &Memory| memory.capacity() as u64 <= self.size() / 4 * 5;
        if new.as_ref().is_some_and(fits) {
            let address = new.as_ref().map_or(null_mut(), |new| new.start().as_ptr());
            self.shared.start.store(address, Ordering::Relaxed);
            source.shared.start.store(null_mut(), Ordering::Relaxed);
            put(self, new);
            put(source, old);
            self.touch();
        } else {
            put(self, old);
            put(source, new);
            // SAFETY: the caller's guarantee includes the one needed here.
            unsafe { self.copy_from(0, source, 0, self.size()) };
        }
    }
}

fn allocate(size: u64) -> Result<Memory, OutOfMemory> {
    let memory = usize::try_from(size).ok().and_then(Memory::zeroed);
    memory.ok_or(OutOfMemory { size })
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        let memory = self.memory.get_mut();
        let memory = memory.unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(memory), Some(pool)) = (memory, self.pool.upgrade()) {
            pool.give(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(buffer: &Buffer) -> Vec<u32> {
        let words = buffer.words(0..buffer.size(), Access::Read);
        words.iter().map(|w| w.load(Ordering::Relaxed)).collect()
    }

    fn counting(words: u64) -> Buffer {
        let buffer = Buffer::new(words * 4).unwrap();
        for (i, word) in buffer
            .words(0..words * 4, Access::ReadWrite)
            .iter()
            .enumerate()
        {
            word.store(i as u32 + 1, Ordering::Relaxed);
        }
        buffer
    }

    #[test]
    fn starts_as_zeros_and_shares_writes_with_clones() {
        let buffer = Buffer::new(10).unwrap();
        assert_eq!(values(&buffer), [0, 0]);
        buffer.clone().words(4..8, Access::ReadWrite)[0].store(7, Ordering::Relaxed);
        assert_eq!(values(&buffer), [0, 7]);
    }

    #[test]
    fn beyond_4_gib() {
        let buffer = Buffer::new(5 << 30).unwrap();
        let words = buffer.words((1 << 32)..(1 << 32) + 64, Access::ReadWrite);
        words[3].store(9, Ordering::Relaxed);
        assert_eq!(words[3].load(Ordering::Relaxed), 9);
    }

    #[test]
    fn clears_and_copies() {
        let buffer = counting(4);
        // SAFETY: the buffers are local to this test and this thread.
        unsafe { buffer.clear(4..8) };
        assert_eq!(values(&buffer), [1, 0, 3, 4]);
        let other = Buffer::new(16).unwrap();
        // SAFETY: as above.
        unsafe { other.copy_from(4, &buffer, 8, 8) };
        assert_eq!(values(&other), [0, 3, 4, 0]);
        // SAFETY: as above.
        unsafe { buffer.copy_from(4, &buffer, 0, 12) };
        assert_eq!(values(&buffer), [1, 1, 0, 3]);
    }

    #[test]
    fn a_move_takes_the_memory_along() {
        let pool = Arc::new(MemoryPool::default());
        let (upload, target) = (counting(64 << 10), Buffer::new(256 << 10).unwrap());
        let seen = target.clone();
        let address = upload.pointer(0..4);
        // SAFETY: the buffers are local to this test and this thread.
        unsafe { target.move_from(&upload) };
        assert_eq!(seen.pointer(0..4), address);
        assert!(values(&seen).into_iter().eq(1..=64 << 10));
        let used_again = std::panic::catch_unwind(|| upload.words(0..4, Access::Read).len());
        assert!(used_again.is_err());
        // Memory that is far too large stays where it is.
        drop(Buffer::pooled(512 << 10, &pool).unwrap());
        let large = Buffer::pooled(256 << 10, &pool).unwrap();
        large.words(0..4, Access::ReadWrite)[0].store(9, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { target.move_from(&large) };
        assert_eq!(values(&seen)[0], 9);
        assert_eq!(seen.pointer(0..4), address);
    }

    #[test]
    fn clear_after_a_write_through_the_pointer() {
        let buffer = Buffer::new(8).unwrap();
        // SAFETY: the pointer is to eight bytes that only this test uses.
        unsafe { buffer.pointer(0..8).write_bytes(0xff, 8) };
        // SAFETY: the buffer is local to this test and this thread.
        unsafe { buffer.clear(0..8) };
        assert_eq!(values(&buffer), [0, 0]);
    }

    #[test]
    fn absurd_sizes_are_an_error() {
        let size = u64::MAX - 3;
        assert_eq!(Buffer::new(size).unwrap_err(), OutOfMemory { size });
    }

    #[test]
    #[should_panic(expected = "leaves a buffer of 16 bytes")]
    fn ranges_are_checked() {
        Buffer::new(16).unwrap().words(8..20, Access::Read);
    }

    #[test]
    fn recycled_memory_is_cleared_for_real() {
        let pool = Arc::new(MemoryPool::default());
        let size = 1 << 20;
        let first = Buffer::pooled(size, &pool).unwrap();
        first.words(0..4, Access::ReadWrite)[0].store(5, Ordering::Relaxed);
        let address = first.pointer(0..4);
        drop(first);
        let second = Buffer::pooled(size, &pool).unwrap();
        assert_eq!(second.pointer(0..4), address);
        // SAFETY: the buffer is local to this test and this thread.
        unsafe { second.clear(0..size) };
        assert_eq!(
            second.words(0..4, Access::Read)[0].load(Ordering::Relaxed),
            0
        );
    }
}
