//! Integers of any width, computed in 128 bits and wrapped to the type.

use crate::bytecode::{Binary, Number, Unary};
use crate::execute::number;

/// The bits of a value, zero-extended.
fn pattern(x: i128, of: Number) -> u64 {
    x as u64 & u64::MAX >> (64 - of.bits())
}

/// Index of the highest set bit; -1 for zero.
fn first_leading_bit(x: u64) -> i128 {
    63 - i128::from(x.leading_zeros())
}

pub(super) fn unary(op: Unary, x: i128, of: Number) -> i128 {
    let bits = pattern(x, of);
    let unused = 64 - of.bits();
    match op {
        Unary::NegI32 => -x,
        Unary::NotBits => !x,
        Unary::AbsI32 => x.abs(),
        Unary::SignI32 => x.signum(),
        Unary::CountTrailingZeros => i128::from(bits.trailing_zeros().min(of.bits())),
        Unary::CountLeadingZeros => i128::from(bits.leading_zeros() - unused),
        Unary::CountOneBits => i128::from(bits.count_ones()),
        Unary::ReverseBits => i128::from(bits.reverse_bits() >> unused),
        Unary::FirstTrailingBit if bits == 0 => -1,
        Unary::FirstTrailingBit => i128::from(bits.trailing_zeros()),
        Unary::FirstLeadingBitU32 => first_leading_bit(bits),
        // The highest bit that differs from the sign.
        Unary::FirstLeadingBitI32 => first_leading_bit(pattern(if x < 0 { !x } else { x }, of)),
        _ => unreachable!("{op:?} is not of integers"),
    }
}

pub(super) fn binary(op: Binary, x: i128, y: i128) -> i128 {
    use Binary as B;
    match op {
        B::AddInt => x + y,
        B::SubInt => x - y,
        B::MulInt => x.wrapping_mul(y),
        B::DivI32 | B::DivU32 => x.checked_div(y).unwrap_or(x),
        B::RemI32 | B::RemU32 => x.checked_rem(y).unwrap_or(0),
        B::And => x & y,
        B::Or => x | y,
        B::Xor => x ^ y,
        B::MinI32 | B::MinU32 => x.min(y),
        B::MaxI32 | B::MaxU32 => x.max(y),
        _ => unreachable!("{op:?} is not of two integers"),
    }
}

/// The result of a comparison; `None` if the operation is not a comparison.
pub(super) fn compare(op: Binary, x: i128, y: i128) -> Option<bool> {
    use Binary as B;
    Some(match op {
        B::EqualWord => x == y,
        B::NotEqualWord => x != y,
        B::LessI32 | B::LessU32 => x < y,
        B::LessEqualI32 | B::LessEqualU32 => x <= y,
        _ => return None,
    })
}

/// A shift. The amount is less than the bits of the type.
pub(super) fn shift(op: Binary, x: i128, amount: u32) -> i128 {
    match op {
        Binary::ShiftLeft => x << amount,
        // Above the bits of the type are zeros, or copies of the sign.
        _ => x >> amount,
    }
}

/// The offset of a bit field and a mask of its bits, clamped to the bits of the type.
fn field(of: Number, offset: u32, count: u32) -> (u32, u64) {
    let offset = offset.min(of.bits());
    let count = count.min(of.bits() - offset);
    (offset, u64::MAX.checked_shr(64 - count).unwrap_or(0))
}

/// `count` bits from `offset` on, with the sign of the highest for signed types.
pub(super) fn extract_bits(x: i128, of: Number, offset: u32, count: u32) -> i128 {
    let (offset, mask) = field(of, offset, count);
    let bits = pattern(x, of).checked_shr(offset).unwrap_or(0) & mask;
    let sign = mask & !(mask >> 1);
    if of.is_signed() && bits & sign != 0 {
        return i128::from(bits) - i128::from(mask) - 1;
    }
    i128::from(bits)
}

/// Operands as in [`Instr::InsertBits`](crate::bytecode::Instr::InsertBits).
pub(super) fn insert_bits(r: &mut [u32], of: Number, n: usize, dst: usize, args: [usize; 4]) {
    let [e, new, offset, count] = args;
    let (offset, mask) = field(of, r[offset], r[count]);
    let shifted = |x: u64| x.checked_shl(offset).unwrap_or(0);
    for i in 0..n {
        let old = pattern(number::integer(r, of, e, i), of);
        let new = pattern(number::integer(r, of, new, i), of);
        let merged = old & !shifted(mask) | shifted(new & mask);
        number::put_integer(r, of, dst, i, i128::from(merged));
    }
}

pub(super) fn dot(r: &mut [u32], of: Number, n: usize, dst: usize, [a, b]: [usize; 2]) {
    let product = |i| {
        let [x, y] = [a, b].map(|arg| number::integer(r, of, arg, i));
        x.wrapping_mul(y)
    };
    let sum = (0..n).map(product).fold(0, i128::wrapping_add);
    number::put_integer(r, of, dst, 0, sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_in_the_width_of_the_type() {
        assert_eq!(unary(Unary::CountLeadingZeros, 1, Number::I16), 15);
        assert_eq!(unary(Unary::CountTrailingZeros, 0, Number::U16), 16);
        assert_eq!(unary(Unary::CountOneBits, -1, Number::I16), 16);
        assert_eq!(unary(Unary::ReverseBits, 1, Number::U16), 0x8000);
        assert_eq!(unary(Unary::FirstLeadingBitI32, -1, Number::I64), -1);
        assert_eq!(
            unary(Unary::FirstLeadingBitI32, i128::from(i64::MIN), Number::I64),
            62
        );
        assert_eq!(unary(Unary::FirstLeadingBitU32, 0, Number::U64), -1);
    }

    #[test]
    fn fields_at_their_edges() {
        let all = i128::from(u64::MAX);
        assert_eq!(extract_bits(all, Number::U64, 0, 64), all);
        assert_eq!(extract_bits(all, Number::U64, 64, 8), 0);
        assert_eq!(extract_bits(-1, Number::I64, 60, 99), -1);
        assert_eq!(extract_bits(0x7fff, Number::I16, 14, 9), 1);
        assert_eq!(extract_bits(5, Number::I16, 3, 0), 0);
        let mut r = [7, 0, u32::MAX, u32::MAX, 60, 99, 0, 0];
        insert_bits(&mut r, Number::U64, 1, 6, [0, 2, 4, 5]);
        assert_eq!(r[6..], [7, 0xf000_0000]);
    }
}
