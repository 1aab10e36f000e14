//! Value ranges: an interval of unsigned integers and the bits known to be zero.
//!
//! In: the ranges of operands. Out: a range that holds for the result of an operation, for all operands in their
//! ranges. The transfer functions are implemented a second time on purpose, independently of
//! `pass::range_check_elimination`: the verifier must not inherit a bug of the pass that it checks.

use crate::ir::WordBinary;

/// The unsigned values that a word, or any lane of a vector, can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) min: u32,
    pub(super) max: u32,
    /// Bits that are zero in every value.
    pub(super) zeros: u32,
}

impl Range {
    pub(super) const FULL: Self = Self {
        min: 0,
        max: u32::MAX,
        zeros: 0,
    };

    pub(super) fn exactly(value: u32) -> Self {
        Self {
            min: value,
            max: value,
            zeros: !value,
        }
    }

    pub(super) fn new(min: u32, max: u32) -> Self {
        Self { min, max, zeros: 0 }.normalized()
    }

    pub(super) fn at_most(max: u32) -> Self {
        Self::new(0, max)
    }

    pub(super) fn with_zeros(self, zeros: u32) -> Self {
        Self {
            zeros: self.zeros | zeros,
            ..self
        }
        .normalized()
    }

    /// Lets the interval and the zero bits tighten each other.
    fn normalized(self) -> Self {
        let above = u32::MAX.checked_shl(32 - self.max.leading_zeros());
        let zeros = self.zeros | above.unwrap_or(0);
        // A multiple of a power of two is at most the largest multiple below the bound.
        let aligned = self.max & !low_bits(zeros.trailing_ones());
        Self {
            min: self.min,
            max: aligned.min(!zeros),
            zeros,
        }
    }

    /// The values of either range.
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            zeros: self.zeros & other.zeros,
        }
    }

    /// The values of both ranges.
    pub(super) fn intersection(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
            zeros: self.zeros | other.zeros,
        }
        .normalized()
    }

    /// The number of low bits that are zero in every value.
    pub(super) fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }

    fn constant(self) -> Option<u32> {
        (self.min == self.max).then_some(self.min)
    }
}

/// A mask of the lowest bits.
pub(super) fn low_bits(count: u32) -> u32 {
    u32::MAX.checked_shr(32 - count.min(32)).unwrap_or(0)
}

/// The range of a result.
pub(super) fn binary(op: WordBinary, a: Range, b: Range) -> Range {
    let aligned = |zeros: u32| Range::FULL.with_zeros(low_bits(zeros));
    match op {
        WordBinary::Add => {
            let low = aligned(a.trailing_zeros().min(b.trailing_zeros()));
            // Without a bit in common no bit carries.
            let bits = if a.zeros | b.zeros == u32::MAX {
                a.zeros & b.zeros
            } else {
                0
            };
            let sum = match (a.min.checked_add(b.min), a.max.checked_add(b.max)) {
                (Some(min), Some(max)) => Range::new(min, max),
                _ => Range::FULL,
            };
            sum.intersection(low).with_zeros(bits)
        }
        WordBinary::Sub => {
            let low = aligned(a.trailing_zeros().min(b.trailing_zeros()));
            let difference = match a.min.checked_sub(b.max) {
                // In code that is never reached a range may be empty, with a maximum below its minimum.
                Some(min) => Range::new(min, a.max.saturating_sub(b.min)),
                None => Range::FULL,
            };
            difference.intersection(low)
        }
        WordBinary::Mul => {
            let low = aligned(a.trailing_zeros().saturating_add(b.trailing_zeros()));
            let product = match a.max.checked_mul(b.max) {
                Some(max) => Range::new(a.min.wrapping_mul(b.min), max),
                None => Range::FULL,
            };
            product.intersection(low)
        }
        WordBinary::And => Range::at_most(a.max.min(b.max)).with_zeros(a.zeros | b.zeros),
        WordBinary::Or | WordBinary::Xor => Range::FULL.with_zeros(a.zeros & b.zeros),
        WordBinary::Shl => match b.constant() {
            Some(by) => shift_left(a, by % 32),
            None => Range::FULL,
        },
        WordBinary::ShrU => match b.constant() {
            Some(by) => shift_right(a, by % 32),
            None => Range::at_most(a.max),
        },
        WordBinary::DivU => match b.constant() {
            Some(by) if by > 0 => Range::new(a.min / by, a.max / by),
            _ => Range::at_most(a.max),
        },
        WordBinary::RemU => match b.constant() {
            Some(by) if by > 0 => Range::at_most(a.max.min(by - 1)),
            // The remainder of a division by zero is 0.
            _ => Range::at_most(a.max.min(b.max.saturating_sub(1))),
        },
        WordBinary::MinU => Range {
            min: a.min.min(b.min),
            max: a.max.min(b.max),
            zeros: a.zeros & b.zeros,
        }
        .normalized(),
        WordBinary::MaxU => Range {
            min: a.min.max(b.min),
            max: a.max.max(b.max),
            zeros: a.zeros & b.zeros,
        }
        .normalized(),
        // Below 2^31 signed and unsigned order agree.
        WordBinary::MinS if a.max | b.max <= i32::MAX as u32 => binary(WordBinary::MinU, a, b),
        WordBinary::MaxS if a.max | b.max <= i32::MAX as u32 => binary(WordBinary::MaxU, a, b),
        WordBinary::ShrS if a.max <= i32::MAX as u32 => binary(WordBinary::ShrU, a, b),
        WordBinary::DivS if a.max | b.max <= i32::MAX as u32 => binary(WordBinary::DivU, a, b),
        WordBinary::RemS if a.max | b.max <= i32::MAX as u32 => binary(WordBinary::RemU, a, b),
        // The larger of two, of which one is not negative, is not negative; the smaller is at most that one or negative.
        WordBinary::MaxS if b.max <= i32::MAX as u32 => {
            Range::new(b.min, b.max.max(a.max.min(i32::MAX as u32)))
        }
        WordBinary::MaxS if a.max <= i32::MAX as u32 => binary(op, b, a),
        WordBinary::MinS
        | WordBinary::MaxS
        | WordBinary::ShrS
        | WordBinary::DivS
        | WordBinary::RemS
        | WordBinary::MulHighU => Range::FULL,
    }
}

