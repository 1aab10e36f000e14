//! Subgroup operations with results that do not depend on the subgroup size.
//!
//! How invocations form subgroups is the device's choice, so a kernel may only use results that are the same for all
//! choices: functions that use subgroup operations and return their argument. They run in any control flow, and give
//! wrong results if the execution mask has a lane too many or too few.

use super::types::{Scalar, Type};

/// Functions that return their argument, with the types that it may have.
const TABLE: &[(&str, &[Scalar], &str)] = &[
    ("lane_min", NUMBERS, "max(x, subgroupMin(x))"),
    ("lane_max", NUMBERS, "min(x, subgroupMax(x))"),
    (
        "lane_add",
        NUMBERS,
        "subgroupInclusiveAdd(x) - subgroupExclusiveAdd(x)",
    ),
    ("lane_and", INTEGERS, "x | subgroupAnd(x)"),
    ("lane_or", INTEGERS, "x & subgroupOr(x)"),
    ("lane_xor", INTEGERS, "x ^ subgroupXor(x) ^ subgroupXor(x)"),
    ("lane_swap", NUMBERS, "subgroupShuffleXor(x, 0u)"),
    ("lane_up", NUMBERS, "subgroupShuffleUp(x, 0u)"),
    ("lane_down", NUMBERS, "subgroupShuffleDown(x, 0u)"),
    ("lane_any", &[Scalar::Bool], "x && subgroupAny(x)"),
    ("lane_all", &[Scalar::Bool], "x || subgroupAll(x)"),
    (
        "lane_ballot",
        &[Scalar::Bool],
        "x && any(subgroupBallot(x) != vec4<u32>())",
    ),
];

const NUMBERS: &[Scalar] = &[Scalar::I32, Scalar::U32, Scalar::F32];
const INTEGERS: &[Scalar] = &[Scalar::I32, Scalar::U32];

/// The functions for a type.
pub(crate) fn functions_of(ty: &Type) -> Vec<&'static str> {
    let fits = |scalars: &[Scalar]| match ty {
        Type::Scalar(scalar) => scalars.contains(scalar),
        Type::Vector(scalar, _) => scalars.contains(scalar) && *scalar != Scalar::Bool,
        _ => false,
    };
    let rows = TABLE.iter().filter(|(_, scalars, _)| fits(scalars));
    rows.map(|(name, ..)| *name).collect()
}

/// The WGSL text of a function for a type.
pub(crate) fn text(function: &str, ty: &Type) -> String {
    let row = TABLE.iter().find(|(name, ..)| *name == function);
    let body = row.map_or("x", |(_, _, body)| *body);
    let name = ty.word();
    format!("fn {function}_{name}(x: {ty}) -> {ty} {{ return {body}; }}\n")
}
