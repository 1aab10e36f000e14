//! The reference interpreter: a bytecode interpreter for WGSL compute programs, one invocation at a time.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a [`Program`](anywarp_program::Program) whose overrides are resolved, and memory. Out: what the program
//! wrote, or an [`ExecutionError`]. A [`Kernel`] is an entry point translated to register bytecode (32-bit
//! registers); a [`Worker`] executes it for one workgroup after another.
//!
//! What always holds:
//! - Invocations are plain data. A barrier suspends one and resumes the next, so a workgroup needs neither threads
//!   nor stacks, and any workgroup size works on one thread. The lanes of a subgroup reconverge at its operations
//!   in the same way, in any control flow ([`SubgroupSize`]).
//! - No program can do harm: out-of-bounds reads give zero, out-of-bounds writes are dropped, and an endless loop
//!   exhausts a budget. Buffers are words of [`AtomicU32`](std::sync::atomic::AtomicU32), so even a program with
//!   data races has defined behaviour here.
//! - Every access to memory goes through one module (`memory`).
//!
//! What it does not do: choose threads, own buffers, use wgpu. That is `anywarp-cpu`.
//!
//! ```
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
//! use anywarp_program::Program;
//!
//! let program = Program::from_wgsl(
//!     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
//!      @compute @workgroup_size(4)
//!      fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x * id.x; }",
//! )?;
//! let kernel = Kernel::new(&program, "main")?;
//! let data: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
//! let arguments = Arguments {
//!     buffers: &[BufferView { words: &data }],
//!     textures: &[],
//!     arrays: &[],
//!     immediates: &[],
//!     workgroup_count: [1, 1, 1],
//! };
//! Worker::new(&kernel).run(&arguments, [0, 0, 0], &Limits::default())?;
//! assert_eq!(data[3].load(Ordering::Relaxed), 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod bytecode;
mod execute;
mod kernel;
mod layout;
mod memory;
mod schedule;
mod subgroup;
mod translate;
mod worker;

pub use anywarp_execution::{
    Access, Arguments, AtomicOp, Budget, BufferView, CancelFlag, CancelReason, Elements,
    ExecutionError, KernelError, Limits, Multisampling, Random, Resource, ResourceKind, Schedule,
    Shuffle, SourceLocation, SpuriousFailures, SubgroupSize, TextureBinding, TextureOp,
    TextureView, TimeLimit,
};
pub use execute::{access_texture, transcendental};
pub use kernel::Kernel;
pub use worker::Worker;
