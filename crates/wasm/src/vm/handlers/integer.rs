//! Handlers of integer arithmetic and comparisons, also fused with branches.

use crate::bytecode::{Op, TrapCode};

use super::number::{self, Binary, Unary, binaries, comparisons, unaries};
use super::{Handler, Memory, OperandForm, OperandKinds, Source};

unaries! {
    I32Eqz(x: u32) -> bool = x == 0;
    I32Clz(x: u32) -> u32 = x.leading_zeros();
    I32Ctz(x: u32) -> u32 = x.trailing_zeros();
    I32Popcnt(x: u32) -> u32 = x.count_ones();
    I32Extend8S(x: i32) -> i32 = i32::from(x as i8);
    I32Extend16S(x: i32) -> i32 = i32::from(x as i16);
    I64Eqz(x: u64) -> bool = x == 0;
    I64Clz(x: u64) -> u64 = u64::from(x.leading_zeros());
    I64Ctz(x: u64) -> u64 = u64::from(x.trailing_zeros());
    I64Popcnt(x: u64) -> u64 = u64::from(x.count_ones());
    I64Extend8S(x: i64) -> i64 = i64::from(x as i8);
    I64Extend16S(x: i64) -> i64 = i64::from(x as i16);
    I64Extend32S(x: i64) -> i64 = i64::from(x as i32);
}

binaries! {
    binary_of binary_kinds false;
    I32Add I32AddConst(x, y: u32) -> u32 = x.wrapping_add(y);
    I32Sub(x, y: u32) -> u32 = x.wrapping_sub(y);
    I32Mul I32MulConst(x, y: u32) -> u32 = x.wrapping_mul(y);
    I32DivS(x, y: i32) -> i32 = divisor(x.checked_div(y), y == 0)?;
    I32DivU(x, y: u32) -> u32 = divisor(x.checked_div(y), true)?;
    I32RemS(x, y: i32) -> i32 = match y { 0 => Err(TrapCode::DivideByZero)?, y => x.wrapping_rem(y) };
    I32RemU(x, y: u32) -> u32 = divisor(x.checked_rem(y), true)?;
    I32And I32AndConst(x, y: u32) -> u32 = x & y;
    I32Or I32OrConst(x, y: u32) -> u32 = x | y;
    I32Xor I32XorConst(x, y: u32) -> u32 = x ^ y;
    I32Shl I32ShlConst(x, y: u32) -> u32 = x.wrapping_shl(y);
    I32ShrS I32ShrSConst(x, y: i32) -> i32 = x.wrapping_shr(y as u32);
    I32ShrU I32ShrUConst(x, y: u32) -> u32 = x.wrapping_shr(y);
    I32Rotl I32RotlConst(x, y: u32) -> u32 = x.rotate_left(y & 31);
    I32Rotr(x, y: u32) -> u32 = x.rotate_right(y & 31);
    I64Add I64AddConst(x, y: u64) -> u64 = x.wrapping_add(y);
    I64Sub(x, y: u64) -> u64 = x.wrapping_sub(y);
    I64Mul I64MulConst(x, y: u64) -> u64 = x.wrapping_mul(y);
    I64DivS(x, y: i64) -> i64 = divisor(x.checked_div(y), y == 0)?;
    I64DivU(x, y: u64) -> u64 = divisor(x.checked_div(y), true)?;
    I64RemS(x, y: i64) -> i64 = match y { 0 => Err(TrapCode::DivideByZero)?, y => x.wrapping_rem(y) };
    I64RemU(x, y: u64) -> u64 = divisor(x.checked_rem(y), true)?;
    I64And I64AndConst(x, y: u64) -> u64 = x & y;
    I64Or I64OrConst(x, y: u64) -> u64 = x | y;
    I64Xor I64XorConst(x, y: u64) -> u64 = x ^ y;
    I64Shl I64ShlConst(x, y: u64) -> u64 = x.wrapping_shl(y as u32);
    I64ShrS I64ShrSConst(x, y: i64) -> i64 = x.wrapping_shr(y as u32);
    I64ShrU I64ShrUConst(x, y: u64) -> u64 = x.wrapping_shr(y as u32);
    I64Rotl I64RotlConst(x, y: u64) -> u64 = x.rotate_left(y as u32 & 63);
    I64Rotr(x, y: u64) -> u64 = x.rotate_right(y as u32 & 63);
    I64Eq(x, y: u64) -> bool = x == y;
    I64Ne(x, y: u64) -> bool = x != y;
    I64LtS(x, y: i64) -> bool = x < y;
    I64LtU(x, y: u64) -> bool = x < y;
    I64GtS(x, y: i64) -> bool = x > y;
    I64GtU(x, y: u64) -> bool = x > y;
    I64LeS(x, y: i64) -> bool = x <= y;
    I64LeU(x, y: u64) -> bool = x <= y;
    I64GeS(x, y: i64) -> bool = x >= y;
    I64GeU(x, y: u64) -> bool = x >= y;
    I32Eq I32EqConst BrI32Eq BrI32EqConst(x, y: u32) -> bool = x == y;
    I32Ne I32NeConst BrI32Ne BrI32NeConst(x, y: u32) -> bool = x != y;
    I32LtS I32LtSConst BrI32LtS BrI32LtSConst(x, y: i32) -> bool = x < y;
    I32LtU I32LtUConst BrI32LtU BrI32LtUConst(x, y: u32) -> bool = x < y;
    I32GtS I32GtSConst BrI32GtS BrI32GtSConst(x, y: i32) -> bool = x > y;
    I32GtU I32GtUConst BrI32GtU BrI32GtUConst(x, y: u32) -> bool = x > y;
    I32LeS I32LeSConst BrI32LeS BrI32LeSConst(x, y: i32) -> bool = x <= y;
    I32LeU I32LeUConst BrI32LeU BrI32LeUConst(x, y: u32) -> bool = x <= y;
    I32GeS I32GeSConst BrI32GeS BrI32GeSConst(x, y: i32) -> bool = x >= y;
    I32GeU I32GeUConst BrI32GeU BrI32GeUConst(x, y: u32) -> bool = x >= y;
}

