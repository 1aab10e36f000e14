//! Handlers of numeric conversions.

use crate::bytecode::{Op, TrapCode};

use super::number::{self, Unary, unaries};
use super::{Handler, Memory, OperandForm, OperandKinds};

unaries! {
    I64ExtendI32S(x: i32) -> i64 = i64::from(x);
    I64ExtendI32U(x: u32) -> u64 = u64::from(x);
    I32TruncF32S(x: f32) -> i32 = range(f64::from(x), -2_147_483_649.0, 2_147_483_648.0)? as i32;
    I32TruncF32U(x: f32) -> u32 = range(f64::from(x), -1.0, 4_294_967_296.0)? as u32;
    I32TruncF64S(x: f64) -> i32 = range(x, -2_147_483_649.0, 2_147_483_648.0)? as i32;
    I32TruncF64U(x: f64) -> u32 = range(x, -1.0, 4_294_967_296.0)? as u32;
    I64TruncF32S(x: f32) -> i64 = range(f64::from(x), BELOW_I64, -I64_MIN)? as i64;
    I64TruncF32U(x: f32) -> u64 = range(f64::from(x), -1.0, -2.0 * I64_MIN)? as u64;
    I64TruncF64S(x: f64) -> i64 = range(x, BELOW_I64, -I64_MIN)? as i64;
    I64TruncF64U(x: f64) -> u64 = range(x, -1.0, -2.0 * I64_MIN)? as u64;
    I32TruncSatF32S(x: f32) -> i32 = x as i32;
    I32TruncSatF32U(x: f32) -> u32 = x as u32;
    I32TruncSatF64S(x: f64) -> i32 = x as i32;
    I32TruncSatF64U(x: f64) -> u32 = x as u32;
    I64TruncSatF32S(x: f32) -> i64 = x as i64;
    I64TruncSatF32U(x: f32) -> u64 = x as u64;
    I64TruncSatF64S(x: f64) -> i64 = x as i64;
    I64TruncSatF64U(x: f64) -> u64 = x as u64;
    F32ConvertI32S(x: i32) -> f32 = x as f32;
    F32ConvertI32U(x: u32) -> f32 = x as f32;
    F32ConvertI64S(x: i64) -> f32 = x as f32;
    F32ConvertI64U(x: u64) -> f32 = x as f32;
    F64ConvertI32S(x: i32) -> f64 = f64::from(x);
    F64ConvertI32U(x: u32) -> f64 = f64::from(x);
    F64ConvertI64S(x: i64) -> f64 = x as f64;
    F64ConvertI64U(x: u64) -> f64 = x as f64;
    F32DemoteF64(x: f64) -> f32 = if x.is_nan() { f32::from_bits(0x7fc0_0000) } else { x as f32 };
    F64PromoteF32(x: f32) -> f64 = if x.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { f64::from(x) };
}

const I64_MIN: f64 = i64::MIN as f64;

/// The largest `f64` below `i64::MIN`.
const BELOW_I64: f64 = -9_223_372_036_854_777_856.0;

/// The number, if it is strictly between two bounds; else a trap. Every `f32` is exact as an `f64`.
#[inline(always)]
fn range(x: f64, above: f64, below: f64) -> Result<f64, TrapCode> {
    if x > above && x < below {
        Ok(x)
    } else if x.is_nan() {
        Err(TrapCode::InvalidConversion)
    } else {
        Err(TrapCode::IntegerOverflow)
    }
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    unary_of(op, form)
}

/// The operand kinds of an opcode.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    unary_kinds(op)
}
