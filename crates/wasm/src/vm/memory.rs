//! Linear memories: private to a thread, or shared by all threads.
//!
//! Every access is checked: one that is [`OutOfBounds`] changes nothing. Bytes are little-endian, as
//! WebAssembly requires, on every host.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::bytecode::TrapCode;
use crate::runtime::LaunchError;

use super::alloc::{self, zeroed};
use super::budget::MemoryBudget;

/// Bytes of a page.
pub(super) const PAGE: usize = 1 << 16;

/// An access outside a memory, or one for which there is no memory to copy its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfBounds;

impl From<OutOfBounds> for TrapCode {
    #[inline(always)]
    fn from(_: OutOfBounds) -> Self {
        Self::OutOfBoundsMemory
    }
}

/// The result of an access.
pub(super) type Access<T = ()> = Result<T, OutOfBounds>;

/// The operations of a linear memory.
pub(super) trait Memory: Sized + Send + 'static {
    fn load<const N: usize>(&self, at: usize) -> Access<[u8; N]>;
    fn store<const N: usize>(&mut self, at: usize, bytes: [u8; N]) -> Access;
    fn read(&self, at: usize, len: usize) -> Access<Vec<u8>>;
    fn write(&mut self, at: usize, bytes: &[u8]) -> Access;
    fn fill(&mut self, at: usize, value: u8, len: usize) -> Access;
    fn copy(&mut self, to: usize, from: usize, len: usize) -> Access;
    fn pages(&self) -> u32;
    /// Grows the memory; returns the old size in pages, if the new size is possible.
    fn grow(&mut self, pages: u32) -> Option<u32>;

    /// Restores the initial state for a new thread; does nothing for a shared memory.
    fn renew(&mut self, pages: u32) -> Result<(), LaunchError>;

    /// An atomic read-modify-write of an aligned word; returns the old value.
    fn update(&mut self, at: usize, change: impl Fn(u32) -> u32) -> Access<u32>;

    /// An error if the range is out of bounds.
    fn check(&self, at: usize, len: usize) -> Access {
        check(at, len, self.pages() as usize * PAGE)
    }
}

/// An error if a range is outside a memory of `size` bytes.
#[inline(always)]
fn check(at: usize, len: usize, size: usize) -> Access {
    if at.checked_add(len).is_some_and(|end| end <= size) {
        Ok(())
    } else {
        Err(OutOfBounds)
    }
}

/// A memory that is private to a thread.
#[derive(Debug)]
pub(super) struct PrivateMemory {
    bytes: Vec<u8>,
    maximum: u32,
    /// Dirty bits, for a cheap reset: bit `i` stands for all chunks of 4 KiB with an index
    /// congruent to `i` modulo 64, and for the first 8 bytes after each.
    written: u64,
    /// The budget for growing.
    growth: MemoryBudget,
}

/// Bytes of a chunk.
const CHUNK: usize = 1 << 12;

/// The name in error messages.
const MEMORY: &str = "a memory";

impl PrivateMemory {
    pub(super) fn new(pages: u32, maximum: u32, growth: MemoryBudget) -> Result<Self, LaunchError> {
        Ok(Self {
            bytes: zeroed((pages as usize).saturating_mul(PAGE), MEMORY)?,
            maximum,
            written: 0,
            growth,
        })
    }

    /// Grows the buffer. If it has to be moved, it gets spare capacity, so that growing page by
    /// page is amortized.
    fn resize(&mut self, size: usize) -> Result<(), LaunchError> {
        if size > self.bytes.capacity() {
            let max = (self.maximum as usize).saturating_mul(PAGE);
            let room = (2 * self.bytes.len()).min(max).max(size);
            // A fresh allocation is zero without being touched.
            let mut bytes: Vec<u8> = zeroed(room, MEMORY).or_else(|_| zeroed(size, MEMORY))?;
            bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
            bytes.truncate(size);
            self.bytes = bytes;
        } else {
            self.bytes.resize(size, 0);
        }
        Ok(())
    }

    /// The bytes of a range.
    #[inline(always)]
    fn range(&self, at: usize, len: usize) -> Access<&[u8]> {
        let end = at.checked_add(len).ok_or(OutOfBounds)?;
        self.bytes.get(at..end).ok_or(OutOfBounds)
    }

    /// The bytes of a range, without marking them as dirty.
    #[inline(always)]
    fn range_mut(&mut self, at: usize, len: usize) -> Access<&mut [u8]> {
        let end = at.checked_add(len).ok_or(OutOfBounds)?;
        self.bytes.get_mut(at..end).ok_or(OutOfBounds)
    }

    /// Bytes to be written, which are marked as dirty.
    fn dirty_range(&mut self, at: usize, len: usize) -> Access<&mut [u8]> {
        self.check(at, len)?;
        if let Some(last) = len.checked_sub(1) {
            let first = at / CHUNK;
            let chunks = (at + last) / CHUNK - first;
            let mask = u64::MAX >> (63 - chunks.min(63));
            self.written |= mask.rotate_left((first % 64) as u32);
        }
        self.range_mut(at, len)
    }
}

