//! Cases that any implementation of work graphs must handle, each on every device with the same
//! expectations, and every rule that is checked on the device.

mod arrays;
mod bad_inputs;
mod capacity;
#[path = "../common/mod.rs"]
mod common;
mod deepest;
mod devices;
mod faults;
mod grids;
mod harness;
mod inputs;
mod large;
mod levels;
mod limits;
mod memory;
mod modes;
mod recordings;

mod sharing;
mod tint;
mod together;
