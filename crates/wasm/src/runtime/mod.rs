//! What both executors share: launches, resources, results, limits, and file access.

#[cfg(any(feature = "vm", feature = "gpu"))]
mod check;
#[cfg(feature = "gpu")]
mod device;
mod error;
mod files;
mod folder;
#[cfg(any(feature = "vm", feature = "gpu"))]
mod footprint;
mod grid;
mod launch;
mod position;
mod prints;
mod queue;
#[cfg(any(feature = "vm", feature = "gpu"))]
mod text;
mod value;

pub use anywarp_resources::{Picture, ReadError, Resources};
#[cfg(any(feature = "vm", feature = "gpu"))]
pub(crate) use check::{
    MAX_PAGES, check, check_arguments, check_sizes, check_store, function_type,
};
#[cfg(feature = "gpu")]
pub(crate) use device::{Gpu, too_large};
pub use error::{InvokeError, LaunchError, TrapError};
pub use files::{FAILED, FileReply, FileRequest, Files, NOT_ALLOWED, NOT_FOUND};
#[cfg(any(feature = "vm", feature = "gpu"))]
pub(crate) use files::{MAX_PATH_BYTES, path_before_zero};
#[cfg(any(feature = "vm", feature = "gpu"))]
pub(crate) use footprint::Footprint;
#[cfg(feature = "vm")]
pub(crate) use footprint::PAGE;
pub use grid::{Grid, MAX_WORKGROUP, ThreadIds};
pub use launch::{
    DEFAULT_MAX_PAGES, DEFAULT_MAX_TOTAL_PAGES, DEFAULT_WATCHDOG, InstanceLimits, Launch,
    LaunchOutcome, MemoryMode, ThreadEnd,
};
pub use position::trap_at;
pub use prints::{MAX_PRINT_BYTES, PrintLog};
pub use queue::{MAX_QUEUE_ITEMS, WorkQueue};
#[cfg(any(feature = "vm", feature = "gpu"))]
pub(crate) use text::{MAX_PANIC_BYTES, MAX_TEXT_BYTES, truncated_text};
pub use value::Value;
