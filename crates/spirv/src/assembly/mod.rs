//! Assembler and disassembler for the text syntax of `spirv-as` and `spirv-dis` (`.spvasm`).
//!
//! In: text or words. Out: the other of the two. Only the syntax is checked: invalid modules can be assembled and
//! disassembled too. What always holds: assembling disassembled text gives the same words, header included.
//!
//! Ids: `%5` is id 5, as with `spirv-as --preserve-numeric-ids`. Names get the smallest numbers that do not occur as
//! `%number`, in order of appearance; so does `%0`, because 0 is not a valid id.
//!
//! Header: comments before the first instruction, as `spirv-dis` writes them, give the version and the generator (as a
//! number). The defaults are SPIR-V 1.6 and generator 0.
//!
//! Raw words: `!0x1234` anywhere. After a raw word the rest of the instruction is encoded without the grammar: numbers,
//! strings, ids, raw words. An instruction that begins with a raw word contains its word count in that word.
//! Instructions that are unknown or do not follow the grammar are disassembled this way.
//!
//! Names and grammar are those of `rspirv`. Not supported: bfloat16 and 8-bit floats as numbers (constants of these
//! types are raw words).

mod assemble;
mod disassemble;
mod grammar;
mod literal;
mod numeric_types;
mod tokens;

pub use assemble::assemble;
pub use disassemble::disassemble;

/// A syntax error in assembly text: its message and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct AssemblyError {
    line: u32,
    column: u32,
    message: String,
}

impl AssemblyError {
    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}
