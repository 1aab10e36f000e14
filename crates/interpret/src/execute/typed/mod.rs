//! Operations on 16-bit and 64-bit numbers.
//!
//! Integers are computed in 128 bits, which hold every exact result or its low bits, and wrapped. Floats are
//! computed in `f64`, and 16-bit ones are rounded once.

mod float;
mod integer;

use super::real::{F16, F64};
use super::{geometric, matrix, number};
use crate::bytecode::{Binary, Number, Reg, Ternary, TypedOp, Unary};
pub use float::transcendental;

#[inline(never)]
pub(super) fn run(r: &mut [u32], of: Number, op: TypedOp, n: u8, dst: Reg, args: [Reg; 4]) {
    let n = usize::from(n);
    let dst = dst as usize;
    let args = args.map(|arg| arg as usize);
    let [a, b, c, _] = args;
    match op {
        TypedOp::Convert(to) => (0..n).for_each(|i| number::convert(r, [of, to], [a, dst], i)),
        TypedOp::ToIndex => {
            for i in 0..n {
                let index = u32::try_from(number::integer(r, of, a, i));
                r[dst + i] = index.unwrap_or(u32::MAX);
            }
        }
        TypedOp::Ternary(Ternary::Select) => select(r, of.words() as usize, n, dst, [a, b, c]),
        TypedOp::Geometric(op) if of == Number::F16 => {
            geometric::run::<F16>(r, op, n, dst, [a, b, c]);
        }
        TypedOp::Geometric(op) if of == Number::F64 => {
            geometric::run::<F64>(r, op, n, dst, [a, b, c]);
        }
        TypedOp::Matrix { op, columns, rows } if of == Number::F16 => {
            matrix::run::<F16>(r, op, (columns, rows), dst, [a, b]);
        }
        TypedOp::Matrix { op, columns, rows } => {
            matrix::run::<F64>(r, op, (columns, rows), dst, [a, b]);
        }
        TypedOp::Geometric(_) => integer::dot(r, of, n, dst, [a, b]),
        TypedOp::InsertBits => integer::insert_bits(r, of, n, dst, args),
        TypedOp::Unary(op) => (0..n).for_each(|i| unary(r, of, op, dst, a, i)),
        TypedOp::Binary(op) => (0..n).for_each(|i| binary(r, of, op, dst, [a, b], i)),
        TypedOp::Ternary(op) => (0..n).for_each(|i| ternary(r, of, op, dst, [a, b, c], i)),
    }
}

/// `a` where `c` is set, else `b`, for values of any type.
fn select(r: &mut [u32], words: usize, n: usize, dst: usize, [a, b, c]: [usize; 3]) {
    for i in 0..n {
        let chosen = if r[c + i] != 0 { a } else { b } + i * words;
        r.copy_within(chosen..chosen + words, dst + i * words);
    }
}

fn unary(r: &mut [u32], of: Number, op: Unary, dst: usize, a: usize, i: usize) {
    if !of.is_float() {
        let x = number::integer(r, of, a, i);
        number::put_integer(r, of, dst, i, integer::unary(op, x, of));
        return;
    }
    let x = number::float(r, of, a, i);
    match op {
        Unary::IsNan => r[dst + i] = u32::from(x.is_nan()),
        Unary::IsInf => r[dst + i] = u32::from(x.is_infinite()),
        _ => number::put_float(r, of, dst, i, float::unary(op, x)),
    }
}

fn binary(r: &mut [u32], of: Number, op: Binary, dst: usize, [a, b]: [usize; 2], i: usize) {
    use Binary as B;
    if of.is_float() {
        let x = number::float(r, of, a, i);
        if op == B::Ldexp {
            let exponent = r[b + i] as i32;
            return number::put_float(r, of, dst, i, libm::ldexp(x, exponent));
        }
        let y = number::float(r, of, b, i);
        match float::compare(op, x, y) {
            Some(holds) => r[dst + i] = u32::from(holds),
            None => number::put_float(r, of, dst, i, float::binary(op, x, y)),
        }
        return;
    }
    let x = number::integer(r, of, a, i);
    if let B::ShiftLeft | B::ShiftRightI32 | B::ShiftRightU32 = op {
        let shifted = integer::shift(op, x, r[b + i] % of.bits());
        return number::put_integer(r, of, dst, i, shifted);
    }
    let y = number::integer(r, of, b, i);
    match integer::compare(op, x, y) {
        Some(holds) => r[dst + i] = u32::from(holds),
        None => number::put_integer(r, of, dst, i, integer::binary(op, x, y)),
    }
}

fn ternary(r: &mut [u32], of: Number, op: Ternary, dst: usize, [a, b, c]: [usize; 3], i: usize) {
    if of.is_float() {
        let [x, y, z] = [a, b, c].map(|arg| number::float(r, of, arg, i));
        return number::put_float(r, of, dst, i, float::ternary(op, x, y, z));
    }
    let x = number::integer(r, of, a, i);
    let value = match op {
        Ternary::ExtractBitsI32 | Ternary::ExtractBitsU32 => {
            integer::extract_bits(x, of, r[b + i], r[c + i])
        }
        // WGSL's definition of clamp, which is the only other one of integers.
        _ => {
            let [low, high] = [b, c].map(|arg| number::integer(r, of, arg, i));
            x.max(low).min(high)
        }
    };
    number::put_integer(r, of, dst, i, value);
}
