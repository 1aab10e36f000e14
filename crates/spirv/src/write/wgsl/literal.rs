//! Literals that mean exactly one value of exactly one type.
//!
//! `i32` and `f32` carry no suffix: a lone literal without one becomes just these, and next to
//! anything of a concrete type it takes that type, which in a valid module is the same. Every
//! other type is spelled out. What does not occur: infinities and NaN, which naga refuses.

use std::fmt::Write;

use anywarp_program::naga::{Literal, ScalarKind, Scalar};

/// Appends the literal; `false` where it has no spelling (an abstract type).
pub(super) fn push(literal: Literal, out: &mut String) -> bool {
    // Writing into a string cannot fail.
    let _ = match literal {
        Literal::Bool(value) => write!(out, "{value}"),
        Literal::I32(value) => write!(out, "{value}"),
        Literal::U32(value) => write!(out, "{value}u"),
        Literal::F32(value) => return push_f32(value, out),
        Literal::F16(value) => write!(out, "{:?}h", f32::from(value)),
        Literal::F64(value) => write!(out, "{value:?}lf"),
        Literal::U64(value) => write!(out, "{value}lu"),
        // The digits of the least number do not fit before the sign is applied.
        Literal::I64(i64::MIN) => write!(out, "i64({} - 1)", i64::MIN + 1),
        Literal::I64(value) => write!(out, "{value}li"),
        Literal::U16(value) => write!(out, "u16({value})"),
        Literal::I16(value) => write!(out, "i16({value})"),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return false,
    };
    true
}

/// Without a suffix the digits are first read as `f64`. Where rounding twice would give another
/// number the suffix stays, so that they are read as `f32` at once.
fn push_f32(value: f32, out: &mut String) -> bool {
    let start = out.len();
    let _ = write!(out, "{value:?}");
    let exact = out[start..]
        .parse::<f64>()
        .is_ok_and(|wide| (wide as f32).to_bits() == value.to_bits());
    if !exact {
        out.push('f');
    }
    true
}

/// Whether the literal starts with a minus, and so is a unary expression.
pub(super) fn is_negative(literal: Literal) -> bool {
    match literal {
        Literal::I32(value) => value < 0,
        Literal::F32(value) => value.is_sign_negative(),
        Literal::F16(value) => value.is_sign_negative(),
        Literal::F64(value) => value.is_sign_negative(),
        Literal::I64(value) => value < 0 && value != i64::MIN,
        _ => false,
    }
}

/// The zero of a scalar type; `None` for abstract ones.
pub(super) fn zero(scalar: Scalar) -> Option<&'static str> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "false",
        (ScalarKind::Sint, 4) => "0",
        (ScalarKind::Uint, 4) => "0u",
        (ScalarKind::Float, 4) => "0.0",
        (ScalarKind::Float, 2) => "0.0h",
        (ScalarKind::Float, 8) => "0.0lf",
        (ScalarKind::Sint, 8) => "0li",
        (ScalarKind::Uint, 8) => "0lu",
        (ScalarKind::Sint, 2) => "i16(0)",
        (ScalarKind::Uint, 2) => "u16(0)",
        _ => return None,
    })
}
