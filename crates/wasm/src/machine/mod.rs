//! What both machines share: launches, what kernels act on, and what became of them.

mod check;
mod error;
mod files;
mod ids;
mod launch;
mod position;
mod prints;
mod queue;
mod text;
mod value;

pub(crate) use check::{MOST_PAGES, check, check_sizes, function_type};
pub use error::LaunchError;
pub use files::{Answer, FAILED, Files, NOT_ALLOWED, NOT_FOUND, Request};
pub(crate) use files::{MOST_PATH, path_before_zero};
pub use ids::{Grid, MAX_WORKGROUP, Place};
pub use launch::{End, Launch, MemoryMode, Outcome, Picture, Resources, Value};
pub use position::trap_at;
pub use prints::{PRINT_ROOM, Prints};
pub use queue::{QUEUE_ROOM, WorkQueue};
pub(crate) use text::{MOST_TEXT, shown};
