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
//! use anywarp_batch::{
//!     BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor, ResultRange,
//! };
//! # let instance = anywarp_adapter::instance();
//! # let adapter = instance.request_adapter(&Default::default()).await?;
//! # let (device, queue) = adapter.request_device(&Default::default()).await?;
//! // `device` and `queue` are any of wgpu's. The state is one number.
//! let state = device.create_buffer(&wgpu::BufferDescriptor {
//!     label: None,
//!     size: 4,
//!     usage: wgpu::BufferUsages::STORAGE,
//!     mapped_at_creation: false,
//! });
//! let slots = BatchSlots::new(&device, &queue, BatchSlotsDescriptor {
//!     params_size: 4,
//!     results: vec![ResultRange::whole(&state)],
//!     ..Default::default()
//! })?;
//!
//! // The user's shader begins with the generated declarations of the lock.
//! let shader = slots.wgsl() + "
//!     @group(0) @binding(2) var<uniform> digit: u32;
//!     @group(1) @binding(0) var<storage, read_write> state: u32;
//!     @compute @workgroup_size(1) fn main() {
//!         if !batch_is_active() { return; }
//!         state = state * 10u + digit;
//!     }";
//! let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
//!     label: None,
//!     source: wgpu::ShaderSource::Wgsl(shader.into()),
//! });
//! # let state_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
//! #     label: None,
//! #     entries: &[wgpu::BindGroupLayoutEntry {
//! #         binding: 0,
//! #         visibility: wgpu::ShaderStages::COMPUTE,
//! #         ty: wgpu::BindingType::Buffer {
//! #             ty: wgpu::BufferBindingType::Storage { read_only: false },
//! #             has_dynamic_offset: false,
//! #             min_binding_size: None,
//! #         },
//! #         count: None,
//! #     }],
//! # });
//! # let state_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
//! #     label: None,
//! #     layout: &state_layout,
//! #     entries: &[wgpu::BindGroupEntry { binding: 0, resource: state.as_entire_binding() }],
//! # });
//! // `state_layout` and `state_group` belong to the user, as usual.
//! let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
//!     label: None,
//!     bind_group_layouts: &[Some(slots.bind_group_layout()), Some(&state_layout)],
//!     immediate_size: 0,
//! });
//! let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
//!     label: None,
//!     layout: Some(&layout),
//!     module: &module,
//!     entry_point: None,
//!     compilation_options: Default::default(),
//!     cache: None,
//! });
//!
//! let mut runner = BatchRunner::new(slots, BatchRunnerDescriptor {
//!     passes: vec![BatchPass {
//!         pipeline,
//!         bind_groups: vec![(1, state_group)],
//!         workgroups: [1, 1, 1].into(),
//!     }],
//!     ..Default::default()
//! })?;
//! runner.submit(&4_u32.to_le_bytes())?;
//! runner.submit(&2_u32.to_le_bytes())?;
//! let mut last = Vec::new();
//! while let Some(outcome) = runner.next().await {
//!     last = outcome?.results.remove(0);
//! }
//! assert_eq!(last, 42_u32.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # How it is built
//!
//! `layout` has the tables from which every word offset is computed, and `shader` the WGSL around
//! them. `lock`, `pipelines`, `params_buffer` and `slots` create the objects on a device; users
//! with their own encoders work at this level. `schedule` decides, without a device, which batch
//! goes to which slot with which ticket. `runner` connects the schedule with the slots, and
//! `outcome` holds the results of batches.
//!
//! Absent on purpose: blocking (except `BatchRunner::wait`), threads (except the one that `poller`
//! starts natively for tasks that wait), and any crate but wgpu.

#![forbid(unsafe_code)]

mod clock;
mod error;
mod layout;
mod lock;
mod outcome;
mod params_buffer;
mod pipelines;
mod runner;
mod schedule;
mod shader;
mod slots;
mod stats;
mod status;

#[cfg(not(target_family = "wasm"))]
mod poller;

pub use clock::Clock;
pub use error::{BatchError, BuildError, Failed, SubmitError, UploadError};
pub use layout::LockLayout;
pub use lock::BatchLock;
pub use outcome::{Completed, LossNotifier, Outcome, Outcomes};
pub use runner::{BatchPass, BatchRunner, BatchRunnerDescriptor, Workgroups};
pub use schedule::BatchId;
pub use shader::BatchBindings;
pub use slots::{BatchInfo, BatchOrder, BatchSlots, BatchSlotsDescriptor, ResultRange};
pub use stats::Stats;
pub use status::{DeviceCounters, SlotStatus};
pub use wgpu;
