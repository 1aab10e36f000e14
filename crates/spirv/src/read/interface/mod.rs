//! The interface of entry points: inputs, outputs and execution modes.
//!
//! SPIR-V has inputs and outputs in module variables, WGSL in parameters and results. The variables become private
//! variables of the same type (pseudo-inputs and pseudo-outputs), the entry function becomes an *inner function*
//! without parameters, and a *wrapper* becomes the entry point: it copies its parameters to the pseudo-inputs, calls
//! the inner function, and returns the pseudo-outputs in a struct. Builtins with another signedness in WGSL are
//! bitcast in the wrapper.

mod builtins;
mod lanes;
mod leaves;
mod masks;
mod modes;
pub(super) mod uniform;
mod wrapper;
