//! The runtime on a device: buffers, passes, feedback.

mod arena;
mod bind_groups;
mod binding;
mod bound_graph;
mod encode;
#[cfg(feature = "derive")]
mod entry_records;
mod error;
mod feedback;
mod host_input;
mod initial_state;
mod input;
mod input_error;
mod options;
mod pipelines;
mod readback;
mod recording;
mod runner;
mod step;
mod sweeps;
mod tables;
mod trace;

pub use crate::host_data::{CpuRecords, LocalArguments};
pub use crate::layout::DeviceRule;
pub use arena::SharedArena;
pub use binding::BindingError;
pub use bound_graph::{BoundGraph, BoundGraphBuilder};
#[cfg(feature = "derive")]
pub use entry_records::EntryRecords;
pub use error::GraphError;
pub use feedback::{DeviceFault, DeviceFaults, StageCounts};
pub use input::Input;
pub use input_error::InputError;
pub use options::{Breadcrumbs, Checks, Coalescing, GraphOptions, OutputCounts};
pub use readback::ReadbackError;
pub use recording::Recording;
pub use runner::{GraphRunner, Report};
pub use step::{StageStep, Step, Steps};
pub use trace::{Span, Trace, TraceClock};
