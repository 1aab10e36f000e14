//! Errors of compilation.

use anywarp_lanes::work::OverBudget;

/// Why there is no machine code for a function.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The function was lowered for another number of lanes than the target has.
    #[error("the function has {function} lanes, and {target} has {lanes}")]
    Lanes {
        /// Lanes of the function.
        function: u32,
        /// The target.
        target: crate::Target,
        /// Lanes of the target.
        lanes: u32,
    },
    /// The stack frame of the function would be larger than the limit.
    #[error("the kernel needs {bytes} bytes of stack, more than {limit}")]
    Stack {
        /// Bytes of stack that the function needs.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The work exceeds the limits of the meter.
    #[error("{0} to generate code")]
    OverBudget(#[from] OverBudget),
    /// The operating system refuses executable memory.
    #[error("no executable memory: {0}")]
    Memory(std::io::Error),
    /// A bug of the code generator: register allocation failed, or translation validation rejected the code.
    #[error("internal error of the code generator: {0}")]
    Internal(String),
}
