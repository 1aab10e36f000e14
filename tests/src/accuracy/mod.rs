//! Measures the accuracy of the builtin functions of one `f32`, for all 2^32 arguments.
//!
//! In: [`BuiltinFunction`]s and [`Inputs`]. Out: a [`AccuracyReport`] for each: the largest error, its argument, and every
//! argument with a result outside WGSL's bound. The machine code runs at every vector width of this CPU; the widths
//! must agree bit for bit, except for functions that start from the CPU's reciprocal-square-root or reciprocal
//! estimate ([`BuiltinFunction::is_estimated`]). The reference is the same function of `f64`, which has an error of about
//! 2^-28 ULP of `f32`.
//!
//! Stricter than WGSL: where the exact result is NaN or infinite, the result must be so too, and angles of any size
//! have the bound of those from -pi to pi.

mod functions;
mod machine;
mod measure;

pub use functions::{BuiltinFunction, FUNCTIONS};
pub use measure::{AccuracyReport, Inputs, Measurement, measure};
