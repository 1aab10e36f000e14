//! Graphs on a device: buffers, passes and what comes back.

mod arena;
mod error;
mod feedback;
mod input;
pub(crate) mod layout;
mod pipelines;
mod readback;
pub(crate) mod rule;
mod runner;
mod tables;

pub use error::GraphError;
pub use feedback::{DeviceFault, DeviceFaults, StageCounts};
pub use input::{CpuRecords, Input};
pub use rule::DeviceRule;
pub use runner::{GraphOptions, GraphRunner, LocalArguments, Report};
