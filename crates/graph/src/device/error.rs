//! What can go wrong with a graph on a device.

use std::time::Duration;

use crate::code::CodeError;
use crate::model::{Fault, NodeId};
use crate::plan::PlanError;

use super::feedback::DeviceFaults;

/// Why a graph was not made or did not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A rule of graphs is broken.
    #[error(transparent)]
    Rule(#[from] Fault),
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A node's code cannot be used.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The device refuses a node.
    #[error("graph `{graph}`: node `{node}`: {message}")]
    Node {
        /// The graph.
        graph: String,
        /// The node.
        node: NodeId,
        /// What the device says.
        message: String,
    },
    /// The device refuses what was submitted, most often a bind group that does not fit.
    #[error("graph `{graph}`: {message}")]
    Device {
        /// The graph.
        graph: String,
        /// What the device says.
        message: String,
    },
    /// A run takes more time than its limit allows.
    #[error(
        "graph `{graph}`: too much work: records are left after {sweeps} sweeps and {} s; raise the limit (--limit on the command line) for longer runs",
        .limit.as_secs_f64()
    )]
    OutOfTime {
        /// The graph.
        graph: String,
        /// Sweeps that are done.
        sweeps: u32,
        /// The limit.
        limit: Duration,
    },
    /// The device is too small for the graph.
    #[error(
        "graph `{graph}`: {what} takes {needed} bytes, but a binding of this device has at most {most}"
    )]
    DeviceLimit {
        /// The graph.
        graph: String,
        /// What is too large.
        what: &'static str,
        /// Its size.
        needed: u64,
        /// The device's limit.
        most: u64,
    },
    /// An input does not fit the graph.
    #[error("graph `{graph}`: {message}")]
    Input {
        /// The graph.
        graph: String,
        /// What is wrong.
        message: String,
    },
    /// The thread has begun steps of a graph with the same memory, and would wait for itself.
    #[error(
        "graph `{graph}`: its memory is in use by the steps of graph `{holder}` on this thread; finish or drop them first"
    )]
    Held {
        /// The graph.
        graph: String,
        /// The graph that goes in steps.
        holder: String,
    },
    /// A recorded run is one sweep, and that was not enough.
    #[error(
        "graph `{graph}`: the recorded run did not finish, {left} records are left in queues: there were more inputs than `input_records`, or more launches at once than `max_launches`"
    )]
    Unfinished {
        /// The graph.
        graph: String,
        /// How many records wait in queues, each reader counted by itself. Inputs that found no room
        /// are not among them.
        left: u64,
    },
    /// Nodes or inputs broke rules on the device.
    #[error(transparent)]
    Faults(DeviceFaults),
    /// The device is gone.
    #[error("graph `{graph}`: the device was lost {place}: {message}")]
    Lost {
        /// The graph.
        graph: String,
        /// The level and the nodes that ran, as far as they are known.
        place: String,
        /// What the device says.
        message: String,
    },
    /// A bug of ours.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// The last cause of an error of wgpu's, which is the one that says something.
pub(crate) fn last_cause(error: &wgpu::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
