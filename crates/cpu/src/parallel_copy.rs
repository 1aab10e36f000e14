//! Parallel copies and clears of large memory.
//!
//! One core seldom reaches the memory bandwidth. Threads take chunks from a shared counter, so that a late thread costs
//! little. Small operations stay on the caller's thread.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Buffer, Executor};

/// The size of a chunk in bytes.
const CHUNK: u64 = 1 << 20;
/// The size in bytes from which on other threads are woken.
const WORTH_SHARING: u64 = 4 << 20;
/// The number of threads that saturate the memory bandwidth.
const MAX_THREADS: usize = 8;

impl Executor {
    /// [`Buffer::copy_from`] on several threads where that is worth it.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the bytes of either range at the same time.
    ///
    /// # Panics
    ///
    /// If a range leaves its buffer.
    pub unsafe fn copy(
        &self,
        target: &Buffer,
        offset: u64,
        source: &Buffer,
        source_offset: u64,
        size: u64,
    ) {
        // Chunks of overlapping ranges would have to be copied in order.
        if target.is_same(source) {
            // SAFETY: the caller's promise is the same.
            return unsafe { target.copy_from(offset, source, source_offset, size) };
        }
        self.share(size, &|part| {
            let (to, from) = (offset + part.start, source_offset + part.start);
            // SAFETY: parts do not overlap, and the caller promises that nothing else accesses the bytes.
            unsafe { target.copy_from(to, source, from, part.end - part.start) };
        });
    }

    /// [`Buffer::clear`] on several threads where that is worth it.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the bytes of the range at the same time.
    ///
    /// # Panics
    ///
    /// If the range leaves the buffer.
    pub unsafe fn clear(&self, buffer: &Buffer, range: Range<u64>) {
        self.share(range.end.saturating_sub(range.start), &|part| {
            // SAFETY: parts do not overlap, and the caller promises that nothing else accesses the bytes.
            unsafe { buffer.clear(range.start + part.start..range.start + part.end) };
        });
    }

    /// Calls `work` with parts of `0..size` on several threads; with all of it at once if it is small.
    fn share(&self, size: u64, work: &(dyn Fn(Range<u64>) + Sync)) {
        let is_worth_it = size >= WORTH_SHARING && self.threads() > 1;
        let Some(helpers) = is_worth_it.then(|| self.helpers()).flatten() else {
            return work(0..size);
        };
        let next = AtomicU64::new(0);
        let take_chunks = || {
            loop {
                let start = next.fetch_add(CHUNK, Ordering::Relaxed);
                if start >= size {
                    break;
                }
                work(start..size.min(start + CHUNK));
            }
        };
        helpers.in_place_scope(|scope| {
            for _ in 1..self.threads().min(MAX_THREADS) {
                scope.spawn(|_| take_chunks());
            }
            take_chunks();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{Access, ExecutorOptions};

    #[test]
    fn every_byte_and_no_other() {
        let executor = Executor::new(&ExecutorOptions {
            threads: NonZeroUsize::new(3),
            ..Default::default()
        });
        let words = 3 * CHUNK + 1000;
        let (source, target) = (Buffer::new(words * 4), Buffer::new(words * 4));
        let (source, target) = (source.unwrap(), target.unwrap());
        let store = |buffer: &Buffer, value: fn(usize) -> u32| {
            let words = buffer.words(0..words * 4, Access::ReadWrite).iter();
            words.enumerate().for_each(|(i, word)| {
                word.store(value(i), Ordering::Relaxed);
            });
        };
        let holds = |buffer: &Buffer, value: &dyn Fn(u64) -> u32| {
            let words = (0..).zip(buffer.words(0..words * 4, Access::Read));
            words
                .into_iter()
                .all(|(i, word)| word.load(Ordering::Relaxed) == value(i))
        };
        store(&source, |i| i as u32);
        store(&target, |_| 7);
        // SAFETY: the buffers are local to this test.
        unsafe { executor.copy(&target, 8, &source, 4, words * 4 - 16) };
        let edges = [0, 1, words - 2, words - 1];
        assert!(holds(&target, &|i| if edges.contains(&i) {
            7
        } else {
            i as u32 - 1
        }));
        // SAFETY: as above.
        unsafe { executor.clear(&target, 8..words * 4 - 8) };
        assert!(holds(&target, &|i| if edges.contains(&i) { 7 } else { 0 }));
        // SAFETY: as above. The ranges overlap.
        unsafe { executor.copy(&source, 4, &source, 0, words * 4 - 4) };
        assert!(holds(&source, &|i| i.saturating_sub(1) as u32));
    }
}
