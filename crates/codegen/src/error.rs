//! What can go wrong when machine code is made.

use anywarp_lanes::work::OverBudget;

/// Why there is no machine code for a function.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The function is made for vectors of another size.
    #[error("the function has {function} lanes, and {target} has {lanes}")]
    Lanes {
        /// Lanes of the function.
        function: u32,
        /// The name of the target.
        target: crate::Target,
        /// Lanes of the target.
        lanes: u32,
    },
    /// A call would need more stack than a thread can be trusted to have.
    #[error("the kernel needs {bytes} bytes of stack, more than {limit}")]
    Stack {
        /// What it needs.
        bytes: usize,
        /// What it may need.
        limit: usize,
    },
    /// The work is over a limit.
    #[error("{0} to generate code")]
    OverBudget(#[from] OverBudget),
    /// The system gives no memory that can be executed.
    #[error("no executable memory: {0}")]
    Memory(std::io::Error),
    /// A mistake of ours.
    #[error("internal error of the code generator: {0}")]
    Internal(String),
}
