//! The lattice of value ranges: an interval of unsigned integers and known zero bits, with transfer functions.

use crate::ir::WordBinary;

/// The unsigned values that a word, or any lane of a vector, can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The smallest value.
    pub(super) min: u32,
    /// The largest value.
    pub(super) max: u32,
    /// Bits that are 0 in every value.
    pub(super) zeros: u32,
}

impl Range {
    /// All values.
    pub(super) const FULL: Self = Self {
        min: 0,
        max: u32::MAX,
        zeros: 0,
    };

    /// A single value.
    pub(super) fn of(number: u32) -> Self {
        Self {
            min: number,
            max: number,
            zeros: !number,
        }
    }

    /// The values up to a maximum.
    pub(super) fn up_to(max: u32) -> Self {
        Self { max, ..Self::FULL }.settled()
    }

    /// Lets the maximum and the zero bits tighten each other.
    fn settled(self) -> Self {
        let above = match self.max.leading_zeros() {
            0 => 0,
            32 => u32::MAX,
            clear => !(u32::MAX >> clear),
        };
        let zeros = self.zeros | above;
        Self {
            min: self.min,
            max: self.max.min(!zeros),
            zeros,
        }
    }

    /// The values of either range.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            zeros: self.zeros & other.zeros,
        }
    }

    /// The values of both ranges.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
            zeros: self.zeros | other.zeros,
        }
        .settled()
    }

    /// The number of low bits that are 0 in every value.
    fn low_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }
}

/// The range of the result of an operation.
pub(super) fn binary(op: WordBinary, a: Range, b: Range) -> Range {
    use WordBinary::{Add, And, DivU, MaxU, MinU, Mul, Or, RemU, Shl, ShrU, Sub, Xor};
    let constant = (b.min == b.max).then_some(b.max);
    let known = |max: Option<u32>, zeros: u32| Range {
        min: 0,
        max: max.unwrap_or(u32::MAX),
        zeros,
    };
    let result = match (op, constant) {
        (Add, _) if a.zeros | b.zeros == u32::MAX => known(None, a.zeros & b.zeros),
        (Add, _) => known(
            a.max.checked_add(b.max),
            low(a.low_zeros().min(b.low_zeros())),
        ),
        (Sub, _) => known(None, low(a.low_zeros().min(b.low_zeros()))),
        (Mul, _) => known(
            a.max.checked_mul(b.max),
            low((a.low_zeros() + b.low_zeros()).min(32)),
        ),
        (And, _) => known(Some(a.max.min(b.max)), a.zeros | b.zeros),
        (Or | Xor, _) => known(None, a.zeros & b.zeros),
        (Shl, Some(by)) => shl(a, by % 32),
        (ShrU, Some(by)) => shr(a, by % 32),
        (DivU, Some(by)) if by > 0 => known(Some(a.max / by), 0),
        (DivU, _) => known(Some(a.max), 0),
        (RemU, Some(by)) if by > 0 => known(Some(a.max.min(by - 1)), 0),
        (RemU, _) => known(Some(a.max), 0),
        (MinU, _) => known(Some(a.max.min(b.max)), a.zeros & b.zeros),
        (MaxU, _) => known(Some(a.max.max(b.max)), a.zeros & b.zeros),
        _ => Range::FULL,
    };
    result.settled()
}

/// The range after a left shift by less than 32.
pub(super) fn shl(a: Range, by: u32) -> Range {
    let fits = a.max <= u32::MAX >> by;
    Range {
        min: if fits { a.min << by } else { 0 },
        max: if fits { a.max << by } else { u32::MAX },
        zeros: a.zeros << by | low(by),
    }
    .settled()
}

/// The range after a logical right shift by less than 32.
pub(super) fn shr(a: Range, by: u32) -> Range {
    Range {
        min: a.min >> by,
        max: a.max >> by,
        zeros: a.zeros >> by | !(u32::MAX >> by),
    }
    .settled()
}

/// A mask of the lowest bits.
fn low(bits: u32) -> u32 {
    match bits {
        32.. => u32::MAX,
        _ => (1 << bits) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::word_binary;
    use crate::random::WORD_BINARY;

    fn holds(range: Range, number: u32) -> bool {
        (range.min..=range.max).contains(&number) && number & range.zeros == 0
    }

    /// Numbers around powers of two and at both ends, where carries and limits are likely to go wrong.
    fn numbers() -> impl Iterator<Item = u32> {
        let edges = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 255, 256, 4096];
        let high = [
            0x7fff_ffff,
            0x8000_0000,
            0xffff_fff0,
            u32::MAX - 1,
            u32::MAX,
        ];
        edges.into_iter().chain(high)
    }

    #[test]
    fn results_are_in_range() {
        let ranges: Vec<_> = numbers()
            .flat_map(|number| [Range::of(number), Range::up_to(number)])
            .chain(numbers().map(|zeros| {
                Range {
                    zeros,
                    ..Range::FULL
                }
                .settled()
            }))
            .collect();
        for &op in WORD_BINARY {
            for &a in &ranges {
                for &b in &ranges {
                    let range = binary(op, a, b);
                    for x in numbers().filter(|number| holds(a, *number)) {
                        for y in numbers().filter(|number| holds(b, *number)) {
                            let result = word_binary(op, x, y);
                            assert!(holds(range, result), "{op:?} of {x} in {a:?}, {y} in {b:?}");
                        }
                    }
                }
            }
        }
    }
}
