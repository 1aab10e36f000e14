//! Scalar functions in f64.
//!
//! Transcendental functions are those of `libm`, which gives the same bits on every machine.

use naga::MathFunction;

use crate::bytecode::{Binary, Ternary, Unary};
use crate::execute::float;

/// A transcendental function of one number or of two; `None` for any other function.
pub fn transcendental(function: MathFunction, x: f64, y: f64) -> Option<f64> {
    use MathFunction as F;
    let op = match function {
        F::Pow => return Some(binary(Binary::Pow, x, y)),
        F::Atan2 => return Some(binary(Binary::Atan2, x, y)),
        F::Cos => Unary::Cos,
        F::Sin => Unary::Sin,
        F::Tan => Unary::Tan,
        F::Acos => Unary::Acos,
        F::Asin => Unary::Asin,
        F::Atan => Unary::Atan,
        F::Cosh => Unary::Cosh,
        F::Sinh => Unary::Sinh,
        F::Tanh => Unary::Tanh,
        F::Acosh => Unary::Acosh,
        F::Asinh => Unary::Asinh,
        F::Atanh => Unary::Atanh,
        F::Exp => Unary::Exp,
        F::Exp2 => Unary::Exp2,
        F::Log => Unary::Log,
        F::Log2 => Unary::Log2,
        _ => return None,
    };
    Some(unary(op, x))
}

pub(super) fn unary(op: Unary, x: f64) -> f64 {
    use Unary as U;
    match op {
        U::NegF32 => -x,
        U::Abs => x.abs(),
        U::Saturate => float::clamp(x, 0.0, 1.0),
        U::Sign => float::sign(x),
        U::Ceil => x.ceil(),
        U::Floor => x.floor(),
        U::Round => x.round_ties_even(),
        U::Trunc => x.trunc(),
        U::Fract => x - x.floor(),
        U::Sqrt => x.sqrt(),
        U::InverseSqrt => 1.0 / x.sqrt(),
        U::Radians => x * (std::f64::consts::PI / 180.0),
        U::Degrees => x * (180.0 / std::f64::consts::PI),
        U::Cos => libm::cos(x),
        U::Sin => libm::sin(x),
        U::Tan => libm::tan(x),
        U::Acos => libm::acos(x),
        U::Asin => libm::asin(x),
        U::Atan => libm::atan(x),
        U::Cosh => libm::cosh(x),
        U::Sinh => libm::sinh(x),
        U::Tanh => libm::tanh(x),
        U::Acosh => libm::acosh(x),
        U::Asinh => libm::asinh(x),
        U::Atanh => libm::atanh(x),
        U::Exp => libm::exp(x),
        U::Exp2 => libm::exp2(x),
        U::Log => libm::log(x),
        U::Log2 => libm::log2(x),
        _ => unreachable!("{op:?} is not of floats"),
    }
}

pub(super) fn binary(op: Binary, x: f64, y: f64) -> f64 {
    use Binary as B;
    match op {
        B::AddF32 => x + y,
        B::SubF32 => x - y,
        B::MulF32 => x * y,
        B::DivF32 => x / y,
        B::RemF32 => float::remainder(x, y),
        B::MinF32 => float::min(x, y),
        B::MaxF32 => float::max(x, y),
        B::Atan2 => libm::atan2(x, y),
        B::Pow => float::pow(x, y),
        B::Step => f64::from(u8::from(x <= y)),
        _ => unreachable!("{op:?} is not of two floats"),
    }
}

/// The result of a comparison; `None` if the operation is not a comparison.
pub(super) fn compare(op: Binary, x: f64, y: f64) -> Option<bool> {
    use Binary as B;
    Some(match op {
        B::EqualF32 => x == y,
        B::NotEqualF32 => x != y,
        B::LessF32 => x < y,
        B::LessEqualF32 => x <= y,
        _ => return None,
    })
}

pub(super) fn ternary(op: Ternary, x: f64, y: f64, z: f64) -> f64 {
    match op {
        Ternary::Fma => libm::fma(x, y, z),
        Ternary::Mix => x * (1.0 - z) + y * z,
        Ternary::SmoothStep => float::smooth_step(x, y, z),
        Ternary::ClampF32 => float::clamp(x, y, z),
        _ => unreachable!("{op:?} is not of three floats"),
    }
}
