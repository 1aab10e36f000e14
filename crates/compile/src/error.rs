//! Why an entry point has no machine code.

use anywarp_codegen::CompileError;
use anywarp_lanes::LowerError;
use anywarp_program::work::OverBudget;

/// Why an entry point has no machine code. The caller may interpret it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileFailure {
    /// It cannot be lowered to the vector IR, or only over a work limit.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// Passes, verifiers or code generation are over a work limit.
    #[error("compiling `{entry_point}` takes {limit}")]
    OverBudget {
        /// The entry point.
        entry_point: String,
        /// The limit.
        limit: OverBudget,
    },
    /// The code generator refused a function.
    #[error(transparent)]
    Codegen(CompileError),
    /// Nested calls take more stack than a thread may have.
    #[error("nested calls need {bytes} bytes of stack, more than {limit}")]
    Stack {
        /// Bytes of stack that the kernel needs.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The code takes more frame memory than the limit.
    #[error(
        "machine code needs {bytes} bytes of frame memory on each thread, the limit is {limit} (max_frame_bytes)"
    )]
    FrameMemory {
        /// Bytes that one thread needs.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A bug of the compiler: a verifier rejected its result, or it panicked.
    #[error("internal error while compiling: {0}")]
    Internal(String),
}

impl CompileFailure {
    /// An internal error, which is logged: the kernel is interpreted instead.
    pub fn internal(entry_point: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        log::error!("internal error while compiling `{entry_point}`: {message}");
        Self::Internal(message)
    }

    /// Whether the work or the stack is over a limit, so that calls instead of inlining may help.
    pub(crate) fn is_over_limit(&self) -> bool {
        matches!(
            self,
            Self::Lower(LowerError::OverBudget { .. })
                | Self::OverBudget { .. }
                | Self::Codegen(CompileError::Stack { .. })
        )
    }
}
