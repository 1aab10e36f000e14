//! Errors of bindings and dispatches.

use std::time::Duration;

use anywarp_compile::CompileFailure;
use anywarp_execution::{ExecutionError, KernelError, TextureMismatch, TimeLimit, UnknownResource};
use anywarp_lanes::BufferSource;
use anywarp_program::naga::MathFunction;

/// A buffer or texture that a kernel needs is not bound, or does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// Nothing is bound at this binding.
    #[error("nothing is bound for `{name}` at @group({group}) @binding({binding})")]
    Missing {
        /// The variable's name in the program.
        name: String,
        /// `@group`.
        group: u32,
        /// `@binding`.
        binding: u32,
    },
    /// The bound range is smaller than the variable.
    #[error(
        "`{name}` at @group({group}) @binding({binding}) needs {needed} bytes, but {bound} are bound"
    )]
    TooSmall {
        /// The variable's name in the program.
        name: String,
        /// `@group`.
        group: u32,
        /// `@binding`.
        binding: u32,
        /// Bytes that the variable needs.
        needed: u64,
        /// Bytes that are bound.
        bound: u64,
    },
    /// The bound range is larger than engines can address.
    #[error(
        "`{name}` at @group({group}) @binding({binding}) is bound to {bound} bytes, and the largest binding is {limit} bytes"
    )]
    TooLarge {
        /// The variable's name in the program.
        name: String,
        /// `@group`.
        group: u32,
        /// `@binding`.
        binding: u32,
        /// Bytes that are bound.
        bound: u64,
        /// The largest size of a binding, in bytes.
        limit: u64,
    },
    /// The bound texture has another type than the program declares.
    #[error("`{name}` at @group({group}) @binding({binding}) needs {mismatch}")]
    TextureMismatch {
        /// The variable's name in the program.
        name: String,
        /// `@group`.
        group: u32,
        /// `@binding`.
        binding: u32,
        /// The difference.
        mismatch: TextureMismatch,
    },
    /// The bound range leaves its buffer.
    #[error(
        "`{name}` at @group({group}) @binding({binding}) is bound to bytes {offset} to {end}, outside its buffer of {size} bytes"
    )]
    OutOfRange {
        /// The variable's name in the program.
        name: String,
        /// `@group`.
        group: u32,
        /// `@binding`.
        binding: u32,
        /// The first byte that is bound, dynamic offset included.
        offset: u64,
        /// The byte after the last one that is bound.
        end: u64,
        /// Bytes in the buffer.
        size: u64,
    },
}

/// Why a dispatch over memory of the caller failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostDispatchError {
    /// A buffer is not bound, or does not fit.
    #[error(transparent)]
    Binding(BindingError),
    /// The kernel may write memory that is bound for reading.
    #[error("`{name}` may be written by the kernel, but its memory is bound for reading")]
    ReadOnly {
        /// The variable's name in the program.
        name: String,
    },
    /// The kernel uses a texture or an array of bindings.
    #[error("`{name}` is not a single buffer, so memory of the caller cannot be bound to it")]
    NotABuffer {
        /// The variable's name in the program.
        name: String,
    },
    /// The dispatch failed.
    #[error(transparent)]
    Dispatch(DispatchError),
}

/// Why a kernel is interpreted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WhyInterpreted {
    /// [`Engine::Interpreter`](crate::Engine::Interpreter) was chosen.
    #[error("the interpreter was asked for")]
    Requested,
    /// There is no code generator for this machine.
    #[error("no code generator for this machine")]
    NoCodeGenerator,
    /// It has subgroup operations, and its subgroup size is not that of the machine's vectors.
    #[error("no vector code for subgroups of {lanes} lanes")]
    SubgroupSize {
        /// The subgroup size of the kernel.
        lanes: u32,
    },
    /// It cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileFailure),
    /// Its code refers to something that the device does not have: a bug of ours.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl WhyInterpreted {
    /// Whether the reason is a bug of ours.
    pub fn is_internal(&self) -> bool {
        match self {
            Self::Compile(CompileFailure::Internal(_)) | Self::Link(_) => true,
            Self::Requested
            | Self::NoCodeGenerator
            | Self::SubgroupSize { .. }
            | Self::Compile(_) => false,
        }
    }
}

/// Code refers to something that the device does not have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A resource that the entry point does not use.
    #[error(transparent)]
    Resource(#[from] UnknownResource),
    /// A kind of buffer that the device does not know.
    #[error("unknown resource {0:?}")]
    BufferSource(BufferSource),
    /// A mip level of an element of a texture array.
    #[error("a level of an element of a texture array")]
    LevelOfElement,
    /// A function of `f64`.
    #[error("no host function computes {0:?}")]
    Function(MathFunction),
    /// Another host call.
    #[error("no host function handles {0}")]
    HostCall(String),
}

/// A kernel needs more frame memory than its limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "entry point `{entry_point}`: frame memory of {bytes} bytes on each thread, the limit is {limit} (max_frame_bytes)"
)]
pub struct FrameLimitError {
    /// The entry point.
    pub entry_point: String,
    /// Bytes that one thread needs: with this limit the kernel runs.
    pub bytes: u64,
    /// [`KernelOptions::max_frame_bytes`](crate::KernelOptions::max_frame_bytes).
    pub limit: u64,
}

/// Why a dispatch failed. Memory keeps the writes up to that point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// The kernel's bindings do not fit.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// The kernel needs more frame memory than its limit. Nothing has run.
    #[error("over a limit: {0}")]
    Frames(#[from] FrameLimitError),
    /// The dispatch needs the interpreter, and the kernel cannot be prepared for it. Nothing has run.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// An error of the program.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// The dispatch exceeded its total time limit.
    #[error(
        "too much work: the dispatch of entry point `{entry_point}` did not end within {} s; {finished} of its {total} workgroups have finished",
        .limit.as_secs_f64()
    )]
    TooMuchWork {
        /// The entry point that ran.
        entry_point: String,
        /// The time limit.
        limit: Duration,
        /// Workgroups that have finished.
        finished: u64,
        /// Workgroups in all.
        total: u64,
    },
    /// The grid has more workgroups than could ever finish.
    #[error("a grid of {0:?} workgroups is too large: at most 2^40 are supported on the CPU")]
    GridTooLarge([u32; 3]),
    /// The engine itself failed: a bug of this crate, not of the program.
    #[error("internal error in workgroup {workgroup:?} of entry point `{entry_point}`: {message}")]
    Internal {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// The message of the panic.
        message: String,
    },
}

impl DispatchError {
    /// The time limit that ended the dispatch, if one did.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match self {
            Self::Execution(fault) => fault.time_limit(),
            Self::TooMuchWork { limit, .. } => Some(TimeLimit::Total(*limit)),
            _ => None,
        }
    }
}
