//! One source, three ways: runs the kernels of `examples/kernels` natively under a dispatch, on the virtual machine,
//! and on the interpreter of a wgpu device.
//!
//! In: a [`Case`], the kernels' module, a device. Out: the result of each way as words, for bitwise comparison.

#![forbid(unsafe_code)]

mod case;
mod data;
mod module;
mod native;

pub use case::{CASES, Case, Data};
pub use module::{device, on_engine};
pub use native::native;

use std::path::PathBuf;

use anywarp_build::{BuildError, STACK, build};

/// The result of a way: the words of the picture, or of the buffer that the kernel writes.
pub type Words = Vec<u32>;

/// Compiles the kernels for wasm32.
///
/// # Errors
///
/// If the compiler or its target is missing.
pub fn kernels() -> Result<PathBuf, BuildError> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels");
    build(folder.as_ref(), STACK)
}
