//! The runtime on a device: buffers, passes, feedback.

mod arena;
mod encode;
mod error;
mod feedback;
mod groups;
mod host_feed;
mod initial_state;
mod input;
pub(crate) mod layout;
mod pipelines;
mod readback;
mod recording;
pub(crate) mod rule;
mod runner;
pub(crate) mod scopes;
mod step;
mod sweeps;
mod tables;
mod trace;

pub use arena::SharedArena;
pub use error::GraphError;
pub(crate) use error::last_cause;
pub use feedback::{DeviceFault, DeviceFaults, StageCounts};
pub use input::{CpuRecords, Input};
pub use recording::Recording;
pub use rule::DeviceRule;
pub use runner::{GraphOptions, GraphRunner, LocalArguments, Report};
pub use step::{StageStep, Step, Steps};
pub use trace::{Clock, Span, Trace};
