//! WGSL's functions on whole vectors: dot product, length, reflection, selection, bitcast.
//!
//! Sums run from the first component to the last, each step rounded to f32.

use crate::types::{Vec3f, vec3f};

use super::components::{Components, Float, Number, Spread, Vector};
use super::instructions::sqrt_f32;
use super::scalar::{NumberScalar, Word};

/// The dot product without the bound on vectors, for lengths of scalars.
#[inline]
fn sum_of_products<T: Number>(x: T, y: T) -> T::Scalar {
    // Starting with the first product keeps the sign of a zero sum.
    let first = x.component(0).multiply(y.component(0));
    (1..T::COUNT).fold(first, |sum, i| {
        sum.add(x.component(i).multiply(y.component(i)))
    })
}

/// The dot product; integers wrap.
#[inline]
#[must_use]
pub fn dot<T: Number + Vector>(x: T, y: T) -> T::Scalar {
    sum_of_products(x, y)
}

/// The length of a vector; the absolute value of a scalar.
#[inline]
#[must_use]
pub fn length<T: Float>(x: T) -> f32 {
    match T::COUNT {
        1 => x.component(0).abs(),
        _ => sqrt_f32(sum_of_products(x, x)),
    }
}

/// `length(x - y)`.
#[inline]
#[must_use]
pub fn distance<T: Float>(x: T, y: T) -> f32 {
    length(T::from_fn(|i| x.component(i) - y.component(i)))
}

/// The vector of length 1 in the same direction; NaN for the zero vector.
#[inline]
#[must_use]
pub fn normalize<T: Float + Vector>(x: T) -> T {
    let length = length(x);
    T::from_fn(|i| x.component(i) / length)
}

/// The cross product.
#[inline]
#[must_use]
pub fn cross(x: Vec3f, y: Vec3f) -> Vec3f {
    vec3f(
        x.y * y.z - x.z * y.y,
        x.z * y.x - x.x * y.z,
        x.x * y.y - x.y * y.x,
    )
}

/// `x` if `dot(incident, normal)` is negative, else `-x`.
#[inline]
#[must_use]
pub fn face_forward<T: Float + Vector>(x: T, incident: T, normal: T) -> T {
    let faces = dot(incident, normal) < 0.0;
    T::from_fn(|i| {
        let x = x.component(i);
        if faces { x } else { -x }
    })
}

/// `incident` reflected at a surface with this normal of length 1.
#[inline]
#[must_use]
pub fn reflect<T: Float + Vector>(incident: T, normal: T) -> T {
    let twice = 2.0 * dot(normal, incident);
    T::from_fn(|i| incident.component(i) - twice * normal.component(i))
}

/// `incident` refracted at a surface; zero for total internal reflection. Both vectors have length
/// 1, `eta` is the ratio of the refractive indices.
#[inline]
#[must_use]
pub fn refract<T: Float + Vector>(incident: T, normal: T, eta: f32) -> T {
    let cosine = dot(normal, incident);
    let k = 1.0 - eta * eta * (1.0 - cosine * cosine);
    if k < 0.0 {
        return T::from_fn(|_| 0.0);
    }
    let along = eta * cosine + sqrt_f32(k);
    T::from_fn(|i| eta * incident.component(i) - along * normal.component(i))
}

/// Whether all components are true.
#[inline]
#[must_use]
pub fn all<T: Components<Scalar = bool>>(x: T) -> bool {
    (0..T::COUNT).all(|i| x.component(i))
}

/// Whether at least one component is true.
#[inline]
#[must_use]
pub fn any<T: Components<Scalar = bool>>(x: T) -> bool {
    (0..T::COUNT).any(|i| x.component(i))
}

/// `if_true` in the components where `condition` is true, else `if_false`. The condition is one
/// bool, or a bool for each component.
///
/// ```
/// use gpu_sdk::{select, vec2b, vec2i};
///
/// assert_eq!(select(1.0, 2.0, true), 2.0);
/// assert_eq!(select(vec2i(1, 2), vec2i(3, 4), false), vec2i(1, 2));
/// assert_eq!(select(vec2i(1, 2), vec2i(3, 4), vec2b(false, true)), vec2i(1, 4));
/// ```
#[inline]
#[must_use]
pub fn select<T: Components>(if_false: T, if_true: T, condition: impl Spread<T::Mask>) -> T {
    let condition = condition.spread();
    T::from_fn(|i| {
        let chosen = if condition.component(i) {
            if_true
        } else {
            if_false
        };
        chosen.component(i)
    })
}

/// Reinterprets the bits as another type with the same number of components.
///
/// ```
/// assert_eq!(gpu_sdk::bitcast::<u32>(1.0), 0x3f80_0000);
/// ```
#[inline]
#[must_use]
pub fn bitcast<To: Number>(from: impl Number<Floats = To::Floats>) -> To {
    To::from_fn(|i| Word::from_word(from.component(i).to_word()))
}
