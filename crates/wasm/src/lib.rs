//! WebAssembly as kernels: a module is translated to a compact bytecode, which a virtual machine on
//! the CPU and an interpreter on any wgpu device run over a grid of threads.

#![forbid(unsafe_code)]

pub mod bytecode;
pub mod gpu;
pub mod machine;
pub mod vm;
