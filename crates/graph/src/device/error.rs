//! Errors of graphs on a device.
//!
//! What always holds: an error with a source does not repeat the text of the source.

use std::time::Duration;

use anywarp_program::ProgramError;

use super::binding::BindingError;
use super::feedback::DeviceFaults;
use super::input_error::InputError;
use super::readback::ReadbackError;
use crate::model::{NodeId, RuleViolation};
use crate::plan::PlanError;
use crate::shader::ShaderError;

/// Why a graph could not be created or did not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A rule of graphs is violated.
    #[error(transparent)]
    Rule(#[from] RuleViolation),
    /// No plan is possible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A node's code cannot be used.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The device rejected a node's pipeline.
    #[error("graph `{graph}`: the device rejected node `{node}`")]
    Node {
        /// The graph.
        graph: String,
        /// The node.
        node: NodeId,
        /// The device's error.
        source: Box<wgpu::Error>,
    },
    /// A node's code cannot be written for the device.
    #[error("graph `{graph}`: node `{node}` cannot be written as WGSL")]
    Unwritable {
        /// The graph.
        graph: String,
        /// The node.
        node: NodeId,
        /// The reason.
        source: Box<ProgramError>,
    },
    /// The device rejected a resource or a submission, most often because of a bind group that does
    /// not match.
    #[error("graph `{graph}`: the device rejected its commands or resources")]
    Device {
        /// The graph.
        graph: String,
        /// The device's error.
        source: Box<wgpu::Error>,
    },
    /// The device's limit on dispatches is below the minimum of WebGPU.
    #[error(
        "graph `{graph}`: the device allows {max} workgroups per dimension; graphs need {needed}, the minimum of WebGPU"
    )]
    WorkgroupLimit {
        /// The graph.
        graph: String,
        /// The device's limit.
        max: u32,
        /// The number that graphs need.
        needed: u32,
    },
    /// A run exceeded its time limit.
    #[error(
        "graph `{graph}`: too much work: records are left after {sweeps} sweeps and {} s; raise the limit (--limit on the command line) for longer runs",
        .limit.as_secs_f64()
    )]
    TimeLimitExceeded {
        /// The graph.
        graph: String,
        /// The number of completed sweeps.
        sweeps: u32,
        /// The time limit.
        limit: Duration,
    },
    /// A buffer exceeds a limit of the device.
    #[error(
        "graph `{graph}`: {what} takes {needed} bytes, but a binding of this device has at most {max}"
    )]
    DeviceLimit {
        /// The graph.
        graph: String,
        /// The name of the buffer.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// The device's limit in bytes.
        max: u64,
    },
    /// An input or an option does not match the graph.
    #[error("graph `{graph}`: invalid input or option")]
    Input {
        /// The graph.
        graph: String,
        /// What is wrong.
        source: Box<InputError>,
    },
    /// A buffer does not match the bindings of nodes.
    #[error("graph `{graph}`: the bindings do not match")]
    Binding {
        /// The graph.
        graph: String,
        /// What is wrong.
        source: Box<BindingError>,
    },
    /// The thread holds steps of a graph with the same arena, and would wait for itself.
    #[error(
        "graph `{graph}`: its memory is in use by the steps of graph `{holder}` on this thread; finish or drop them first"
    )]
    ArenaInUse {
        /// The graph.
        graph: String,
        /// The graph whose steps hold the arena.
        holder: String,
    },
    /// A recorded run has one sweep, and that was not enough.
    #[error(
        "graph `{graph}`: the recorded run did not finish, {left} records are left in queues: there were more inputs than `input_records`, or more launches at once than `max_launches`"
    )]
    Unfinished {
        /// The graph.
        graph: String,
        /// The number of records that wait in queues, counted for each reader. Inputs that found no
        /// room are not included.
        left: u64,
    },
    /// Nodes or inputs violated rules on the device.
    #[error(transparent)]
    Faults(DeviceFaults),
    /// The device was lost.
    #[error("graph `{graph}`: the device was lost {place}")]
    Lost {
        /// The graph.
        graph: String,
        /// The level and the nodes that were running, as far as known.
        place: String,
        /// The device's error.
        source: ReadbackError,
    },
    /// A buffer of the user cannot be read back.
    #[error("a buffer cannot be read back: {0}")]
    ReadBack(&'static str),
    /// A bug in this crate.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}
