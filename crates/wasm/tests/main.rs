//! Tests of the translation, the virtual machine and the GPU interpreter.

mod api;
mod bytecode;
mod compiled;
mod document;
mod engines;
mod gpu;
mod hostile;
mod layers;
mod official;
mod panics;
mod random;
mod requests;
mod translate;
mod vm;
