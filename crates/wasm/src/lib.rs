//! WebAssembly modules as GPU kernels.
//!
//! A kernel is an exported function of a module, from Rust, C, Zig or any other compiler to
//! WebAssembly. It runs once for each thread of a grid, and reaches buffers, pixels and ids through the
//! imports of module `gpu`. An [`Engine`] executes it, a [`Module`] is the code, a [`Kernel`] a launch, and
//! [`Resources`] are the data:
//!
//! ```
//! use anywarp_wasm::{Engine, Module, Resources};
//!
//! // #[gpu_sdk::kernel] fn scale(factor: f32) { .. } in Rust becomes such a module.
//! let bytes = wat::parse_str(
//!     r#"(module
//!         (import "gpu" "get_thread_id" (func $id (result i32)))
//!         (import "gpu" "buffer_load" (func $load (param i32 i32) (result i32)))
//!         (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
//!         (func (export "scale") (param $factor f32)
//!             (call $store (i32.const 0) (call $id) (i32.reinterpret_f32 (f32.mul
//!                 (local.get $factor)
//!                 (f32.reinterpret_i32 (call $load (i32.const 0) (call $id))))))))"#,
//! )?;
//!
//! let engine = Engine::vm();
//! let module = Module::new(&engine, &bytes)?;
//! let mut data = Resources::new().buffer(0, 0, &[1.0f32, 2.0, 3.0, 4.0]);
//! module.kernel("scale")?.args([2.5f32])?.workgroups([4, 1, 1]).run(&mut data)?.ok()?;
//! assert_eq!(data.read::<f32>(0, 0)?, [2.5, 5.0, 7.5, 10.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Engines
//!
//! | engine | feature | runs on |
//! |---|---|---|
//! | [`Engine::vm`] | `vm` | all cores of the CPU, in a virtual machine |
//! | [`Engine::gpu_interpreter`] | `gpu` | any wgpu device, in an interpreter written in WGSL |
//! | [`Engine::compiled`] | `compiled` | any wgpu device, each kernel compiled to a compute pipeline |
//!
//! The first two interpret bytecode: loading a module needs no compilation of a pipeline, and they give
//! the same bits everywhere. All features are on by default.
//!
//! # Internals
//!
//! A module is translated to bytecode. The modules of this crate that deal with it are hidden, and may
//! change in any version; they serve the command line and tests. Each folder depends only on those
//! before it in this list:
//!
//! - `module`: decoding, linking, the call graph; knows nothing of bytecode.
//! - `bytecode`: the instruction set, programs, their file and text formats, the verifier.
//! - `translate`: the bytecode back end: `lower` (operand stack to slots), `inline`, `emit`.
//! - `runtime`: launches, resources, results, limits and file access, for both executors.
//! - `vm` and `gpu`: the executors, which do not know each other.
//! - `api`: [`Engine`], [`Module`] and [`Kernel`].

#![forbid(unsafe_code)]

#[cfg(any(feature = "gpu", feature = "vm"))]
mod api;
#[doc(hidden)]
pub mod bytecode;
#[cfg(feature = "compiled")]
#[doc(hidden)]
pub mod compile;
mod error;
mod escape;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod gpu;
mod module;
#[cfg(feature = "compiled")]
mod pipeline;
#[doc(hidden)]
pub mod runtime;
mod translate;
#[cfg(feature = "vm")]
#[doc(hidden)]
pub mod vm;

#[cfg(any(feature = "gpu", feature = "vm"))]
pub use api::{Engine, Kernel, Module};
pub use bytecode::{Trap, TrapCode, Type};

#[cfg(feature = "compiled")]
pub use compile::{CompileError, CompileOptions};
pub use error::{Reason, TranslateError, Warning, fold_warnings};
#[cfg(feature = "gpu")]
pub use gpu::InterpreterOptions;
#[doc(hidden)]
pub use module::ModuleId;
#[cfg(feature = "compiled")]
pub use pipeline::{CompiledOptions, NotCompiled};
pub use runtime::{
    LaunchError, LaunchOutcome, MemoryMode, Picture, ReadError, Resources, ThreadEnd, TrapError,
    Value,
};
pub use translate::TranslateOptions;
#[doc(hidden)]
pub use translate::{Global, Translation, Translator, translate};
#[cfg(feature = "vm")]
pub use vm::VmOptions;

/// The Rust examples of the document, as tests.
#[cfg(all(doctest, feature = "vm"))]
#[doc = include_str!("../../../docs/wasm-machines.md")]
struct Document;
