//! WebAssembly as kernels: a module is translated to a compact bytecode, which a virtual machine on
//! the CPU and an interpreter on any wgpu device run over a grid of threads.

#![forbid(unsafe_code)]

pub mod bytecode;
mod callgraph;
mod decode;
mod emit;
mod error;
mod fatal;
pub mod gpu;
mod inline;
mod ir;
mod link;
mod lower;
pub mod machine;
mod translate;
pub mod vm;

pub use error::{Reason, TranslateError, Warning, fold_warnings};
pub use link::{Global, Linker, ModuleId};
pub use translate::{Options, Translation, translate};
