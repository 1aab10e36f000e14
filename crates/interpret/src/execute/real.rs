//! Float types: their representation in registers, and the Rust type in which they are computed.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::bytecode::Number;

use super::number;

/// A Rust float type in which results are computed.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Into<f64>
{
    const ZERO: Self;
    const ONE: Self;

    /// Rounded to this type.
    fn of(x: f64) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn trunc(self) -> Self;

    fn is_nan(self) -> bool {
        self.partial_cmp(&self).is_none()
    }
}

macro_rules! real {
    ($($float:ident)*) => {$(
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            fn of(x: f64) -> Self {
                x as $float
            }
            fn abs(self) -> Self {
                $float::abs(self)
            }
            fn sqrt(self) -> Self {
                $float::sqrt(self)
            }
            fn trunc(self) -> Self {
                $float::trunc(self)
            }
        }
    )*};
}

real! { f32 f64 }

/// A float type of WGSL.
pub(super) trait Float {
    type Real: Real;
    /// The integer type of its exponents in `frexp`, as naga defines it.
    const EXPONENT: Number;

    /// Value `index` of those that begin at `first`.
    fn get(r: &[u32], first: usize, index: usize) -> Self::Real;

    /// Rounds again if the type has fewer bits than the computation.
    fn put(r: &mut [u32], first: usize, index: usize, value: Self::Real);
}

/// Computed in `f32`.
pub(super) struct F32;
/// Computed in `f64`, so each result is rounded once.
pub(super) struct F16;
/// Computed in `f64`.
pub(super) struct F64;

impl Float for F32 {
    type Real = f32;
    const EXPONENT: Number = Number::I32;

    fn get(r: &[u32], first: usize, index: usize) -> f32 {
        f32::from_bits(r[first + index])
    }

    fn put(r: &mut [u32], first: usize, index: usize, value: f32) {
        r[first + index] = value.to_bits();
    }
}

macro_rules! through_f64 {
    ($($float:ident $exponent:ident)*) => {$(
        impl Float for $float {
            type Real = f64;
            const EXPONENT: Number = Number::$exponent;

            fn get(r: &[u32], first: usize, index: usize) -> f64 {
                number::float(r, Number::$float, first, index)
            }

            fn put(r: &mut [u32], first: usize, index: usize, value: f64) {
                number::put_float(r, Number::$float, first, index, value);
            }
        }
    )*};
}

through_f64! { F16 I16 F64 I64 }
