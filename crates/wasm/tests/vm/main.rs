//! The virtual machine, by programs written by hand.

mod builder;
mod calls;