comparisons! { I64Eq I64Ne I64LtS I64LtU I64GtS I64GtU I64LeS I64LeU I64GeS I64GeU }

/// The handler of a loop counter: an addition, and a branch back on a comparison of the sum.
pub(in super::super) fn count_and_branch<M: Memory>(branch: Op, y: Source) -> Option<Handler<M>> {
    Some(match branch {
        Op::BrIf => number::count_and_branch_on_zero::<M, I32Ne>(),
        Op::BrIfZero => number::count_and_branch_on_zero::<M, I32Eq>(),
        Op::BrI32Eq | Op::BrI32EqConst => number::count_and_branch::<M, I32Eq>(y),
        Op::BrI32Ne | Op::BrI32NeConst => number::count_and_branch::<M, I32Ne>(y),
        Op::BrI32LtS | Op::BrI32LtSConst => number::count_and_branch::<M, I32LtS>(y),
        Op::BrI32LtU | Op::BrI32LtUConst => number::count_and_branch::<M, I32LtU>(y),
        Op::BrI32GtS | Op::BrI32GtSConst => number::count_and_branch::<M, I32GtS>(y),
        Op::BrI32GtU | Op::BrI32GtUConst => number::count_and_branch::<M, I32GtU>(y),
        Op::BrI32LeS | Op::BrI32LeSConst => number::count_and_branch::<M, I32LeS>(y),
        Op::BrI32LeU | Op::BrI32LeUConst => number::count_and_branch::<M, I32LeU>(y),
        Op::BrI32GeS | Op::BrI32GeSConst => number::count_and_branch::<M, I32GeS>(y),
        Op::BrI32GeU | Op::BrI32GeUConst => number::count_and_branch::<M, I32GeU>(y),
        _ => return None,
    })
}

