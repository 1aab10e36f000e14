//! SPIR-V and WGSL, exactly.
#![forbid(unsafe_code)]

mod error;
mod module;
mod read;
mod write;

use anywarp_program::Program;

pub use error::{Fault, ReadError, SourceLine};
pub use read::ReadOptions;
pub use write::{Dialect, WgslOptions, WriteError, write_wgsl};
pub use write::{Discard, SpirvError, SpirvOptions, write_spirv};

/// Reads SPIR-V.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Program, ReadError> {
    let words = module::words(bytes)?;
    let spirv = module::Module::parse(&words)?;
    let module = read::read(&spirv, options)?;
    Program::from_module(module).map_err(|error| ReadError::refused(&error))
}
