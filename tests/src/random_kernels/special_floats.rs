//! `min`, `max` and `clamp` of NaN, infinities and zeros of both signs, as functions of integers.
//!
//! WGSL leaves open what these functions return for NaN, and which of two zeros, so only our executors get them: their
//! results agree. Each function makes a float of the low bits of its argument and returns the bits of the result, or of
//! one NaN.

use super::types::{Scalar, Type};

/// Functions of the float `s`, with another one, `t`, and the type `F` of both.
const TABLE: &[(&str, &str)] = &[
    ("special_min", "min(s, F(0.5))"),
    ("special_max", "max(F(-0.5), s)"),
    ("special_min_of_zero", "min(s, F(0.0))"),
    ("special_max_of_zero", "max(F(0.0), s)"),
    ("special_clamp", "clamp(s, F(-1.0), F(1.0))"),
    ("special_saturate", "saturate(s)"),
    ("special_min_of_two", "min(s, t)"),
    ("special_max_of_two", "max(s, t)"),
    ("special_clamp_between", "clamp(t, min(s, F(0.0)), F(2.0))"),
];

/// The functions for a type.
pub(crate) fn functions_of(ty: &Type) -> Vec<&'static str> {
    match ty {
        Type::Scalar(Scalar::U32) | Type::Vector(Scalar::U32, _) => {
            TABLE.iter().map(|(name, _)| *name).collect()
        }
        _ => Vec::new(),
    }
}

/// The WGSL text of a function for a type, if it is one of these.
pub(crate) fn text(function: &str, ty: &Type) -> Option<String> {
    let (_, body) = TABLE.iter().find(|(name, _)| *name == function)?;
    let float = match ty {
        Type::Vector(_, width) => Type::Vector(Scalar::F32, *width),
        _ => Type::Scalar(Scalar::F32),
    };
    let body = body.replace("F(", &format!("{float}("));
    // Zeros, NaN, infinities and large numbers of both signs.
    let special = |x: &str| {
        format!("bitcast<{float}>(((({x}) & {ty}(3u)) * {ty}(0x7fc00000u)) ^ (({x}) << {ty}(31u)))")
    };
    let (name, s, t) = (ty.word(), special("x"), special(&format!("x >> {ty}(2u)")));
    Some(format!(
        "fn {function}_{name}(x: {ty}) -> {ty} {{\n    let s = {s};\n    let t = {t};\n    let r = {body};\n    \
         return select(bitcast<{ty}>(r), {ty}(0x7fc00000u), r != r);\n}}\n"
    ))
}
