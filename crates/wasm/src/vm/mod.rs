//! The virtual machine: runs bytecode on the CPU.
//!
//! In: a [`Bytecode`](crate::bytecode::Bytecode) and a [`Launch`](crate::machine::Launch). Out: an
//! [`Outcome`](crate::machine::Outcome). [`Instance`] is one thread's state that stays between calls.
//!
//! Before it runs, a program is decoded once: every instruction becomes a handler function with its
//! operands apart, and each handler ends with a jump to the next one's. Results go on in registers of
//! the processor, and instructions that often come together share a handler. All of it is safe Rust.

mod allowance;
mod clock;
mod decode;
#[cfg(test)]
mod depth;
mod group;
mod handlers;
mod instance;
mod memory;
mod program;
mod room;
mod run;
mod schedule;
mod thread;
mod window;
mod world;

pub use instance::Instance;
pub use run::{Options, run, run_with};
