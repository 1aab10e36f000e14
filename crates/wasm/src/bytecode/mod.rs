//! The bytecode: the target of translation, and what the executors run.
//!
//! `isa` is the instruction set, `image` a whole program, `instruction` the decoder of one
//! instruction, `trap` the trap codes. `verify` checks a program, `file` serializes it,
//! `disassemble` and `assemble` convert it to text and back, and `bindings` finds the buffers that a kernel
//! uses. Types and host functions are those of
//! `module`. Nothing here depends on WebAssembly's binary format or on an executor.

mod assemble;
mod bindings;
mod disassemble;
mod file;
mod image;
mod instruction;
mod isa;
mod trap;
mod verify;

pub use crate::escape::{escape, escape_lines};
pub use crate::module::{
    AtomicOp, FunctionType, Host, HostFunction, IMPORT_MODULES, Import, Limits, Type, import,
    imports,
};
pub use assemble::{AssembleError, assemble};
pub use bindings::{KernelBindings, ProgramBindings};
pub use disassemble::disassemble;
pub use file::{FileError, FileErrorKind, MAGIC, VERSION};
pub use image::{Bytecode, Debug, Export, Function, Position};
pub use instruction::{Instruction, InstructionError};
pub use isa::{Format, Op};
pub use trap::{Trap, TrapCode};
pub use verify::{
    ErrorLocation, MAX_FRAME, MAX_GLOBALS, MAX_TABLES, VerifyError, VerifyErrorKind, verify,
};
