//! The bytecode: the target of translation, and what the executors run.
//!
//! `isa` is the instruction set, `host` the host interface, `image` a whole program, `instruction`
//! the decoder of one instruction, `trap` the trap codes. `verify` checks a program, `file`
//! serializes it, `disassemble` and `assemble` convert it to text and back, `escape` makes
//! untrusted names safe for terminals. Nothing here depends on WebAssembly's binary format or on an
//! executor.

mod assemble;
mod disassemble;
mod escape;
mod file;
mod host;
mod image;
mod instruction;
mod isa;
mod trap;
mod verify;

pub use assemble::{AssembleError, assemble};
pub use disassemble::disassemble;
pub use escape::{escape, escape_lines};
pub use file::{FileError, FileErrorKind, MAGIC, VERSION};
pub use host::{AtomicOp, Host, IMPORT_MODULES, Import, ImportLowering, Type, import, imports};
pub use image::{Bytecode, Debug, Export, Function, FunctionType, Limits, Position};
pub use instruction::{Instruction, InstructionError};
pub use isa::{Format, Op};
pub use trap::{Trap, TrapCode};
pub use verify::{
    ErrorLocation, MAX_FRAME, MAX_GLOBALS, MAX_TABLES, VerifyError, VerifyErrorKind, verify,
};
