//! A translated program: what the machines run.
//!
//! Everything a machine needs is in the fields; the `debug` part only names places. What always
//! holds for one that [`verify`](super::verify) accepted: every jump lands on an instruction of the
//! same function, every slot lies in the function's frame, and every number names something.
//!
//! # Calls
//!
//! A frame is a window of slots. A function's parameters are its first slots; it leaves its results
//! there too. `call f` with base `b` makes slot `b` of the caller slot 0 of the callee. Slots `b - 2`
//! and `b - 1` of the caller take the return position and the caller's frame position. A thread that
//! begins has its frame at slot 2 of its stack and position 0 as where it returns to: word 0 of the
//! code is `end`.

use super::host::Type;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytecode {
    /// The instructions of all functions. Word 0 is `end`.
    pub code: Vec<u32>,
    /// The functions. A reference to one is its number here plus 1.
    pub functions: Vec<Function>,
    /// The function types that `call_indirect` names, in no particular order. Equal types have equal
    /// numbers.
    pub types: Vec<FunctionType>,
    /// The memories. Memory 0 is the one whose addresses host functions take.
    pub memories: Vec<Limits>,
    /// The tables of references.
    pub tables: Vec<Limits>,
    /// Slots of all globals together; zero at first, set by `init` functions.
    pub globals: u32,
    /// The data segments.
    pub data: Vec<Vec<u8>>,
    /// The element segments: references.
    pub elements: Vec<Vec<u32>>,
    /// What can be run.
    pub exports: Vec<Export>,
    /// The function that sets globals, tables and memories up and runs the start function; without
    /// parameters and results. One for each module, in order.
    pub inits: Vec<u32>,
    /// The slot of the global that holds the stack pointer of memory 0, where it is known.
    pub stack_pointer: Option<u32>,
    /// The addresses of statics in memory 0, first and one past the last, which stand for workgroup
    /// memory; empty where they are not known.
    pub statics: [u32; 2],
    /// Names of places.
    pub debug: Debug,
}

/// A function's place and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its first word in the code.
    pub entry: u32,
    /// One past its last word.
    pub end: u32,
    /// Slots of its frame, all of its windows' bases and their two slots included.
    pub frame: u32,
    /// Its type's number.
    pub type_index: u32,
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Parameters.
    pub params: Vec<Type>,
    /// Results.
    pub results: Vec<Type>,
}

/// The size of a memory in pages of 64 KiB, or of a table in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At first.
    pub initial: u32,
    /// At most.
    pub maximum: Option<u32>,
}

/// A function that can be run from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Which module it is of, counted like `inits`.
    pub module: u32,
    /// Its name.
    pub name: String,
    /// The function.
    pub function: u32,
    /// The same preceded by a call of every `inits` function: what a fresh thread runs.
    pub launch: u32,
}

/// Where code comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debug {
    /// Names of source functions; positions refer to these.
    pub names: Vec<String>,
    /// Sorted by word: from this word on, code comes from there.
    pub positions: Vec<Position>,
}

/// Where a piece of code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The first word of the piece.
    pub word: u32,
    /// The function in [`Debug::names`], also where it was inlined.
    pub name: u32,
    /// Byte offset of the instruction in its module.
    pub offset: u32,
}
