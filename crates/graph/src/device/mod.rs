//! Graphs on a device: buffers, passes and what comes back.

pub(crate) mod layout;
pub(crate) mod rule;
mod tables;

pub use rule::DeviceRule;
