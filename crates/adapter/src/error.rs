//! Errors of pipelines and of commands, with the texts that users of wgpu read.
//!
//! A [`PipelineError`] becomes wgpu's error of the pipeline; a [`CommandError`] is the reason of a lost device.

use anywarp_cpu::{DispatchError, FrameLimitError, KernelError, TimeLimit};
use anywarp_program::ProgramError;
use wgpu::{hal, wgt};

/// The hint that names the option for more frame memory.
const RAISE_FRAMES: &str = "; raise AdapterOptions::max_frame_bytes (--max-frame-memory on the command line) for larger private and function variables";

/// Why a compute pipeline cannot be created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipelineError {
    /// The program cannot be specialised.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A workgroup exceeds a limit of the device.
    #[error("over a limit: entry point `{entry_point}`: {source}")]
    Limit {
        entry_point: String,
        source: ComputeLimitError,
    },
    /// No engine can run the entry point.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// It needs more frame memory than the limit.
    #[error("over a limit: {0}{hint}", hint = RAISE_FRAMES)]
    Frames(#[from] FrameLimitError),
    /// A panic while compiling: a bug of ours.
    #[error("internal error while compiling `{entry_point}`: {message}")]
    Internal {
        entry_point: String,
        message: String,
    },
}

impl From<PipelineError> for hal::PipelineError {
    fn from(error: PipelineError) -> Self {
        let stage = wgt::ShaderStages::COMPUTE;
        match error {
            PipelineError::Program(ProgramError::Constant(message)) => {
                Self::PipelineConstants(stage, message)
            }
            other => Self::Linkage(stage, other.to_string()),
        }
    }
}

/// A limit on workgroups that an entry point exceeds, with wgpu's name of the limit.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComputeLimitError {
    /// There is no such entry point.
    #[error(transparent)]
    EntryPoint(#[from] ProgramError),
    /// The size of a workgroup along an axis.
    #[error("workgroup of {x}x{y}x{z} invocations, the limit is {most} ({limit})", x = .size[0], y = .size[1], z = .size[2])]
    Size {
        size: [u32; 3],
        most: u32,
        limit: &'static str,
    },
    /// The number of invocations of a workgroup.
    #[error(
        "workgroup of {invocations} invocations ({x}x{y}x{z}), the limit is {most} (max_compute_invocations_per_workgroup)",
        x = .size[0], y = .size[1], z = .size[2]
    )]
    Invocations {
        invocations: u32,
        size: [u32; 3],
        most: u32,
    },
    /// Workgroup memory.
    #[error(
        "workgroup memory of {bytes} bytes ({variables}), the limit is {most} (max_compute_workgroup_storage_size)"
    )]
    Memory {
        bytes: u64,
        /// The largest variables, with their source locations.
        variables: String,
        most: u32,
    },
}

/// Why a command failed, which loses the device.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A dispatch failed.
    #[error("{pipeline}{}: {source}{}", in_group(.debug_group.as_deref()), hint(.source))]
    Dispatch {
        /// The pipeline with its label, entry point and shader.
        pipeline: String,
        /// The innermost debug group.
        debug_group: Option<String>,
        source: Box<DispatchError>,
    },
    /// A panic: a bug of ours.
    #[error("internal error in a command: {0}")]
    Internal(String),
}

fn in_group(group: Option<&str>) -> String {
    group.map_or(String::new(), |group| format!(" in debug group `{group}`"))
}

/// The option to raise if a limit has ended a dispatch that would have finished.
pub(crate) fn hint(error: &DispatchError) -> &'static str {
    match error.time_limit() {
        Some(TimeLimit::Progress(_)) => {
            "; raise AdapterOptions::watchdog (--watchdog on the command line) for workgroups that need longer"
        }
        Some(TimeLimit::Total(_)) => {
            "; raise AdapterOptions::dispatch_limit (--limit on the command line) for longer dispatches"
        }
        None if matches!(error, DispatchError::Frames(_)) => RAISE_FRAMES,
        None => "",
    }
}
