//! Componentwise functions, defined by one table.

use super::components::{Float, Number, Signed, Spread};
use super::float::{self, through_f64};
use super::instructions;
use super::scalar::{NumberScalar, SignedScalar};

/// Syntax: `fn name<bound>(arguments) = scalar function;`
macro_rules! componentwise {
    ($(
        $(#[$doc:meta])*
        fn $name:ident<$values:ident>($($argument:ident),*) = $scalar:expr;
    )*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: $values>($($argument: T),*) -> T {
            T::from_fn(|i| $scalar($($argument.component(i)),*))
        }
    )* };
}

componentwise! {
    /// The absolute value; that of the smallest i32 is itself.
    fn abs<Number>(x) = NumberScalar::abs;
    /// The minimum; if one operand is NaN, the other one.
    fn min<Number>(x, y) = NumberScalar::min;
    /// The maximum; if one operand is NaN, the other one.
    fn max<Number>(x, y) = NumberScalar::max;
    /// `min(max(x, low), high)`, defined even where `low > high`.
    fn clamp<Number>(x, low, high) = NumberScalar::clamp;
    /// -1, 0 or 1; 0 for NaN.
    fn sign<Signed>(x) = SignedScalar::sign;

    /// `clamp(x, 0.0, 1.0)`.
    fn saturate<Float>(x) = float::saturate;
    /// The smallest whole number not below `x`.
    fn ceil<Float>(x) = instructions::ceil;
    /// The largest whole number not above `x`.
    fn floor<Float>(x) = instructions::floor;
    /// The nearest whole number, ties to even.
    fn round<Float>(x) = instructions::round_ties_even;
    /// `x` rounded towards zero.
    fn trunc<Float>(x) = instructions::trunc;
    /// `x - floor(x)`, which is 1.0 for tiny negative numbers.
    fn fract<Float>(x) = float::fract;

    /// The square root.
    fn sqrt<Float>(x) = instructions::sqrt_f32;
    /// One divided by the square root.
    fn inverse_sqrt<Float>(x) = float::inverse_sqrt;
    /// `x * y + z`, rounded once.
    fn fma<Float>(x, y, z) = instructions::mul_add;
    /// Degrees as radians.
    fn radians<Float>(x) = float::radians;
    /// Radians as degrees.
    fn degrees<Float>(x) = float::degrees;
    /// `x` rounded to f16 and back.
    fn quantize_to_f16<Float>(x) = float::quantize_to_f16;
    /// 0.0 below `edge`, else 1.0.
    fn step<Float>(edge, x) = float::step;
    /// From 0.0 at `low` to 1.0 at `high`, smoothly.
    fn smoothstep<Float>(low, high, x) = float::smoothstep;

    /// The cosine of an angle in radians.
    fn cos<Float>(x) = through_f64(libm::cos);
    /// The sine of an angle in radians.
    fn sin<Float>(x) = through_f64(libm::sin);
    /// The tangent of an angle in radians.
    fn tan<Float>(x) = through_f64(libm::tan);
    /// The angle with this cosine; NaN beyond 1.
    fn acos<Float>(x) = through_f64(libm::acos);
    /// The angle with this sine; NaN beyond 1.
    fn asin<Float>(x) = through_f64(libm::asin);
    /// The angle with this tangent.
    fn atan<Float>(x) = through_f64(libm::atan);
    /// The angle of the point (`x`, `y`).
    fn atan2<Float>(y, x) = float::atan2;
    /// The hyperbolic cosine.
    fn cosh<Float>(x) = through_f64(libm::cosh);
    /// The hyperbolic sine.
    fn sinh<Float>(x) = through_f64(libm::sinh);
    /// The hyperbolic tangent.
    fn tanh<Float>(x) = through_f64(libm::tanh);
    /// The inverse hyperbolic cosine; NaN below 1.
    fn acosh<Float>(x) = through_f64(libm::acosh);
    /// The inverse hyperbolic sine.
    fn asinh<Float>(x) = through_f64(libm::asinh);
    /// The inverse hyperbolic tangent; NaN beyond 1.
    fn atanh<Float>(x) = through_f64(libm::atanh);
    /// e to the power of `x`.
    fn exp<Float>(x) = through_f64(libm::exp);
    /// 2 to the power of `x`.
    fn exp2<Float>(x) = through_f64(libm::exp2);
    /// The natural logarithm.
    fn log<Float>(x) = through_f64(libm::log);
    /// The logarithm to base 2.
    fn log2<Float>(x) = through_f64(libm::log2);
    /// `x` to the power of `y`; NaN for a negative base.
    fn pow<Float>(x, y) = float::pow;
}

/// Linear interpolation: `x * (1 - t) + y * t`; `t` is like `x`, or one f32 for all components.
#[inline]
#[must_use]
pub fn mix<T: Float>(x: T, y: T, t: impl Spread<T>) -> T {
    let t = t.spread();
    T::from_fn(|i| float::mix(x.component(i), y.component(i), t.component(i)))
}
