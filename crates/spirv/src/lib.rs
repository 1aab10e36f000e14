//! SPIR-V and WGSL, exactly.
#![forbid(unsafe_code)]

mod error;
mod module;
mod write;

pub use error::{Fault, ReadError, SourceLine};
pub use write::{Dialect, WgslOptions, WriteError, write_wgsl};
