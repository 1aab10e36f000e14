//! The GPU interpreter on every device there is: our CPU adapter, and Vulkan's.

mod atomics;
mod devices;
mod instance;
mod limits;
mod opcodes;
mod programs;
mod requests;
