//! Handlers of float arithmetic and comparisons, with the semantics of IEEE 754 and WebAssembly.
//!
//! A NaN result of arithmetic is always the canonical NaN, so that every host gives the same bits;
//! `abs`, `neg` and `copysign` only change the sign.

use crate::bytecode::{Op, TrapCode};

use super::number::{self, Binary, Unary, binaries, comparisons, unaries};
use super::{Handler, Memory, OperandForm, OperandKinds};

unaries! {
    sign_of sign_kinds false;
    F32Abs(x: f32) -> f32 = x.abs();
    F32Neg(x: f32) -> f32 = -x;
    F64Abs(x: f64) -> f64 = x.abs();
    F64Neg(x: f64) -> f64 = -x;
}

unaries! {
    rounding_of rounding_kinds true;
    F32Ceil(x: f32) -> f32 = x.ceil();
    F32Floor(x: f32) -> f32 = x.floor();
    F32Trunc(x: f32) -> f32 = x.trunc();
    F32Nearest(x: f32) -> f32 = x.round_ties_even();
    F32Sqrt(x: f32) -> f32 = x.sqrt();
    F64Ceil(x: f64) -> f64 = x.ceil();
    F64Floor(x: f64) -> f64 = x.floor();
    F64Trunc(x: f64) -> f64 = x.trunc();
    F64Nearest(x: f64) -> f64 = x.round_ties_even();
    F64Sqrt(x: f64) -> f64 = x.sqrt();
}

binaries! {
    arithmetic_of arithmetic_kinds true;
    F32Add(x, y: f32) -> f32 = x + y;
    F32Sub(x, y: f32) -> f32 = x - y;
    F32Mul(x, y: f32) -> f32 = x * y;
    F32Div(x, y: f32) -> f32 = x / y;
    F32Min(x, y: f32) -> f32 = match () {
        () if x == y => f32::from_bits(x.to_bits() | y.to_bits()),
        () if x < y => x,
        () if x > y => y,
        () => f32::NAN,
    };
    F32Max(x, y: f32) -> f32 = match () {
        () if x == y => f32::from_bits(x.to_bits() & y.to_bits()),
        () if x > y => x,
        () if x < y => y,
        () => f32::NAN,
    };
    F64Add(x, y: f64) -> f64 = x + y;
    F64Sub(x, y: f64) -> f64 = x - y;
    F64Mul(x, y: f64) -> f64 = x * y;
    F64Div(x, y: f64) -> f64 = x / y;
    F64Min(x, y: f64) -> f64 = match () {
        () if x == y => f64::from_bits(x.to_bits() | y.to_bits()),
        () if x < y => x,
        () if x > y => y,
        () => f64::NAN,
    };
    F64Max(x, y: f64) -> f64 = match () {
        () if x == y => f64::from_bits(x.to_bits() & y.to_bits()),
        () if x > y => x,
        () if x < y => y,
        () => f64::NAN,
    };
}

binaries! {
    compare_of compare_kinds false;
    F32Eq(x, y: f32) -> bool = x == y;
    F32Ne(x, y: f32) -> bool = x != y;
    F32Lt(x, y: f32) -> bool = x < y;
    F32Gt(x, y: f32) -> bool = x > y;
    F32Le(x, y: f32) -> bool = x <= y;
    F32Ge(x, y: f32) -> bool = x >= y;
    F32Copysign(x, y: f32) -> f32 = x.copysign(y);
    F64Eq(x, y: f64) -> bool = x == y;
    F64Ne(x, y: f64) -> bool = x != y;
    F64Lt(x, y: f64) -> bool = x < y;
    F64Gt(x, y: f64) -> bool = x > y;
    F64Le(x, y: f64) -> bool = x <= y;
    F64Ge(x, y: f64) -> bool = x >= y;
    F64Copysign(x, y: f64) -> f64 = x.copysign(y);
}

comparisons! { F32Eq F32Ne F32Lt F32Gt F32Le F32Ge F64Eq F64Ne F64Lt F64Gt F64Le F64Ge }

/// Whether an operation is commutative.
pub(in super::super) fn commutes(op: Op) -> bool {
    matches!(op, Op::F32Add | Op::F32Mul | Op::F64Add | Op::F64Mul)
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    let families = [sign_of, rounding_of, arithmetic_of, compare_of];
    families.iter().find_map(|family| family(op, form))
}

/// The operand kinds of an opcode.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    let families = [sign_kinds, rounding_kinds, arithmetic_kinds, compare_kinds];
    families.iter().find_map(|family| family(op))
}
