//! SPIR-V as text, in the notation of `spirv-as` and `spirv-dis` (`.spvasm`).
//!
//! In: text or words. Out: the other. Nothing is checked but the notation: a module that breaks rules
//! can be written and read as well as any other. What always holds: text that was made here becomes the
//! very words again, header included.
//!
//! Ids: `%5` is 5, as with `spirv-as --preserve-numeric-ids`. Names get the least numbers that no
//! `%number` takes, in the order in which they appear; so does `%0`, because 0 is no id.
//!
//! Header: comments ahead of the first instruction, as `spirv-dis` writes them, give the version and
//! the generator (as a number). Without them a module is SPIR-V 1.6 by nobody in particular.
//!
//! Raw words: `!0x1234` anywhere. Behind one the rest of the instruction is taken as it looks: numbers,
//! strings, ids, raw words. An instruction that begins with one has its own word count in it.
//! Instructions that the grammar does not know, or that do not follow it, are written this way.
//!
//! Names and grammar are those of `rspirv`. Absent: bfloat16 and 8-bit floats as numbers (their
//! constants are raw words).

mod assemble;
mod disassemble;
mod grammar;
mod literal;
mod numbers;
mod tokens;

pub use assemble::assemble;
pub use disassemble::disassemble;

/// Why text is no SPIR-V: one message that names the thing, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct AssemblyError {
    line: u32,
    column: u32,
    message: String,
}

impl AssemblyError {
    /// The line, counted from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The character in the line, counted from 1.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}