/// The range after a left shift by less than 32.
pub(super) fn shift_left(a: Range, by: u32) -> Range {
    let zeros = a.zeros << by | low_bits(by);
    let fits = a.max <= u32::MAX >> by;
    let interval = if fits {
        Range::new(a.min << by, a.max << by)
    } else {
        Range::FULL
    };
    interval.with_zeros(zeros)
}

/// The range after a right shift by less than 32 that inserts zeros.
pub(super) fn shift_right(a: Range, by: u32) -> Range {
    Range::new(a.min >> by, a.max >> by).with_zeros(a.zeros >> by | !(u32::MAX >> by))
}

/// The zero bits of a bitwise function of three operands, given as a truth table.
pub(super) fn ternary(table: u8, operands: [Range; 3]) -> Range {
    let mut may_be_set = 0;
    for row in 0..8 {
        if table >> row & 1 == 0 {
            continue;
        }
        // Bit 2 of the row belongs to the first operand. A bit that is always zero rules out the rows where it is set.
        let possible = operands.iter().zip([4, 2, 1]);
        may_be_set |= possible.fold(u32::MAX, |bits, (operand, bit)| {
            if row & bit == 0 {
                bits
            } else {
                bits & !operand.zeros
            }
        });
    }
    Range::FULL.with_zeros(!may_be_set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic;
    use crate::random::WORD_BINARY;

    fn contains(range: Range, value: u32) -> bool {
        (range.min..=range.max).contains(&value) && value & range.zeros == 0
    }

    /// Values around powers of two and around both ends.
    fn edges() -> Vec<u32> {
        let near = [0, 5, 31, 33, 64, 255, 1 << 31, u32::MAX - 1];
        near.iter()
            .flat_map(|value| [value.wrapping_sub(1), *value, value + 1])
            .collect()
    }

    fn ranges() -> Vec<Range> {
        let mut ranges = vec![Range::FULL];
        for a in edges() {
            ranges.push(Range::exactly(a));
            ranges.push(Range::at_most(a));
            ranges.push(Range::FULL.with_zeros(a));
            ranges.push(Range::new(a.min(40), a.max(40)).with_zeros(3 & !a.min(40)));
        }
        ranges
    }

    #[test]
    fn results_lie_in_the_range_of_their_operation() {
        let values = edges();
        for &op in WORD_BINARY {
            for a in ranges() {
                for b in ranges() {
                    let range = binary(op, a, b);
                    for &x in values.iter().filter(|value| contains(a, **value)) {
                        for &y in values.iter().filter(|value| contains(b, **value)) {
                            let result = arithmetic::word_binary(op, x, y);
                            assert!(
                                contains(range, result),
                                "{op:?} of {x} in {a:?} and {y} in {b:?} is {result}, not in {range:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn bitwise_functions_of_three_keep_their_zero_bits() {
        let values = [0, 1, 6, 0x80, u32::MAX];
        let zeros = [0, 1, 0xff, !1, u32::MAX];
        for table in 0..=255 {
            for za in zeros {
                for zb in zeros {
                    let operands = [za, zb, 0].map(|zeros| Range::FULL.with_zeros(zeros));
                    let range = ternary(table, operands);
                    for a in values {
                        for b in values {
                            let (a, b) = (a & !za, b & !zb);
                            let result = arithmetic::ternary(table, a, b, 0xf0f0);
                            assert!(contains(range, result), "table {table}: {a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn alignment_tightens_the_maximum() {
        assert_eq!(Range::at_most(15).with_zeros(1).max, 14);
        assert_eq!(Range::at_most(0).zeros, u32::MAX);
    }
}
