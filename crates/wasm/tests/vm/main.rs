//! The virtual machine, by programs written by hand.

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
