//! WGSL's builtin functions, for scalars and vectors, with WGSL's results.
//!
//! In: f32, i32, u32, bool and vectors and matrices of them. What always holds: results equal those
//! of the reference evaluator bit for bit, except NaN payloads, natively and on wasm32; nothing
//! panics for any arguments.
//!
//! Names are WGSL's in Rust's spelling: `inverseSqrt` is [`inverse_sqrt`], `pack4x8unorm` stays
//! [`pack4x8unorm`].
//!
//! ```
//! use gpu_sdk::{Vec3f, clamp, first_leading_bit, mix, round, sin, vec3f};
//!
//! assert_eq!(sin(0.0), 0.0);
//! assert_eq!(round(vec3f(0.5, 1.5, -2.5)), vec3f(0.0, 2.0, -2.0));
//! assert_eq!(mix(Vec3f::ZERO, vec3f(1.0, 2.0, 4.0), 0.5), vec3f(0.5, 1.0, 2.0));
//! assert_eq!(clamp(7, 9, 1), 1);
//! assert_eq!(first_leading_bit(0), -1);
//! ```

mod bits;
mod components;
mod componentwise;
mod float;
mod geometric;
mod instructions;
mod matrix;
pub mod operators;
mod packing;
mod parts;
mod scalar;

pub use bits::{
    count_leading_zeros, count_one_bits, count_trailing_zeros, extract_bits, first_leading_bit,
    first_trailing_bit, insert_bits, reverse_bits,
};
pub use components::{Components, Float, Integer, Number, Signed, Spread, Vector};
pub use componentwise::{
    abs, acos, acosh, asin, asinh, atan, atan2, atanh, ceil, clamp, cos, cosh, degrees, exp, exp2,
    floor, fma, fract, inverse_sqrt, log, log2, max, min, mix, pow, quantize_to_f16, radians,
    round, saturate, sign, sin, sinh, smoothstep, sqrt, step, tan, tanh, trunc,
};
pub use geometric::{
    all, any, bitcast, cross, distance, dot, face_forward, length, normalize, reflect, refract,
    select,
};
pub use matrix::{Matrix, determinant, transpose};
pub use packing::{
    dot4_i8_packed, dot4_u8_packed, pack2x16float, pack2x16snorm, pack2x16unorm, pack4x_i8,
    pack4x_i8_clamp, pack4x_u8, pack4x_u8_clamp, pack4x8snorm, pack4x8unorm, unpack2x16float,
    unpack2x16snorm, unpack2x16unorm, unpack4x_i8, unpack4x_u8, unpack4x8snorm, unpack4x8unorm,
};
pub use parts::{Frexp, Modf, frexp, ldexp, modf};
pub use scalar::{IntegerScalar, NumberScalar, SignedScalar, Word};
