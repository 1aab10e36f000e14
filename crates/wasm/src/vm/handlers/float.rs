//! Float arithmetic and comparisons, as IEEE 754 and WebAssembly have them.
//!
//! A NaN that an operation makes is the canonical one, so that every computer gives the same bits;
//! `abs`, `neg` and `copysign` only touch the sign.

use crate::bytecode::{Op, TrapCode};

use super::super::window::Slot;
use super::{Exit, Handler, Ins, Memory, Thread, Window, handlers, lead, next, trap};

/// Replaces a NaN. Apart and rare, so that results need not wait for the question.
#[cold]
#[inline(never)]
fn canonical<T: Slot>(window: &mut Window, slot: u8, nan: T) {
    T::set(window, slot, nan);
}

/// Operations of both widths, from one table each.
macro_rules! floats {
    ($find:ident $float:ident $bits:ident $nan:literal;
     sign { $($sign:ident($s:ident) = $sign_result:expr;)* }
     unary { $($unary:ident($u:ident) = $unary_result:expr;)* }
     binary { $($binary:ident($x:ident, $y:ident) = $binary_result:expr;)* }
     compare { $($compare:ident($v:ident, $w:ident) = $compare_result:expr;)* }
     copysign $copysign:ident;) => {
        handlers! {
            /// The handler of an opcode of one width.
            pub(super) fn $find;
            $($sign |ins, w, _t| {
                let $s = $bits::get(w, ins.b);
                $bits::set(w, ins.a, $sign_result);
            };)*
            $($unary |ins, w, _t| {
                let $u = $float::get(w, ins.b);
                let result: $float = $unary_result;
                $float::set(w, ins.a, result);
                if result.is_nan() {
                    canonical::<$bits>(w, ins.a, $nan);
                }
            };)*
            $($binary |ins, w, _t| {
                let [$x, $y] = [$float::get(w, ins.b), $float::get(w, ins.c)];
                let result: $float = $binary_result;
                $float::set(w, ins.a, result);
                if result.is_nan() {
                    canonical::<$bits>(w, ins.a, $nan);
                }
            };)*
            $($compare |ins, w, _t| {
                let [$v, $w] = [$float::get(w, ins.b), $float::get(w, ins.c)];
                bool::set(w, ins.a, $compare_result);
            };)*
            $copysign |ins, w, _t| {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let [x, y] = [$bits::get(w, ins.b), $bits::get(w, ins.c)];
                $bits::set(w, ins.a, x & !SIGN | y & SIGN);
            };
        }
    };
}

floats! {
    single f32 u32 0x7fc0_0000;
    sign {
        F32Abs(x) = x & 0x7fff_ffff;
        F32Neg(x) = x ^ 0x8000_0000;
    }
    unary {
        F32Ceil(x) = x.ceil();
        F32Floor(x) = x.floor();
        F32Trunc(x) = x.trunc();
        F32Nearest(x) = x.round_ties_even();
        F32Sqrt(x) = x.sqrt();
    }
    binary {
        F32Add(x, y) = x + y;
        F32Sub(x, y) = x - y;
        F32Mul(x, y) = x * y;
        F32Div(x, y) = x / y;
        F32Min(x, y) = match () {
            () if x == y => f32::from_bits(x.to_bits() | y.to_bits()),
            () if x < y => x,
            () if x > y => y,
            () => f32::NAN,
        };
        F32Max(x, y) = match () {
            () if x == y => f32::from_bits(x.to_bits() & y.to_bits()),
            () if x > y => x,
            () if x < y => y,
            () => f32::NAN,
        };
    }
    compare {
        F32Eq(x, y) = x == y;
        F32Ne(x, y) = x != y;
        F32Lt(x, y) = x < y;
        F32Gt(x, y) = x > y;
        F32Le(x, y) = x <= y;
        F32Ge(x, y) = x >= y;
    }
    copysign F32Copysign;
}

floats! {
    double f64 u64 0x7ff8_0000_0000_0000;
    sign {
        F64Abs(x) = x & !(1 << 63);
        F64Neg(x) = x ^ 1 << 63;
    }
    unary {
        F64Ceil(x) = x.ceil();
        F64Floor(x) = x.floor();
        F64Trunc(x) = x.trunc();
        F64Nearest(x) = x.round_ties_even();
        F64Sqrt(x) = x.sqrt();
    }
    binary {
        F64Add(x, y) = x + y;
        F64Sub(x, y) = x - y;
        F64Mul(x, y) = x * y;
        F64Div(x, y) = x / y;
        F64Min(x, y) = match () {
            () if x == y => f64::from_bits(x.to_bits() | y.to_bits()),
            () if x < y => x,
            () if x > y => y,
            () => f64::NAN,
        };
        F64Max(x, y) = match () {
            () if x == y => f64::from_bits(x.to_bits() & y.to_bits()),
            () if x > y => x,
            () if x < y => y,
            () => f64::NAN,
        };
    }
    compare {
        F64Eq(x, y) = x == y;
        F64Ne(x, y) = x != y;
        F64Lt(x, y) = x < y;
        F64Gt(x, y) = x > y;
        F64Le(x, y) = x <= y;
        F64Ge(x, y) = x >= y;
    }
    copysign F64Copysign;
}

/// The handler of an opcode.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    single::<M, 0>(op).or_else(|| double::<M, 0>(op))
}