impl Memory for PrivateMemory {
    #[inline(always)]
    fn load<const N: usize>(&self, at: usize) -> Access<[u8; N]> {
        self.range(at, N)?.try_into().map_err(|_| OutOfBounds)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, bytes: [u8; N]) -> Access {
        self.range_mut(at, N)?.copy_from_slice(&bytes);
        // Most writes hit chunks that are dirty already.
        if self.written >> (at / CHUNK % 64) & 1 == 0 {
            self.written |= 1 << (at / CHUNK % 64);
        }
        Ok(())
    }

    fn update(&mut self, at: usize, change: impl Fn(u32) -> u32) -> Access<u32> {
        if !at.is_multiple_of(4) {
            return Err(OutOfBounds);
        }
        let old = u32::from_le_bytes(self.load(at)?);
        self.store(at, change(old).to_le_bytes())?;
        Ok(old)
    }

    fn read(&self, at: usize, len: usize) -> Access<Vec<u8>> {
        alloc::copied(self.range(at, len)?, MEMORY).map_err(|_| OutOfBounds)
    }

    fn write(&mut self, at: usize, bytes: &[u8]) -> Access {
        self.dirty_range(at, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn fill(&mut self, at: usize, value: u8, len: usize) -> Access {
        self.dirty_range(at, len)?.fill(value);
        Ok(())
    }

    fn copy(&mut self, to: usize, from: usize, len: usize) -> Access {
        self.check(from, len)?;
        self.dirty_range(to, len)?;
        self.bytes.copy_within(from..from + len, to);
        Ok(())
    }

    fn pages(&self) -> u32 {
        (self.bytes.len() / PAGE) as u32
    }

    fn grow(&mut self, pages: u32) -> Option<u32> {
        let before = self.pages();
        let after = before.checked_add(pages)?;
        if after > self.maximum {
            return None;
        }
        if pages > 0 {
            let size = (after as usize).checked_mul(PAGE)?;
            self.growth.take(u64::from(pages) * PAGE as u64).ok()?;
            self.resize(size).ok()?;
        }
        Some(before)
    }

    fn renew(&mut self, pages: u32) -> Result<(), LaunchError> {
        if self.pages() == pages {
            let parts = self.bytes.chunks_mut(CHUNK).zip(0_u32..);
            for (part, number) in parts {
                let written = |number: u32| self.written.rotate_right(number) & 1 == 1;
                if written(number) {
                    part.fill(0);
                } else if written(number.wrapping_sub(1)) {
                    part[..8].fill(0);
                }
            }
            self.written = 0;
        } else {
            // The old memory is returned to the budget before more is taken.
            self.bytes = Vec::new();
            self.growth.reset();
            *self = Self::new(pages, self.maximum, self.growth.share())?;
        }
        Ok(())
    }
}

/// A memory that all threads share. Aligned words are accessed atomically; other accesses may tear,
/// but never touch a byte outside.
#[derive(Clone, Debug)]
pub(super) struct SharedMemory(Arc<SharedStorage>);

#[derive(Debug)]
struct SharedStorage {
    /// The maximum size, allocated up front.
    words: Box<[AtomicU32]>,
    pages: AtomicU32,
}

impl SharedMemory {
    pub(super) fn new(pages: u32, maximum: u32) -> Result<Self, LaunchError> {
        let maximum = maximum.max(pages);
        let words = zeroed((maximum as usize).saturating_mul(PAGE / 4), MEMORY)?;
        Ok(Self(Arc::new(SharedStorage {
            words: words.into_boxed_slice(),
            pages: AtomicU32::new(pages),
        })))
    }

    fn size(&self) -> usize {
        self.0.pages.load(Relaxed) as usize * PAGE
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        let word = self
            .0
            .words
            .get(at / 4)
            .map_or(0, |word| word.load(Relaxed));
        (word >> (at % 4 * 8)) as u8
    }

    #[inline(always)]
    fn set_byte(&self, at: usize, byte: u8) {
        self.set_bits(
            at / 4,
            0xff << (at % 4 * 8),
            u32::from(byte) << (at % 4 * 8),
        );
    }

    /// Atomically replaces the bits of a mask in a word.
    #[inline(always)]
    fn set_bits(&self, word: usize, mask: u32, bits: u32) {
        if let Some(word) = self.0.words.get(word) {
            if mask == u32::MAX {
                word.store(bits, Relaxed);
            } else {
                let replace = |old| Some(old & !mask | bits);
                let _always = word.fetch_update(Relaxed, Relaxed, replace);
            }
        }
    }

    fn set_bytes(&self, mut at: usize, mut bytes: &[u8]) {
        while let [first, ..] = bytes {
            match bytes.split_first_chunk::<4>() {
                Some((word, rest)) if at.is_multiple_of(4) => {
                    self.set_bits(at / 4, u32::MAX, u32::from_le_bytes(*word));
                    (at, bytes) = (at + 4, rest);
                }
                _ => {
                    self.set_byte(at, *first);
                    (at, bytes) = (at + 1, &bytes[1..]);
                }
            }
        }
    }
}

impl Memory for SharedMemory {
    #[inline(always)]
    fn load<const N: usize>(&self, at: usize) -> Access<[u8; N]> {
        check(at, N, self.size())?;
        let mut bytes = [0; N];
        if N >= 4 && at.is_multiple_of(4) {
            for (part, word) in bytes.chunks_exact_mut(4).zip(at / 4..) {
                let word = self.0.words.get(word).ok_or(OutOfBounds)?.load(Relaxed);
                part.copy_from_slice(&word.to_le_bytes());
            }
        } else {
            for (byte, at) in bytes.iter_mut().zip(at..) {
                *byte = self.byte(at);
            }
        }
        Ok(bytes)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, bytes: [u8; N]) -> Access {
        check(at, N, self.size())?;
        self.set_bytes(at, &bytes);
        Ok(())
    }

    fn update(&mut self, at: usize, change: impl Fn(u32) -> u32) -> Access<u32> {
        self.check(at, 4)?;
        if !at.is_multiple_of(4) {
            return Err(OutOfBounds);
        }
        let word = self.0.words.get(at / 4).ok_or(OutOfBounds)?;
        match word.fetch_update(Relaxed, Relaxed, |old| Some(change(old))) {
            Ok(old) | Err(old) => Ok(old),
        }
    }

    fn read(&self, at: usize, len: usize) -> Access<Vec<u8>> {
        self.check(at, len)?;
        let mut bytes = alloc::with_capacity(len, MEMORY).map_err(|_| OutOfBounds)?;
        bytes.extend((at..at + len).map(|at| self.byte(at)));
        Ok(bytes)
    }

    fn write(&mut self, at: usize, bytes: &[u8]) -> Access {
        self.check(at, bytes.len())?;
        self.set_bytes(at, bytes);
        Ok(())
    }

    fn fill(&mut self, at: usize, value: u8, len: usize) -> Access {
        self.check(at, len)?;
        for chunk in 0..len.div_ceil(256) {
            let bytes = [value; 256];
            self.set_bytes(at + chunk * 256, &bytes[..(len - chunk * 256).min(256)]);
        }
        Ok(())
    }

    fn copy(&mut self, to: usize, from: usize, len: usize) -> Access {
        self.check(to, len)?;
        let bytes = self.read(from, len)?;
        self.write(to, &bytes)
    }

    fn pages(&self) -> u32 {
        self.0.pages.load(Relaxed)
    }

    fn grow(&mut self, pages: u32) -> Option<u32> {
        let max = self.0.words.len() / (PAGE / 4);
        let larger = |before: u32| {
            let after = before.checked_add(pages)?;
            (after as usize <= max).then_some(after)
        };
        self.0.pages.fetch_update(Relaxed, Relaxed, larger).ok()
    }

    fn renew(&mut self, _: u32) -> Result<(), LaunchError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Memory, MemoryBudget, PAGE, PrivateMemory};

    #[test]
    fn growing_by_single_pages_rarely_moves_memory() {
        let mut memory = PrivateMemory::new(1, 1000, MemoryBudget::new(1 << 30)).expect("memory");
        memory.store(10, [1, 2, 3, 4]).expect("inside");
        let mut moves = 0;
        for before in 1..1000 {
            let place = memory.bytes.as_ptr();
            assert_eq!(memory.grow(1), Some(before));
            moves += u32::from(memory.bytes.as_ptr() != place);
            let end = memory.bytes.len();
            assert_eq!(end, (before as usize + 1) * PAGE);
            assert!(memory.bytes[end - PAGE..].iter().all(|&byte| byte == 0));
            memory.store(end - 1, [0xff]).expect("inside");
        }
        assert!(moves <= 10, "{moves} moves");
        assert_eq!(memory.grow(1), None);
        assert_eq!(memory.load(10), Ok([1, 2, 3, 4]));
    }

    #[test]
    fn memories_share_the_room_that_they_grow_into() {
        let room = MemoryBudget::new(4 * PAGE as u64);
        let [mut one, mut other] =
            [(); 2].map(|()| PrivateMemory::new(1, 1000, room.share()).expect("memory"));
        assert_eq!(one.grow(3), Some(1));
        assert_eq!(other.grow(2), None);
        assert_eq!(other.grow(1), Some(1));
        one.renew(1).expect("memory");
        assert_eq!(other.grow(3), Some(2));
    }

    #[test]
    fn a_memory_is_new_again_whatever_was_written() {
        for at in [0, 5, CHUNK - 7, CHUNK - 1, CHUNK, 16 * CHUNK - 8] {
            let mut memory = PrivateMemory::new(1, 1, MemoryBudget::default()).expect("memory");
            memory.store(at, [0xff; 8]).expect("inside");
            memory.renew(1).expect("memory");
            assert!(memory.bytes.iter().all(|&byte| byte == 0), "{at:#x}");
        }
    }
}
