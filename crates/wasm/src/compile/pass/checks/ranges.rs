//! Ranges of words as unsigned numbers.

use std::collections::HashMap;

use crate::compile::ir::{Binary, Function, Op, Type, Unary, Value, Width};

/// The smallest and the largest value.
pub(super) type Range = (u32, u32);

const ALL: Range = (0, u32::MAX);

/// How many operations a range is followed through.
const MAX_DEPTH: u32 = 4;

/// The range of a word where ranges of some values are known.
pub(super) fn range(function: &Function, known: &HashMap<Value, Range>, value: Value) -> Range {
    at_depth(function, known, value, MAX_DEPTH)
}

fn at_depth(function: &Function, known: &HashMap<Value, Range>, value: Value, depth: u32) -> Range {
    if let Some(word) = function.as_word(value) {
        return (word, word);
    }
    let from_known = known.get(&value).copied().unwrap_or(ALL);
    if depth == 0 || function.ty(value) != Type::I32 {
        return from_known;
    }
    let of = |operand| at_depth(function, known, operand, depth - 1);
    let own = match *function.op(value) {
        Op::Binary(binary, left, right) => of_binary(binary, of(left), of(right)),
        Op::Select { yes, no, .. } => {
            let (yes, no) = (of(yes), of(no));
            (yes.0.min(no.0), yes.1.max(no.1))
        }
        Op::Unary(Unary::BoolToI32, _) => (0, 1),
        Op::Unary(Unary::CountLeadingZeros | Unary::CountTrailingZeros | Unary::CountOnes, _) => {
            (0, 32)
        }
        Op::Load { access, .. } => match access.width {
            Width::Bits8 { signed: false } => (0, 0xff),
            Width::Bits16 { signed: false } => (0, 0xffff),
            _ => ALL,
        },
        _ => ALL,
    };
    (own.0.max(from_known.0), own.1.min(from_known.1))
}

fn of_binary(binary: Binary, a: Range, b: Range) -> Range {
    let both = |low: Option<u32>, high: Option<u32>| match (low, high) {
        (Some(low), Some(high)) => (low, high),
        _ => ALL,
    };
    let is_constant = b.0 == b.1;
    match binary {
        Binary::Add => both(a.0.checked_add(b.0), a.1.checked_add(b.1)),
        Binary::Sub => both(a.0.checked_sub(b.1), a.1.checked_sub(b.0)),
        Binary::Mul => both(a.0.checked_mul(b.0), a.1.checked_mul(b.1)),
        Binary::And => (0, a.1.min(b.1)),
        Binary::Or => {
            // No bit above the highest one of either.
            let bits = u32::BITS - (a.1 | b.1).leading_zeros();
            (
                a.0.max(b.0),
                u32::MAX.checked_shr(u32::BITS - bits).unwrap_or(0),
            )
        }
        Binary::Shl if is_constant => {
            let factor = 1_u32 << (b.0 & 31);
            both(a.0.checked_mul(factor), a.1.checked_mul(factor))
        }
        Binary::ShrUnsigned if is_constant => (a.0 >> (b.0 & 31), a.1 >> (b.0 & 31)),
        Binary::ShrUnsigned => (0, a.1),
        // By 0 the result is any number.
        Binary::DivUnsigned if b.0 > 0 => (a.0 / b.1, a.1 / b.0),
        Binary::RemUnsigned if b.0 > 0 => (0, a.1.min(b.1 - 1)),
        _ => ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations() {
        assert_eq!(of_binary(Binary::Add, (1, 5), (2, 3)), (3, 8));
        assert_eq!(of_binary(Binary::Add, (1, u32::MAX), (2, 3)), ALL);
        assert_eq!(of_binary(Binary::Sub, (1, 5), (2, 3)), ALL);
        assert_eq!(of_binary(Binary::And, ALL, (0, 7)), (0, 7));
        assert_eq!(of_binary(Binary::Or, (8, 9), (0, 3)), (8, 15));
        assert_eq!(of_binary(Binary::Or, (0, 0), (0, 0)), (0, 0));
        assert_eq!(of_binary(Binary::Or, ALL, (0, 3)), ALL);
        assert_eq!(of_binary(Binary::RemUnsigned, ALL, (8, 8)), (0, 7));
        assert_eq!(of_binary(Binary::RemUnsigned, ALL, (0, 8)), ALL);
    }
}