/// The handler of an operation and a back edge, for the operations that end loops.
pub(in super::super) fn op_and_jump<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    match op {
        Op::I32Add | Op::I32AddConst => Some(number::op_and_jump::<M, I32Add>(form)),
        Op::I32Sub => Some(number::op_and_jump::<M, I32Sub>(form)),
        _ => None,
    }
}

/// The handler of a shift by a constant and an operation on its result and another slot, or the
/// shifted slot: common in hashes, random number generators and address computations.
pub(in super::super) fn shift_then<M: Memory>(
    shift: Op,
    op: Op,
    x: Source,
    same: bool,
) -> Option<Handler<M>> {
    Some(match (shift, op) {
        (Op::I32ShlConst, Op::I32Add) => number::shift_then::<M, _, I32Shl, I32Add>(x, same),
        (Op::I32ShlConst, Op::I32Or) => number::shift_then::<M, _, I32Shl, I32Or>(x, same),
        (Op::I32ShlConst, Op::I32Xor) => number::shift_then::<M, _, I32Shl, I32Xor>(x, same),
        (Op::I32ShrUConst, Op::I32Add) => number::shift_then::<M, _, I32ShrU, I32Add>(x, same),
        (Op::I32ShrUConst, Op::I32Or) => number::shift_then::<M, _, I32ShrU, I32Or>(x, same),
        (Op::I32ShrUConst, Op::I32Xor) => number::shift_then::<M, _, I32ShrU, I32Xor>(x, same),
        (Op::I32RotlConst, Op::I32Add) => number::shift_then::<M, _, I32Rotl, I32Add>(x, same),
        (Op::I32RotlConst, Op::I32Xor) => number::shift_then::<M, _, I32Rotl, I32Xor>(x, same),
        (Op::I64ShlConst, Op::I64Add) => number::shift_then::<M, _, I64Shl, I64Add>(x, same),
        (Op::I64ShlConst, Op::I64Or) => number::shift_then::<M, _, I64Shl, I64Or>(x, same),
        (Op::I64ShlConst, Op::I64Xor) => number::shift_then::<M, _, I64Shl, I64Xor>(x, same),
        (Op::I64ShrUConst, Op::I64Add) => number::shift_then::<M, _, I64ShrU, I64Add>(x, same),
        (Op::I64ShrUConst, Op::I64Or) => number::shift_then::<M, _, I64ShrU, I64Or>(x, same),
        (Op::I64ShrUConst, Op::I64Xor) => number::shift_then::<M, _, I64ShrU, I64Xor>(x, same),
        (Op::I64RotlConst, Op::I64Add) => number::shift_then::<M, _, I64Rotl, I64Add>(x, same),
        (Op::I64RotlConst, Op::I64Xor) => number::shift_then::<M, _, I64Rotl, I64Xor>(x, same),
        _ => return None,
    })
}

/// A quotient or remainder; if there is none, the divisor was zero or the result overflowed.
#[inline(always)]
fn divisor<T>(result: Option<T>, by_zero: bool) -> Result<T, TrapCode> {
    result.ok_or(if by_zero {
        TrapCode::DivideByZero
    } else {
        TrapCode::IntegerOverflow
    })
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    match op {
        Op::BrIf => Some(number::branch_by_zero::<M, I32Ne>(form)),
        Op::BrIfZero => Some(number::branch_by_zero::<M, I32Eq>(form)),
        _ => binary_of(op, form).or_else(|| unary_of(op, form)),
    }
}

/// The operand kinds of an opcode.
pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
    match op {
        Op::BrIf | Op::BrIfZero => Some(OperandKinds {
            y: None,
            ..I32Ne::KINDS_OF_BRANCH
        }),
        _ => binary_kinds(op).or_else(|| unary_kinds(op)),
    }
}
