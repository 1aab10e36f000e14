//! Inputs and outputs of entry points.
//!
//! SPIR-V keeps them in variables of the module, WGSL in parameters and results. The variables become
//! private ones with the same type (pseudo-inputs and pseudo-outputs), the module's entry function
//! becomes an *inner function* without parameters, and a *wrapper* becomes the entry point: it copies
//! its parameters into the pseudo-inputs, calls the inner function, and returns the pseudo-outputs in a
//! struct. Bitcasts go in between where a builtin has another sign in WGSL.

mod builtins;
mod lanes;
mod leaves;
mod masks;
mod modes;
pub(super) mod uniform;
mod wrapper;
