//! Expressions on numbers: the representation of a scalar, operators, and builtin functions by type.
//!
//! A `scalar` is a constant, a uniform word, an affine index (`affine`) or lanes. `operator` and `math` dispatch on the
//! type (`number`); types other than 32 bits have a module each, which builds their operations from 32-bit instructions.

mod affine;
pub(in crate::lower) mod float16;
pub(in crate::lower) mod float64;
pub(in crate::lower) mod geometric;
pub(in crate::lower) mod integer16;
pub(in crate::lower) mod integer64;
pub(in crate::lower) mod math;
pub(in crate::lower) mod matrix;
pub(in crate::lower) mod number;
pub(in crate::lower) mod operator;
pub(in crate::lower) mod packing;
pub(in crate::lower) mod scalar;
pub(in crate::lower) mod transcendental;
