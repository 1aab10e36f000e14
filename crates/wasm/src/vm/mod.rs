//! The virtual machine: a bytecode interpreter on the CPU.
//!
//! In: a [`Bytecode`](crate::bytecode::Bytecode) and a [`Launch`](crate::runtime::Launch). Out: a
//! [`LaunchOutcome`](crate::runtime::LaunchOutcome). [`Instance`] is a thread with persistent
//! state.
//!
//! Direct-threaded code: a program is decoded once, every instruction to an entry with its handler
//! function and its unpacked operands, and each handler ends with a tail call of the next entry's
//! handler. The latest results are passed in processor registers (stack caching), and frequent
//! sequences of instructions are fused into superinstructions. All of it is safe Rust.

mod alloc;
mod budget;
mod clock;
mod decode;
mod group;
mod handlers;
mod instance;
mod memory;
mod plan;
mod program;
mod provider;
mod resources;
mod run;
mod schedule;
#[cfg(test)]
mod tail_calls;
mod thread;
mod window;

pub use instance::Instance;
pub use run::{Executable, VmOptions, run, run_with};
