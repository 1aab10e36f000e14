//! The bytecode program that the executors run.
//!
//! An executor needs only the fields here; `debug` maps code to source positions. What always holds
//! for a program that [`verify`](super::verify()) accepted: every jump targets an instruction of the
//! same function, every slot lies in the function's frame, and every index is in range.
//!
//! # Calls
//!
//! A frame is a window into the thread's stack of slots (register windows). A function's parameters
//! are its first slots; it leaves its results there too. `call f` with base `b` makes slot `b` of
//! the caller slot 0 of the callee. Slots `b - 2` and `b - 1` of the caller hold the return address
//! and the caller's frame position. The first frame of a thread begins at slot 2 of its stack, with
//! return address 0: word 0 of the code is `end`.

use super::{FunctionType, Limits};

/// A bytecode program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytecode {
    /// The instructions of all functions. Word 0 is `end`.
    pub code: Vec<u32>,
    /// The functions. A function reference is an index into this list plus 1; 0 is null.
    pub functions: Vec<Function>,
    /// The function types that `call_indirect` names, in no particular order. No type occurs twice.
    pub types: Vec<FunctionType>,
    /// The memories. Host functions take addresses in memory 0.
    pub memories: Vec<Limits>,
    /// The tables of references.
    pub tables: Vec<Limits>,
    /// Slots of all globals. They are zero until the `init` functions set them.
    pub globals: u32,
    /// The data segments.
    pub data: Vec<Vec<u8>>,
    /// The element segments: lists of references.
    pub elements: Vec<Vec<u32>>,
    /// The functions that a launch can name.
    pub exports: Vec<Export>,
    /// For each module in order, the function that initializes its globals, tables and memories and
    /// runs its start function; without parameters and results.
    pub inits: Vec<u32>,
    /// The global slot of the stack pointer of memory 0, if known.
    pub stack_pointer: Option<u32>,
    /// The address range of static variables in memory 0, which also addresses workgroup memory:
    /// first, and one past the last. Empty if unknown.
    pub statics: [u32; 2],
    /// Source positions.
    pub debug: Debug,
}

/// A function's code range and frame size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Index of its first code word.
    pub entry: u32,
    /// Index one past its last code word.
    pub end: u32,
    /// Slots of its frame, the two link slots and the base of every callee window included.
    pub frame: u32,
    /// Index of its type.
    pub type_index: u32,
}

/// An exported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Index of the module that exports it, as in [`Bytecode::inits`].
    pub module: u32,
    /// Export name.
    pub name: String,
    /// Index of the function.
    pub function: u32,
    /// Index of the launch stub, which calls every `inits` function and then this one: the entry
    /// point of a thread with a fresh instance.
    pub launch: u32,
}

/// Debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debug {
    /// Names of source functions.
    pub names: Vec<String>,
    /// Source positions, sorted by word. Each applies to the code from its word on.
    pub positions: Vec<Position>,
}

/// The source position of a range of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The first code word of the range.
    pub word: u32,
    /// Index into [`Debug::names`] of the function that the code was inlined from.
    pub name: u32,
    /// Byte offset of the instruction in its module.
    pub offset: u32,
}
