//! WGSL's operators as functions, for cases where Rust's operators panic or differ.
//!
//! Rust's `+`, `-` and `*` panic on overflow in debug builds, `/` and `%` on a zero divisor, and
//! shifts by 32 and more; WGSL defines them all. Rust's `%` on floats is exact, WGSL's is computed
//! in three rounded steps. Rust's cast from a float to an integer saturates at the largest integer,
//! WGSL's at the largest integer that is representable as a float.
//!
//! ```
//! use gpu_sdk::operators::{add, divide, remainder, to_i32};
//!
//! assert_eq!(add(i32::MAX, 1), i32::MIN);
//! assert_eq!(divide(7u32, 0), 7);
//! assert_eq!(remainder(-7.5, 2.0), -1.5);
//! assert_eq!((to_i32(-1.9), to_i32(1e10)), (-1, 0x7fff_ff80));
//! ```

use super::components::{Components, Float, Integer, Number, Signed};
use super::scalar::{IntegerScalar, NumberScalar, SignedScalar, Word};

macro_rules! operators {
    ($( $(#[$doc:meta])* fn $name:ident<$values:ident>($($argument:ident),*) = $scalar:expr; )*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: $values>($($argument: T),*) -> T {
            T::from_fn(|i| $scalar($($argument.component(i)),*))
        }
    )* };
}

operators! {
    /// `x + y`; integers wrap.
    fn add<Number>(x, y) = NumberScalar::add;
    /// `x - y`; integers wrap.
    fn subtract<Number>(x, y) = NumberScalar::subtract;
    /// `x * y`, component by component; integers wrap.
    fn multiply<Number>(x, y) = NumberScalar::multiply;
    /// `x / y`; for integers `x` if `y` is zero; the smallest integer divided by -1 is itself.
    fn divide<Number>(x, y) = NumberScalar::divide;
    /// `x % y`; for integers zero if `y` is zero; for floats `x - y * trunc(x / y)`.
    fn remainder<Number>(x, y) = NumberScalar::remainder;
    /// `-x`; the smallest integer stays itself.
    fn negate<Signed>(x) = SignedScalar::negate;
}

/// `x << count`, the count modulo 32.
#[inline]
#[must_use]
pub fn shift_left<T: Integer>(x: T, count: T::Uints) -> T {
    T::from_fn(|i| {
        let word = x.component(i).to_word();
        Word::from_word(word.wrapping_shl(count.component(i)))
    })
}

/// `x >> count`, the count modulo 32; i32 keeps its sign.
#[inline]
#[must_use]
pub fn shift_right<T: Integer>(x: T, count: T::Uints) -> T {
    T::from_fn(|i| x.component(i).shift_right(count.component(i)))
}

/// `i32(x)`: truncated, and clamped to the integers that are representable as f32; 0 for NaN.
#[inline]
#[must_use]
pub fn to_i32<T: Float>(x: T) -> T::Ints {
    const MAX: f32 = 2_147_483_520.0;
    Components::from_fn(|i| clamp_above(x.component(i), MAX) as i32)
}

/// `u32(x)`: truncated, and clamped to the integers that are representable as f32; 0 for NaN.
#[inline]
#[must_use]
pub fn to_u32<T: Float>(x: T) -> T::Uints {
    const MAX: f32 = 4_294_967_040.0;
    Components::from_fn(|i| clamp_above(x.component(i), MAX) as u32)
}

/// NaN is preserved, unlike with `min`.
fn clamp_above(x: f32, max: f32) -> f32 {
    if x > max { max } else { x }
}
