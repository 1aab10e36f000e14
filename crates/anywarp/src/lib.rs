//! Anywarp runs any GPU program anywhere.
//!
//! This crate re-exports the libraries and contains the `anywarp` command.
//!
//! - [`program`]: WGSL or a naga module as one validated program, with reflection and diagnostics.
//! - [`adapter`]: a `wgpu::Instance` whose only adapter is the CPU, without a driver or GPU. [`adapters`] finds it
//!   and the adapters of installed drivers by name.
//! - [`batch`]: pipelined batches on any wgpu device, each atomic and applied exactly once.
//! - [`graph`]: work graphs: kernels that launch kernels, level by level, on any wgpu device.
//! - [`spirv`]: reads SPIR-V as a program, and writes programs as SPIR-V or readable WGSL.
//! - [`wasm`]: WebAssembly kernels, on a virtual machine and on any wgpu device; [`build`] compiles Rust crates to
//!   modules.
//! - [`sdk`]: shaders as native Rust, with WGSL's types and functions, blocking barriers and derivatives. A crate
//!   that uses its macros `kernel` and `HostShareable` depends on `gpu-sdk` under that name, because the macros
//!   expand to it.
//!
//! ```
//! use anywarp::program::{Program, WorkgroupSize};
//!
//! let text = "
//!     @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
//!     @compute @workgroup_size(64)
//!     fn double(@builtin(global_invocation_id) id: vec3u) { numbers[id.x] *= 2u; }";
//!
//! // What does it ask for?
//! let entry = Program::from_wgsl(text)?.entry_point(None)?;
//! assert_eq!(entry.workgroup_size, Some(WorkgroupSize::Known([64, 1, 1])));
//! assert_eq!(entry.bindings[0].ty, "array<u32>");
//!
//! // Where does it run? From here on it is plain wgpu.
//! # pollster::block_on(async {
//! let instance = anywarp::adapter::instance();
//! let adapter = instance.request_adapter(&Default::default()).await?;
//! let (device, queue) = adapter.request_device(&Default::default()).await?;
//! let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
//!     label: None,
//!     source: wgpu::ShaderSource::Wgsl(text.into()),
//! });
//! # drop((module, queue));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! # Ok::<(), anywarp::program::ProgramError>(())
//! ```
//!
//! The same as native Rust, under the debugger if need be:
//!
//! ```
//! use anywarp::sdk::{HostBuffer, dispatch_workgroups};
//!
//! let numbers: HostBuffer<u32> = (0..128).collect();
//! dispatch_workgroups((2, 1, 1), (64, 1, 1), |builtins| {
//!     let i = builtins.global_invocation_id.x;
//!     numbers.store(i, numbers.load(i) * 2);
//! });
//! assert_eq!(numbers.load(100), 200);
//! ```

#![forbid(unsafe_code)]

pub mod adapters;
pub mod build;

pub use anywarp_adapter as adapter;
pub use anywarp_batch as batch;
pub use anywarp_graph as graph;
pub use anywarp_program as program;
pub use anywarp_spirv as spirv;
pub use anywarp_wasm as wasm;
pub use anywarp_wgsl_writer as wgsl_writer;
pub use gpu_sdk as sdk;
