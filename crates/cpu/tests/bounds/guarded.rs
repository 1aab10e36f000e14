//! Memory directly before or after inaccessible guard pages.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

const PAGE: usize = 4096;

/// The content of words outside the buffer.
const UNTOUCHED: u32 = 0xa5a5_a5a5;

/// The position of a buffer in its pages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    Start,
    End,
}

/// Whether the length of a buffer is correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Honesty {
    Honest,
    /// It claims to have one more word, which lies in a guard page, to see that an access is noticed.
    OneWordTooLong,
}

/// A buffer in pages between two guard pages.
pub(crate) struct Guarded {
    pages: NonNull<u8>,
    /// Bytes of the accessible pages.
    bytes: usize,
    words: usize,
    side: Side,
    honesty: Honesty,
}

impl Guarded {
    /// A buffer that holds these words.
    pub(crate) fn new(contents: &[u32], side: Side, honesty: Honesty) -> Self {
        let bytes = (contents.len() * 4).next_multiple_of(PAGE).max(PAGE);
        // SAFETY: a fresh private mapping is asked for, at no given place.
        let pages = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes + 2 * PAGE,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(pages, libc::MAP_FAILED);
        let pages = NonNull::new(pages.cast::<u8>()).unwrap();
        // SAFETY: the mapping is ours.
        let result = unsafe {
            let middle = pages.as_ptr().add(PAGE).cast();
            libc::mprotect(middle, bytes, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(result, 0);
        let guarded = Self {
            pages,
            bytes,
            words: contents.len(),
            side,
            honesty,
        };
        let page = guarded.page();
        page.iter()
            .for_each(|word| word.store(UNTOUCHED, Ordering::Relaxed));
        let buffer = &page[guarded.place()];
        for (word, given) in buffer.iter().zip(contents) {
            word.store(*given, Ordering::Relaxed);
        }
        guarded
    }

    fn page(&self) -> &[AtomicU32] {
        // SAFETY: the pages in the middle are ours, readable and writable, and there as long as `self`.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().add(PAGE).cast(), self.bytes / 4) }
    }

    fn place(&self) -> std::ops::Range<usize> {
        match self.side {
            Side::Start => 0..self.words,
            Side::End => self.bytes / 4 - self.words..self.bytes / 4,
        }
    }

    /// The buffer.
    pub(crate) fn words(&self) -> &[AtomicU32] {
        let words = &self.page()[self.place()];
        match (self.honesty, self.side) {
            (Honesty::Honest, _) | (_, Side::Start) => words,
            // SAFETY: none, on purpose: the last word is inaccessible. Only a process that is to end by it requests
            // this, and the mapping exists, so that it ends and nothing else happens.
            (Honesty::OneWordTooLong, Side::End) => unsafe {
                std::slice::from_raw_parts(words.as_ptr(), words.len() + 1)
            },
        }
    }

    /// Whether the words of the pages beside the buffer are as they were.
    pub(crate) fn is_rest_untouched(&self) -> bool {
        let place = self.place();
        let page = self.page();
        let rest = page[..place.start].iter().chain(&page[place.end..]);
        { rest }.all(|word| word.load(Ordering::Relaxed) == UNTOUCHED)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.pages.as_ptr().cast(), self.bytes + 2 * PAGE) };
    }
}
