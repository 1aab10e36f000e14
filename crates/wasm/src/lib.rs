//! WebAssembly as GPU kernels.
//!
//! In: one or more WebAssembly modules. Out: a compact bytecode program, and the results of running
//! it over a grid of threads. Two executors run the bytecode: a virtual machine on the CPU ([`vm`])
//! and an interpreter in WGSL on any wgpu device ([`gpu`]).
//!
//! Each folder depends only on those before it in this list:
//!
//! - `module`: decoding, linking, the call graph; knows nothing of bytecode.
//! - [`bytecode`]: the instruction set, programs, their file and text formats, the verifier.
//! - `compile`: the bytecode back end: `lower` (operand stack to slots), `inline`, `emit`.
//! - [`runtime`]: launches, resources, results, limits and file access, for both executors.
//! - [`vm`] and [`gpu`]: the executors, which do not know each other.

#![forbid(unsafe_code)]

pub mod bytecode;
mod compile;
mod error;
mod escape;
#[cfg(feature = "gpu")]
pub mod gpu;
mod module;
pub mod runtime;
mod translate;
#[cfg(feature = "vm")]
pub mod vm;

pub use compile::{Global, Linker};
pub use error::{Reason, TranslateError, Warning, fold_warnings};
pub use module::ModuleId;
pub use translate::{TranslateOptions, Translation, translate};
