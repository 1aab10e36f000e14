//! The layout of linear memories: consecutive in each thread's words, each with a capacity in
//! pages.
//!
//! Growing a memory beyond its capacity moves those after it. A memory that is added comes last and
//! moves nothing.

use crate::bytecode::{Bytecode, Limits};
use crate::runtime::MAX_PAGES;

/// Words of a page.
const PAGE_WORDS: u64 = 1 << 14;

/// The memories of a program. There is at least one, which may be empty.
#[derive(Clone, Debug)]
pub(super) struct Memories {
    rows: Vec<MemoryRow>,
    /// Maximum pages of all threads together.
    total: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct MemoryRow {
    /// Pages that are allocated.
    capacity: u32,
    /// Maximum pages.
    max: u32,
}

impl Memories {
    /// The initial layout.
    pub(super) fn new(program: &Bytecode, max_pages: u32, total: u32) -> Self {
        let row = |limits: &Limits| MemoryRow {
            capacity: limits.initial,
            max: limits
                .maximum
                .unwrap_or(u32::MAX)
                .min(max_pages)
                .min(MAX_PAGES),
        };
        let mut rows: Vec<_> = program.memories.iter().map(row).collect();
        if rows.is_empty() {
            rows.push(MemoryRow::default());
        }
        Self { rows, total }
    }

    /// The layout with at least the capacities of another one.
    pub(super) fn with_capacity_of(mut self, others: &Self) -> Self {
        for (row, other) in self.rows.iter_mut().zip(&others.rows) {
            row.capacity = row.capacity.max(other.capacity);
        }
        self
    }

    /// The layout with capacities for these pages, and a higher maximum for the first memory.
    pub(super) fn with_pages(mut self, pages: &[u32], more: u32, allowed: u32) -> Self {
        for (row, &pages) in self.rows.iter_mut().zip(pages) {
            row.capacity = pages;
        }
        if let Some(first) = self.rows.first_mut() {
            first.max = first.max.saturating_add(more).min(allowed);
        }
        self
    }

    /// The capacity of a memory in pages.
    pub(super) fn capacity(&self, which: u32) -> u32 {
        self.rows.get(which as usize).map_or(0, |row| row.capacity)
    }

    /// The maximum size of a memory in pages.
    pub(super) fn max_pages(&self, which: u32) -> u32 {
        self.rows.get(which as usize).map_or(0, |row| row.max)
    }

    pub(super) fn set_capacity(&mut self, which: u32, pages: u32) {
        if let Some(row) = self.rows.get_mut(which as usize) {
            row.capacity = pages;
        }
    }

    /// The total capacity in pages.
    pub(super) fn pages(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.capacity)).sum()
    }

    /// Words of all memories of that many threads.
    pub(super) fn words(&self, threads: u32) -> u64 {
        let words = self.pages().saturating_mul(PAGE_WORDS);
        words.saturating_mul(u64::from(threads))
    }

    /// The pages that each of that many threads can have in a buffer of that many words.
    pub(super) fn max_pages_per_thread(&self, words: u64, threads: u32) -> u32 {
        let pages = (words / PAGE_WORDS).min(self.total.into()) / u64::from(threads.max(1));
        u32::try_from(pages).unwrap_or(u32::MAX)
    }

    /// The rows that the WGSL code reads, one for each memory: first word, capacity, maximum pages.
    pub(super) fn rows(&self) -> Vec<u32> {
        let mut first = 0_u32;
        let mut words = Vec::with_capacity(3 * self.rows.len());
        for row in &self.rows {
            words.extend([first, row.capacity, row.max]);
            first = first.wrapping_add(row.capacity.wrapping_mul(PAGE_WORDS as u32));
        }
        words
    }

    /// Copies the contents to a layout with the same or larger capacities.
    pub(super) fn copy(
        &self,
        from: &wgpu::Buffer,
        others: &Self,
        to: &wgpu::Buffer,
        threads: u32,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let bytes = |pages: u32| u64::from(pages) * PAGE_WORDS * 4 * u64::from(threads);
        let (mut source, mut target) = (0, 0);
        for (row, other) in self.rows.iter().zip(&others.rows) {
            let kept = bytes(row.capacity.min(other.capacity));
            if kept > 0 {
                encoder.copy_buffer_to_buffer(from, source, to, target, kept);
            }
            source += bytes(row.capacity);
            target += bytes(other.capacity);
        }
    }
}
