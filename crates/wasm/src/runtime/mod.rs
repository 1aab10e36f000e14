//! What both executors share: launches, resources, results, limits, and file access.

mod check;
mod error;
mod files;
mod folder;
mod footprint;
mod grid;
mod launch;
mod position;
mod prints;
mod queue;
mod text;
mod value;

pub(crate) use check::{MAX_PAGES, check, check_sizes, check_store, function_type};
pub use error::{InvokeError, LaunchError};
pub use files::{FAILED, FileReply, FileRequest, Files, NOT_ALLOWED, NOT_FOUND};
pub(crate) use files::{MAX_PATH_BYTES, path_before_zero};
pub(crate) use footprint::{Footprint, PAGE};
pub use grid::{Grid, MAX_WORKGROUP, ThreadIds};
pub use launch::{
    DEFAULT_MAX_PAGES, DEFAULT_MAX_TOTAL_PAGES, DEFAULT_WATCHDOG, InstanceLimits, Launch,
    LaunchOutcome, MemoryMode, Picture, Resources, ThreadEnd, WasmValue,
};
pub use position::trap_at;
pub use prints::{MAX_PRINT_BYTES, PrintLog};
pub use queue::{MAX_QUEUE_ITEMS, WorkQueue};
pub(crate) use text::{MAX_PANIC_BYTES, MAX_TEXT_BYTES, truncated_text};
