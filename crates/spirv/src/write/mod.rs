//! Writers: WGSL text and SPIR-V words from a program.
//!
//! In: a validated [`Program`](anywarp_program::Program). Out: text or words. What always holds: the output has the
//! semantics of the program, or an error names the construct that cannot be expressed and its declaration.

mod error;
mod spirv;
mod threads;
mod wgsl;

use anywarp_program::operands;
pub use error::WriteError;
pub(crate) use spirv::survey;
pub use spirv::{Discard, SpirvError, SpirvOptions, write_spirv};
pub use wgsl::{Dialect, WgslOptions, write_wgsl};
