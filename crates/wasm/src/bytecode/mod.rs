//! The bytecode: what WebAssembly is translated to, and what the machines run.
//!
//! `isa` is the instruction set, `host` what kernels ask their host for, `image` a whole program,
//! `trap` why a thread stopped. Nothing here knows WebAssembly's binary format or any machine.

mod host;
mod image;
mod isa;
mod trap;

pub use host::{AtomicOp, Host, Import, MODULES, Meaning, Type, import, imports};
pub use image::{Bytecode, Debug, Export, Function, FunctionType, Limits, Position};
pub use isa::{Format, Op};
pub use trap::{Trap, TrapCode};
