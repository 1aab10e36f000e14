//! Errors of the compiled tier.

use std::fmt;

use crate::TranslateError;

/// Why a kernel has no compiled form. The bytecode tier runs most of these kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The module is invalid.
    #[error(transparent)]
    Module(#[from] TranslateError),
    /// The kernel uses something that only the bytecode tier has.
    #[error("{feature} in `{function}` at {offset:#x}: only the bytecode tier runs this")]
    Unsupported {
        /// What it uses, as a noun.
        feature: String,
        /// The function of the module.
        function: String,
        /// Byte offset in the module.
        offset: u32,
    },
    /// Functions call each other in a cycle.
    #[error("recursion: {}: only the bytecode tier runs recursive kernels", Cycle(.cycle))]
    Recursion {
        /// The names of the functions, the first one again at the end.
        cycle: Vec<String>,
    },
    /// The kernel is too large when all its calls are inlined.
    #[error(
        "`{function}` takes more than {limit} instructions with all its calls inlined: only the bytecode tier runs this"
    )]
    TooLarge {
        /// The kernel.
        function: String,
        /// The limit.
        limit: usize,
    },
    /// No exported function has the name.
    #[error("no kernel `{name}`")]
    UnknownKernel {
        /// The name.
        name: String,
    },
}

struct Cycle<'a>(&'a [String]);

impl fmt::Display for Cycle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            let arrow = if at == 0 { "" } else { " -> " };
            write!(f, "{arrow}`{name}`")?;
        }
        Ok(())
    }
}
