//! Functions that decompose floats or compose them: `frexp`, `modf`, `ldexp`.

use super::components::{Components, Float};
use super::float;

/// The result of [`frexp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frexp<T: Float> {
    /// The fraction in [0.5, 1), with the sign of the argument.
    pub fract: T,
    /// The exponent, so that the argument is `ldexp(fract, exp)`.
    pub exp: T::Ints,
}

/// The result of [`modf`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modf<T: Float> {
    /// The fraction, with the sign of the argument.
    pub fract: T,
    /// The integer part, with the sign of the argument.
    pub whole: T,
}

/// Fraction and exponent; `(x, 0)` for zeros, infinities and NaN.
#[inline]
#[must_use]
pub fn frexp<T: Float>(x: T) -> Frexp<T> {
    Frexp {
        fract: T::from_fn(|i| float::frexp(x.component(i)).0),
        exp: T::Ints::from_fn(|i| float::frexp(x.component(i)).1),
    }
}

/// Fractional and integer part.
#[inline]
#[must_use]
pub fn modf<T: Float>(x: T) -> Modf<T> {
    Modf {
        fract: T::from_fn(|i| float::modf(x.component(i)).0),
        whole: T::from_fn(|i| float::modf(x.component(i)).1),
    }
}

/// `x * 2^exponent`, rounded once.
#[inline]
#[must_use]
pub fn ldexp<T: Float>(x: T, exponent: T::Ints) -> T {
    T::from_fn(|i| float::ldexp(x.component(i), exponent.component(i)))
}
