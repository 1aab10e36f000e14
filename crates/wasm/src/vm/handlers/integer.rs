//! Integer arithmetic and comparisons, alone and with a branch.

use crate::bytecode::{Op, TrapCode};

use super::super::window::Slot;
use super::{
    Exit, Handler, Ins, Memory, Thread, Window, back as go_back, handlers, lead, next, trap,
};

/// Operations on one operand.
macro_rules! unary {
    ($($op:ident($x:ident: $from:ty) -> $to:ty = $result:expr;)*) => {
        handlers! {
            fn unary;
            $($op |ins, w, _t| {
                let $x = <$from>::get(w, ins.b);
                <$to>::set(w, ins.a, $result);
            };)*
        }
    };
}

unary! {
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

/// Operations on two operands, some of which also come with a constant on the right.
macro_rules! binary {
    ($($op:ident $($constant:ident)?($x:ident, $y:ident: $from:ty) -> $to:ty = $result:expr;)*) => {
        handlers! {
            fn binary;
            $($op |ins, w, _t| {
                let [$x, $y] = [<$from>::get(w, ins.b), <$from>::get(w, ins.c)];
                <$to>::set(w, ins.a, $result);
            };)*
        }
        handlers! {
            fn constant;
            $($($constant |ins, w, _t| {
                let [$x, $y] = [<$from>::get(w, ins.b), <$from>::constant(ins.imm)];
                <$to>::set(w, ins.a, $result);
            };)?)*
        }
    };
}

binary! {
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
}

/// A quotient or remainder; where there is none, the divisor was zero or the result too large.
#[inline(always)]
fn divisor<T>(result: Option<T>, by_zero: bool) -> Result<T, TrapCode> {
    result.ok_or(match by_zero {
        true => TrapCode::DivideByZero,
        false => TrapCode::IntegerOverflow,
    })
}

/// Comparisons of 32-bit integers: as a value, with a constant, and both with a branch.
macro_rules! comparisons {
    ($($op:ident $constant:ident $branch:ident $branch_constant:ident($x:ident, $y:ident: $ty:ty) = $result:expr;)*) => {
        handlers! {
            fn compare;
            $($op |ins, w, _t| {
                let [$x, $y] = [<$ty>::get(w, ins.b), <$ty>::get(w, ins.c)];
                bool::set(w, ins.a, $result);
            };)*
            $($constant |ins, w, _t| {
                let [$x, $y] = [<$ty>::get(w, ins.b), <$ty>::constant(ins.imm)];
                bool::set(w, ins.a, $result);
            };)*
        }

        /// The handler of a comparison with a branch.
        fn branch<M: Memory, const BACK: bool>(op: Op) -> Option<Handler<M>> {
            match op {
                $(Op::$branch => Some(|ins, code, pc, w, t| {
                    let [$x, $y] = [<$ty>::get(w, ins.a), <$ty>::get(w, ins.b)];
                    branch_if::<M, BACK>($result, ins, code, pc + 1, w, t)
                }),)*
                $(Op::$branch_constant => Some(|ins, code, pc, w, t| {
                    let constant = code.get(pc + 1).map_or(0, |more| more.imm);
                    let [$x, $y] = [<$ty>::get(w, ins.a), <$ty>::constant(constant)];
                    branch_if::<M, BACK>($result, ins, code, pc + 2, w, t)
                }),)*
                _ => None,
            }
        }

        /// The same with a constant in `b` and `c`.
        fn branch_short<M: Memory, const BACK: bool>(op: Op) -> Option<Handler<M>> {
            match op {
                $(Op::$branch_constant => Some(|ins, code, pc, w, t| {
                    let constant = i32::from(i16::from_le_bytes([ins.b, ins.c])) as u32;
                    let [$x, $y] = [<$ty>::get(w, ins.a), <$ty>::constant(constant)];
                    branch_if::<M, BACK>($result, ins, code, pc + 2, w, t)
                }),)*
                _ => None,
            }
        }
    };
}

comparisons! {
    I32Eq I32EqConst BrI32Eq BrI32EqConst(x, y: u32) = x == y;
    I32Ne I32NeConst BrI32Ne BrI32NeConst(x, y: u32) = x != y;
    I32LtS I32LtSConst BrI32LtS BrI32LtSConst(x, y: i32) = x < y;
    I32LtU I32LtUConst BrI32LtU BrI32LtUConst(x, y: u32) = x < y;
    I32GtS I32GtSConst BrI32GtS BrI32GtSConst(x, y: i32) = x > y;
    I32GtU I32GtUConst BrI32GtU BrI32GtUConst(x, y: u32) = x > y;
    I32LeS I32LeSConst BrI32LeS BrI32LeSConst(x, y: i32) = x <= y;
    I32LeU I32LeUConst BrI32LeU BrI32LeUConst(x, y: u32) = x <= y;
    I32GeS I32GeSConst BrI32GeS BrI32GeSConst(x, y: i32) = x >= y;
    I32GeU I32GeUConst BrI32GeU BrI32GeUConst(x, y: u32) = x >= y;
}

#[inline(always)]
fn branch_if<M: Memory, const BACK: bool>(
    taken: bool,
    ins: &Ins<M>,
    code: &[Ins<M>],
    behind: usize,
    window: &mut Window,
    thread: &mut Thread<M>,
) -> Exit {
    if !taken {
        return next(code, behind, window, thread);
    }
    match BACK {
        true => go_back(code, ins.imm as usize, window, thread),
        false => next(code, ins.imm as usize, window, thread),
    }
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    let families = [
        unary::<M, 0>,
        binary::<M, 0>,
        constant::<M, 0>,
        compare::<M, 0>,
        branch::<M, false>,
    ];
    families.iter().find_map(|family| family(op))
}

/// The handler of an opcode together with a constant before it.
pub(super) fn after<M: Memory, const LEAD: usize>(op: Op) -> Option<Handler<M>> {
    binary::<M, LEAD>(op)
}

/// The handler of a branch that goes back.
pub(super) fn back<M: Memory>(op: Op) -> Option<Handler<M>> {
    branch::<M, true>(op)
}

/// The handler of a branch by a short constant.
pub(super) fn short<M: Memory>(op: Op) -> Option<Handler<M>> {
    branch_short::<M, false>(op)
}

/// The handler of a branch back by a short constant.
pub(super) fn back_short<M: Memory>(op: Op) -> Option<Handler<M>> {
    branch_short::<M, true>(op)
}
