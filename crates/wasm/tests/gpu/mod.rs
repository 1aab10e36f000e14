//! The GPU interpreter on every available device: our CPU adapter, and Vulkan drivers.

mod atomics;
pub(crate) mod devices;
mod instance;
mod limits;
mod opcodes;
mod programs;
mod requests;
