//! The GPU interpreter: one kernel in WGSL that runs any bytecode on any wgpu device.
//!
//! In: a [`Bytecode`](crate::bytecode::Bytecode) and a [`Launch`](crate::machine::Launch). Out: an
//! [`Outcome`](crate::machine::Outcome). Loading another program writes a buffer; pipelines are built
//! once. Threads run in slices and keep all of their state in buffers, so no dispatch is long and
//! nothing waits on the device: barriers, files and prints are looked after between slices. What is
//! absent: 64-bit types, floats beyond the safe middle of f32, optional features of any device.

mod alone;
mod clock;
mod instance;
mod interpreter;
mod layout;
mod memories;
mod params;
mod pipelines;
mod reading;
mod requests;
mod shader;
mod wave;
mod world;

pub use crate::machine::InvokeError;
pub use instance::Instance;
pub use interpreter::{Interpreter, Options};
pub use shader::{MemoryKind, kernel_wgsl};
