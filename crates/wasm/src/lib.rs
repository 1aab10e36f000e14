//! WebAssembly as GPU kernels.
//!
//! In: one or more WebAssembly modules. Out: a compact bytecode program, and the results of running
//! it over a grid of threads. Two executors run the bytecode: a virtual machine on the CPU ([`vm`])
//! and an interpreter in WGSL on any wgpu device ([`gpu`]).
//!
//! The translation pipeline: `decode` (parse and validate), `lower` (operand stack to slots),
//! `callgraph` and `noreturn` (recursion checks), `inline`, `emit` (bytecode), with `link` around
//! all of them. [`runtime`] holds what the two executors share.

#![forbid(unsafe_code)]

pub mod bytecode;
mod callgraph;
mod decode;
mod emit;
mod error;
pub mod gpu;
mod inline;
mod ir;
mod link;
mod lower;
mod noreturn;
pub mod runtime;
mod translate;
pub mod vm;

pub use error::{Reason, TranslateError, Warning, fold_warnings};
pub use link::{Global, Linker, ModuleId};
pub use translate::{TranslateOptions, Translation, translate};
