//! Errors of graphs on a device.

use std::time::Duration;

use crate::code::CodeError;
use crate::model::{NodeId, RuleViolation};
use crate::plan::PlanError;

use super::feedback::DeviceFaults;

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
    Code(#[from] CodeError),
    /// The device rejected a node's pipeline.
    #[error("graph `{graph}`: node `{node}`: {message}")]
    Node {
        /// The graph.
        graph: String,
        /// The node.
        node: NodeId,
        /// The device's message.
        message: String,
    },
    /// The device rejected a submission, most often because of a bind group that does not match.
    #[error("graph `{graph}`: {message}")]
    Device {
        /// The graph.
        graph: String,
        /// The device's message.
        message: String,
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
    /// An input does not match the graph.
    #[error("graph `{graph}`: {message}")]
    Input {
        /// The graph.
        graph: String,
        /// The reason.
        message: String,
    },
    /// The thread holds steps of a graph with the same arena, and would wait for itself.
    #[error(
        "graph `{graph}`: its memory is in use by the steps of graph `{holder}` on this thread; finish or drop them first"
    )]
    Held {
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
    #[error("graph `{graph}`: the device was lost {place}: {message}")]
    Lost {
        /// The graph.
        graph: String,
        /// The level and the nodes that were running, as far as known.
        place: String,
        /// The device's message.
        message: String,
    },
    /// A bug in this crate.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// The innermost cause of a wgpu error, which has the specific message.
pub(crate) fn last_cause(error: &wgpu::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
