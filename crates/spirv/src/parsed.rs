//! The reader's entry points.
//!
//! In: bytes or words of a module. Out: [`Parsed`], whose program naga has validated, or the naga module without
//! validation.

use anywarp_program::{Program, naga};

use crate::bindings::Bindings;
use crate::error::ReadError;
use crate::file::words;
use crate::module::Module;
use crate::read::{self, ReadOptions};
use crate::validation_error::locate_validation_error;

/// A program read from SPIR-V.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program, validated.
    pub program: Program,
    /// The bindings of the module that are not mapped to themselves.
    pub bindings: Bindings,
}

/// Reads the bytes of a SPIR-V file and validates the result.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Parsed, ReadError> {
    read_words(&words(bytes)?, options)
}

/// Reads SPIR-V words as a naga module without validation, for callers that validate it themselves.
pub fn read_module(
    words: &[u32],
    options: &ReadOptions,
) -> Result<(naga::Module, Bindings), ReadError> {
    let spirv = Module::parse(words)?;
    read::read(&spirv, options)
}

/// Reads SPIR-V words and validates the result.
pub fn read_words(words: &[u32], options: &ReadOptions) -> Result<Parsed, ReadError> {
    let (module, bindings) = read_module(words, options)?;
    let program = Program::from_module(module)
        .map_err(|error| locate_validation_error(&error, words, options))?;
    Ok(Parsed { program, bindings })
}
