//! Tests of the virtual machine with hand-written bytecode.

mod builder;
mod calls;
mod files;
mod grid;
mod instructions;
mod limits;
mod queue;
mod shared;
mod stack;
mod together;
