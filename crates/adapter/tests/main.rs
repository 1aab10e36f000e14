//! wgpu programs on the CPU adapter, and random streams of calls.

mod commands;
mod usage;
