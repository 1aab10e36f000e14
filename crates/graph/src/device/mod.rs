//! The runtime on a device: buffers, passes, feedback.

mod arena;
mod encode;
mod error;
mod feedback;
mod groups;
mod host_feed;
mod initial_state;
mod input;
mod options;
mod pipelines;
mod readback;
mod recording;
mod runner;
mod step;
mod sweeps;
mod tables;
mod trace;

pub use arena::SharedArena;
pub use error::GraphError;
pub use feedback::{DeviceFault, DeviceFaults, StageCounts};
pub use input::Input;
pub use options::{Breadcrumbs, Checks, Coalescing, GraphOptions, OutputCounts};
pub use recording::Recording;
pub use runner::{GraphRunner, Report};
pub use step::{StageStep, Step, Steps};
pub use trace::{Clock, Span, Trace};
