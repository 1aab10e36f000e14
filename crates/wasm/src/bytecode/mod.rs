//! The bytecode: what WebAssembly is translated to, and what the machines run.
//!
//! `isa` is the instruction set, `host` what kernels ask their host for, `image` a whole program,
//! `trap` why a thread stopped. `verify` checks a program, `file` stores it, `disassemble` and
//! `assemble` turn it into text and back, `escape` makes names fit for a terminal. Nothing here knows WebAssembly's binary format or any machine.

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
pub use file::{FileError, FileFault, MAGIC, VERSION};
pub use host::{AtomicOp, Host, Import, MODULES, Meaning, Type, import, imports};
pub use image::{Bytecode, Debug, Export, Function, FunctionType, Limits, Position};
pub use instruction::{Instruction, InstructionError};
pub use isa::{Format, Op};
pub use trap::{Trap, TrapCode};
pub use verify::{Fault, MAX_FRAME, MAX_GLOBALS, MAX_TABLES, Place, VerifyError, verify};
