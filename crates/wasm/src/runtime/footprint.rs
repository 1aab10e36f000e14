//! The initial memory of a launch.
//!
//! In: a program, and which memories are shared. Out: bytes, and an error if the threads of one
//! workgroup, which may all be alive at the same time, exceed the launch's limit. A few bytes of a
//! module determine the sizes of memories, tables and globals, and every thread has its own: so the
//! product is checked before anything is allocated.

use crate::bytecode::{Bytecode, Limits};

use super::{Grid, LaunchError, MemoryMode};

/// Bytes of a page.
pub(crate) const PAGE: u64 = 1 << 16;

/// Bytes of a table element, or of a global's slot.
const WORD: u64 = 4;

/// The initial memory of a program's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Bytes that all threads share.
    shared: u64,
    /// Bytes of each thread: private memories, tables and globals.
    each: u64,
}

impl Footprint {
    pub(crate) fn new(program: &Bytecode, memory: MemoryMode) -> Self {
        let sum = |limits: &[Limits]| -> u64 {
            let initial = limits.iter().map(|limits| u64::from(limits.initial));
            initial.sum()
        };
        let memories = sum(&program.memories) * PAGE;
        let words = sum(&program.tables) + u64::from(program.globals);
        match memory {
            MemoryMode::Private => Self {
                shared: 0,
                each: memories + words * WORD,
            },
            MemoryMode::Shared { .. } => Self {
                shared: memories,
                each: words * WORD,
            },
        }
    }

    /// What a longer program adds to its prefix.
    pub(crate) fn added(program: &Bytecode, before: &Bytecode) -> Self {
        let after = |limits: &[Limits], had: usize| limits.get(had..).unwrap_or(&[]).to_vec();
        let added = Bytecode {
            memories: after(&program.memories, before.memories.len()),
            tables: after(&program.tables, before.tables.len()),
            globals: program.globals.saturating_sub(before.globals),
            ..Bytecode::default()
        };
        Self::new(&added, MemoryMode::Private)
    }

    /// Bytes of all threads of a workgroup.
    pub(crate) fn group(&self, grid: &Grid) -> u64 {
        let threads = grid.group_threads().min(grid.threads);
        self.each.saturating_mul(threads.into())
    }

    /// Bytes that are available for all workgroups and for growing.
    pub(crate) fn remaining_bytes(&self, max_total_pages: u32) -> u64 {
        (u64::from(max_total_pages) * PAGE).saturating_sub(self.shared)
    }

    /// An error if not even one workgroup fits.
    pub(crate) fn check(&self, grid: &Grid, max_total_pages: u32) -> Result<(), LaunchError> {
        let threads = grid.group_threads().min(grid.threads);
        let bytes = self.bytes(threads);
        if bytes <= u64::from(max_total_pages) * PAGE {
            Ok(())
        } else {
            Err(self.too_large(threads, max_total_pages))
        }
    }

    /// The error if that many threads, which must be alive at the same time, do not fit.
    pub(crate) fn too_large(&self, threads: u32, max_total_pages: u32) -> LaunchError {
        LaunchError::TotalMemory {
            threads,
            each: self.each,
            pages: self.bytes(threads).div_ceil(PAGE),
            allowed: max_total_pages,
        }
    }

    fn bytes(&self, threads: u32) -> u64 {
        let own = self.each.saturating_mul(threads.into());
        own.saturating_add(self.shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_count_as_memories_do() {
        let limits = |initial| Limits {
            initial,
            maximum: None,
        };
        let program = Bytecode {
            memories: vec![limits(2)],
            tables: vec![limits(1 << 14), limits(1 << 14)],
            ..Bytecode::default()
        };
        let grid = Grid {
            workgroups: [9, 1, 1],
            size: [8, 1, 1],
            threads: 72,
        };
        let private = Footprint::new(&program, MemoryMode::Private);
        assert_eq!(private.group(&grid), 8 * 4 * PAGE);
        assert_eq!(private.check(&grid, 32), Ok(()));
        let error = private.check(&grid, 31).unwrap_err().to_string();
        let expected = "8 threads at the same time, with memories and tables of 262144 bytes each, need 32 pages, but 31 are allowed;";
        assert!(error.starts_with(expected), "{error}");
        let shared = Footprint::new(&program, MemoryMode::Shared { stack: 16 });
        assert_eq!(shared.check(&grid, 18), Ok(()));
        assert!(shared.check(&grid, 17).is_err());
        assert_eq!(shared.remaining_bytes(18), 16 * PAGE);
    }
}
