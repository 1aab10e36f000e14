//! What both machines share: launches, what kernels act on, and what became of them.

mod launch;

pub use launch::{End, Launch, MemoryMode, Outcome, Picture, Resources, Value};
