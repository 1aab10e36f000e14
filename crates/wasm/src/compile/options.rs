//! Options of the compiled tier.

use super::MemoryModel;

/// Options of a compilation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompileOptions {
    /// Maximum number of instructions of a kernel with all its calls inlined.
    pub max_instructions: usize,
    /// How linear memory becomes objects of the program.
    pub memory: MemoryModel,
    /// Pages that a linear memory can grow to, because its buffer has that size from the start.
    pub reserved_pages: u32,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            max_instructions: 100_000,
            memory: MemoryModel::Auto,
            reserved_pages: 0,
        }
    }
}

impl CompileOptions {
    /// Sets the maximum number of instructions of a kernel with all its calls inlined.
    #[must_use]
    pub fn max_instructions(mut self, max_instructions: usize) -> Self {
        self.max_instructions = max_instructions;
        self
    }

    /// Sets how linear memory becomes objects.
    #[must_use]
    pub fn memory(mut self, memory: MemoryModel) -> Self {
        self.memory = memory;
        self
    }

    /// Sets the pages that a linear memory can grow to; the initial ones by default.
    #[must_use]
    pub fn reserved_pages(mut self, pages: u32) -> Self {
        self.reserved_pages = pages;
        self
    }
}
