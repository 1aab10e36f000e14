//! Tests of kernels written in Rust: natively, on wasm32, and every function against the interpreter.

mod host;
mod layout;
mod math;
mod memory;
mod native;
mod wasm;
