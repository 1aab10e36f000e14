//! What both executors share: launches, resources, results, limits, and file access.

mod check;
mod error;
mod files;
mod folder;
mod footprint;
mod ids;
mod launch;
mod position;
mod prints;
mod queue;
mod text;
mod value;

pub(crate) use check::{MOST_PAGES, check, check_sizes, check_store, function_type};
pub use error::{InvokeError, LaunchError};
pub use files::{Answer, FAILED, Files, NOT_ALLOWED, NOT_FOUND, Request};
pub(crate) use files::{MOST_PATH, path_before_zero};
pub(crate) use footprint::{Footprint, PAGE};
pub use ids::{Grid, MAX_WORKGROUP, Place};
pub use launch::{
    DEFAULT_MAX_PAGES, DEFAULT_MAX_TOTAL_PAGES, DEFAULT_WATCHDOG, End, InstanceLimits, Launch,
    MemoryMode, Outcome, Picture, Resources, Value,
};
pub use position::trap_at;
pub use prints::{PRINT_ROOM, Prints};
pub use queue::{QUEUE_ROOM, WorkQueue};
pub(crate) use text::{MOST_TEXT, PANIC_ROOM, shown};
