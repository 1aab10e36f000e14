//! Anywarp runs any GPU program anywhere: shaders in WGSL, SPIR-V or GLSL on the CPU, without a driver or GPU, or on
//! any device that wgpu knows.
//!
//! ```
//! let shader = anywarp::Shader::wgsl(
//!     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
//!      @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3u) {
//!          if id.x < arrayLength(&numbers) { numbers[id.x] *= 2.0; }
//!      }",
//! )?;
//! let mut numbers = vec![1.0_f32, 2.0, 3.0];
//! shader.entry("double")?.bind("numbers", &mut numbers).dispatch([1, 1, 1])?;
//! assert_eq!(numbers, [2.0, 4.0, 6.0]);
//! # Ok::<(), anywarp::ShaderError>(())
//! ```
//!
//! - [`Shader`] runs a compute shader over slices: on the CPU without copies, or on any [`Device`].
//! - [`Cpu`] has the options of dispatches on the CPU: the engine, threads, limits on time.
//! - [`instance()`] is a `wgpu::Instance` whose only adapter is the CPU, for wgpu programs and their tests.
//! - [`Device`] opens the CPU or a GPU by name, and returns errors and losses as values.
//! - [`reflection`] is the interface of an entry point as data.
//! - [`program`]: WGSL, GLSL or a naga module as one validated program, with diagnostics.
//! - [`spirv`]: reads SPIR-V as a program, and writes programs as SPIR-V.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `cpu` (default) | the CPU device: machine code and interpreter |
//! | `spirv` (default) | [`Shader::spirv`], [`spirv`] |
//! | `drivers` | wgpu's back ends for Vulkan, Metal and DirectX 12: GPUs in [`devices()`] |
//! | `image` | pictures of the crate `image` as textures |
//! | `batch` | `batch`: guarded batches on any wgpu device, each atomic and applied exactly once |
//! | `graph` | `graph`: work graphs, kernels that launch kernels, on any wgpu device |
//! | `wasm` | `wasm`: kernels in WebAssembly, compiled from stable Rust |
//! | `sdk` | `sdk`: shaders as native Rust, with barriers and derivatives |
//! | `translate` | `translate`: programs as readable WGSL, SPIR-V, GLSL, HLSL and MSL |
//! | `full` | all of these |
//!
//! # Errors
//!
//! A message is complete: it contains the text of its source. The source is for programs, which can downcast it.
//!
//! # A wgpu program without a GPU
//!
//! One line changes, the one that makes the instance:
//!
//! ```
//! # pollster::block_on(async {
//! let instance = anywarp::instance(); // was: wgpu::Instance::new(..)
//! let adapter = instance.request_adapter(&Default::default()).await?;
//! let (device, queue) = adapter.request_device(&Default::default()).await?;
//! # drop((device, queue));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod device;
#[doc(hidden)]
pub mod needs;
#[doc(hidden)]
pub mod panics;
pub mod reflection;
mod shader;
#[doc(hidden)]
pub mod texture_format;
#[cfg(feature = "translate")]
mod translate;

#[cfg(feature = "cpu")]
pub use anywarp_adapter as adapter;
#[cfg(feature = "cpu")]
pub use anywarp_adapter::{AdapterOptions, Engine, Floats, Target};
#[cfg(feature = "batch")]
pub use anywarp_batch as batch;
#[cfg(feature = "graph")]
pub use anywarp_graph as graph;
pub use anywarp_program as program;
#[cfg(feature = "spirv")]
pub use anywarp_spirv as spirv;
#[cfg(feature = "wasm")]
pub use anywarp_wasm as wasm;
#[cfg(feature = "translate")]
pub use anywarp_wgsl_writer as wgsl_writer;
pub use device::{Device, DeviceError, DeviceLoss, adapters, devices, is_cpu};
#[cfg(feature = "cpu")]
pub use device::{LostReason, instance, instance_with, lost_reason};
#[cfg(feature = "sdk")]
pub use gpu_sdk as sdk;
pub use naga;
#[cfg(feature = "cpu")]
pub use shader::Cpu;
pub use shader::{
    BindingKey, Data, Dispatch, Resident, SamplerData, Shader, ShaderError, Texels, Variable,
};
#[doc(hidden)]
pub use shader::{ResourceDescriptor, TextureDescriptor, read_buffer, read_texture, rounded_up};
#[cfg(feature = "translate")]
#[doc(hidden)]
pub use translate::spirv_bytes;
#[cfg(feature = "translate")]
pub use translate::{Language, TranslateError, TranslateOptions, translate, translate_with};
pub use wgpu;

/// The Rust examples of README and docs, as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct CrateReadme;
    #[doc = include_str!("../../../SECURITY.md")]
    struct Security;
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/run-shaders.md")]
    struct RunShaders;
    #[doc = include_str!("../../../docs/wgpu-tests-in-ci.md")]
    struct WgpuTestsInCi;
    #[cfg(feature = "translate")]
    #[doc = include_str!("../../../docs/translate.md")]
    struct Translate;
}
