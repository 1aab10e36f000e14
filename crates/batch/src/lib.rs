//! Guarded batches: several GPU submissions in flight at once, each applied atomically and exactly
//! once.
//!
//! A long job on a device keeps its state in buffers and submits batch after batch, reading small
//! results back on the way. This crate keeps several batches in flight and makes each one atomic
//! with respect to the others. A guard pass tries to take a lock in a storage buffer, the
//! user's passes do nothing unless their batch holds the lock, and a staging pass copies the
//! results and releases the lock. All of this is one submission. A batch that finds the lock taken,
//! or that comes before its turn in the order, is skipped and submitted again, so every batch is
//! applied exactly once. `docs/batches.md` in the repository says when that is needed and what it
//! costs.
//!
//! ```
//! # pollster::block_on(async {
//! use anywarp_batch::Batch;
//! use bytemuck::{Pod, Zeroable};
//! # let instance = anywarp_adapter::instance();
//! # let adapter = instance.request_adapter(&Default::default()).await?;
//! # let (device, queue) = adapter.request_device(&Default::default()).await?;
//!
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! #[repr(C)]
//! struct Params {
//!     digit: u32,
//! }
//!
//! const STEP: &str = "
//!     struct Params { digit: u32 }
//!     @group(0) @binding(2) var<uniform> params: Params;
//!     @group(1) @binding(0) var<storage, read_write> state: u32;
//!     @compute @workgroup_size(1) fn main() {
//!         if !batch_is_active() { return; }
//!         state = state * 10u + params.digit;
//!     }";
//!
//! // `device` and `queue` are any of wgpu's. The state is one number.
//! let state = device.create_buffer(&wgpu::BufferDescriptor {
//!     label: None,
//!     size: 4,
//!     usage: wgpu::BufferUsages::STORAGE,
//!     mapped_at_creation: false,
//! });
//! let mut batch = Batch::builder(&device, &queue)
//!     .params::<Params>()
//!     .bind(1, 0, &state)
//!     .pass(STEP, "main", [1, 1, 1])
//!     .read_back::<u32>(&state)
//!     .build()?;
//! batch.submit(&Params { digit: 4 })?;
//! batch.submit(&Params { digit: 2 })?;
//! let mut last = Vec::new();
//! while let Some(outcome) = batch.next().await {
//!     last = outcome?.results;
//! }
//! assert_eq!(last, [42]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # How it is built
//!
//! `layout` has the tables from which every word offset is computed, and `shader` the WGSL around
//! them. `lock`, `pipelines`, `params_buffer` and `slots` create the objects on a device; users
//! with their own encoders work at this level, with [`BatchSlots`]. `schedule` decides, without a
//! device, which batch goes to which slot with which ticket. `runner` connects the schedule with the
//! slots, and `outcome` holds the results of batches; a [`BatchRunner`] works on bytes.
//!
//! Above these, with the feature `shaders`, `shader_analysis` reads the WGSL of a pass with naga, and
//! `pass_pipeline` compiles it ([`BatchSlots::pipeline`]). With the feature `bytemuck`, `builder`
//! makes a [`Batch`] with typed parameters and results. Both are on by default. The feature `stream`
//! implements `futures_core::Stream`.
//!
//! Absent on purpose: blocking (except `BatchRunner::wait`), threads (except the one that `poller`
//! starts natively for tasks that wait), and any of our crates.
//!
//! # Errors
//!
//! An error does not repeat the text of its source: print the chain of sources, as `anyhow::Error`
//! does with `{:#}`.

#![forbid(unsafe_code)]

#[cfg(feature = "bytemuck")]
mod batch;
#[cfg(feature = "bytemuck")]
mod builder;
mod clock;
mod error;
mod layout;
mod lock;
mod outcome;
mod params_buffer;
#[cfg(feature = "bytemuck")]
mod pass_bindings;
#[cfg(feature = "shaders")]
mod pass_pipeline;
#[cfg(feature = "shaders")]
mod pass_shader;
mod pipelines;
#[cfg(feature = "bytemuck")]
mod read_back;
mod runner;
mod schedule;
mod shader;
#[cfg(feature = "shaders")]
mod shader_analysis;
mod slots;
mod stats;
mod status;

#[cfg(not(target_family = "wasm"))]
mod poller;

#[cfg(feature = "bytemuck")]
pub use batch::Batch;
#[cfg(feature = "bytemuck")]
pub use builder::BatchBuilder;
pub use clock::Clock;
pub use error::{BatchError, BuildError, Failed, RangeProblem, SubmitError, UploadError};
#[cfg(feature = "shaders")]
pub use error::{PassError, PassProblem};
pub use layout::LockLayout;
pub use lock::BatchLock;
pub use outcome::{Completed, LossNotifier, Outcome, Outcomes};
#[cfg(feature = "shaders")]
pub use pass_shader::PassShader;
#[cfg(feature = "bytemuck")]
pub use read_back::{AddRange, Results};
pub use runner::{BatchPass, BatchRunner, BatchRunnerDescriptor, Workgroups};
pub use schedule::BatchId;
pub use shader::BatchBindings;
pub use slots::{BatchInfo, BatchOrder, BatchSlots, BatchSlotsDescriptor, ResultRange};
pub use stats::Stats;
pub use status::{DeviceCounters, SlotStatus};
pub use wgpu;

/// The examples of the document compile.
#[cfg(all(doctest, feature = "bytemuck"))]
#[doc = include_str!("../../../docs/batches.md")]
struct Document;
