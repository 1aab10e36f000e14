//! How far the builtin functions of one `f32` are from the exact result, for every number there is.
//!
//! In: [`Function`]s and [`Inputs`]. Out: a [`Measured`] for each: the largest error, where it is, and every input
//! whose result is outside of WGSL's bound. What runs is machine code, at every width that this machine has; the widths
//! must agree to the bit, but for functions that begin with an estimate of the machine's ([`Function::is_estimated`]). The reference is the same function of `f64`, whose own error is about 2^-28 of a unit of `f32`.
//!
//! Beyond WGSL, which leaves them open: where the exact result is not a number, or infinite, so must be the result,
//! and angles of any size have the bound of those from -pi to pi.

mod functions;
mod machine;
mod measure;

pub use functions::{FUNCTIONS, Function};
pub use measure::{Inputs, Measured, Trouble, measure};
