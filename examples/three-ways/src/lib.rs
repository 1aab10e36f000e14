//! One source, three ways: the kernels of `examples/kernels` run natively under a dispatch, on the
//! virtual machine, and on the interpreter of a wgpu device.
//!
//! In: a [`Case`], the kernels' module, a device. Out: what each way left behind, as words, to be
//! compared bit by bit.

#![forbid(unsafe_code)]

mod case;
mod module;
mod native;

pub use case::{CASES, Case, Data};
pub use module::{device, interpreted, virtual_machine};
pub use native::native;

use std::path::PathBuf;

use anywarp::build::{BuildError, STACK, build};

/// What a way leaves behind: the words of the picture, or of the buffer that the kernel writes.
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
