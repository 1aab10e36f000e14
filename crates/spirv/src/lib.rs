//! SPIR-V and WGSL, exactly.
#![forbid(unsafe_code)]

mod assembly;
mod bindings;
mod error;
mod maps;
mod module;
mod read;
mod refused;
mod write;

use anywarp_program::Program;

pub use assembly::{AssemblyError, assemble, disassemble};
pub use bindings::{BindingPoint, Bindings, BindingsError, MappedBinding};
pub use error::{ErrorKind, ReadError, SourceLine};
pub use read::ReadOptions;
pub use write::{Dialect, WgslOptions, WriteError, write_wgsl};
pub use write::{Discard, SpirvError, SpirvOptions, write_spirv};

/// What a SPIR-V module became.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program, validated.
    pub program: Program,
    /// Bindings of the module that are not one to one those of the program.
    pub bindings: Bindings,
}

/// The words of a SPIR-V file, which may have either order of bytes.
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, ReadError> {
    module::words(bytes)
}

/// Reads SPIR-V, as a file has it.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Parsed, ReadError> {
    read_words(&words(bytes)?, options)
}

/// Reads SPIR-V as a module that nobody has validated yet, for callers who do that themselves.
pub fn read_module(
    words: &[u32],
    options: &ReadOptions,
) -> Result<(naga::Module, Bindings), ReadError> {
    let spirv = module::Module::parse(words)?;
    read::read(&spirv, options)
}

/// Reads SPIR-V.
pub fn read_words(words: &[u32], options: &ReadOptions) -> Result<Parsed, ReadError> {
    let (module, bindings) = read_module(words, options)?;
    let program =
        Program::from_module(module).map_err(|error| refused::refused(&error, words, options))?;
    write::survey(&program);
    Ok(Parsed { program, bindings })
}
