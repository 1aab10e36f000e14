//! The GPU interpreter: a compute shader in WGSL that interprets bytecode on any wgpu device.
//!
//! In: a [`Bytecode`](crate::bytecode::Bytecode) and a [`Launch`](crate::runtime::Launch). Out: a
//! [`LaunchOutcome`](crate::runtime::LaunchOutcome). The pipelines are compiled once; loading
//! another program only writes a buffer. Threads run in time slices and keep all of their state in
//! buffers, so no dispatch is long and nothing blocks on the device: barriers, files and prints are
//! handled between slices.
//!
//! The threads that are resident on the device at the same time form a *wave*, as in "wave
//! quantization"; it has nothing to do with subgroups. The shader uses only 32-bit integers and the
//! range of f32 operations that every device computes exactly; 64-bit types and other floats are
//! emulated with integers. No optional device features are used.

mod instance;
mod interpreter;
mod launch;
mod layout;
mod memories;
mod params;
mod pipelines;
mod protocol;
mod requests;
mod resources;
mod shader;
mod single;
mod traps;
mod watchdog;
mod wave;

pub use crate::runtime::InvokeError;
pub use instance::Instance;
pub use interpreter::{Interpreter, InterpreterOptions, LoadedProgram};
pub use shader::{MemoryKind, kernel_wgsl};
