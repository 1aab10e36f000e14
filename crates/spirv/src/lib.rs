//! SPIR-V and WGSL, exactly.
#![forbid(unsafe_code)]

mod error;
mod module;
mod read;

pub use error::{Fault, ReadError, SourceLine};
