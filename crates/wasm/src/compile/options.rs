//! Options of the compiled tier.

/// Options of a compilation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompileOptions {
    /// Maximum number of instructions of a kernel with all its calls inlined.
    pub max_instructions: usize,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            max_instructions: 100_000,
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
}
