//! The adapter as wgpu programs use it: every command, every misuse, every order of dropping resources. One binary, one
//! module per topic.

mod absent;
mod buffers;
mod capabilities;
mod concurrency;
mod dispatch;
mod errors;
mod lifetimes;
mod loss;
mod misbehaviour;
mod partial_arrays;
mod program;
mod queries;
mod subgroups;
mod texels;
mod texture_clears;
mod texture_copies;
mod texture_formats;
mod textures;
mod thread_safety;
