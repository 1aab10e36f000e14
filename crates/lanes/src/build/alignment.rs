//! The alignment of words: how many of their low bits are known to be 0.
//!
//! In: the instructions of a function, as they are appended. Out: for each word a lower bound of its trailing zeros.
//! Only the operands of an instruction are considered, so that block parameters are not aligned.

use crate::ir::{Op, Value, WordBinary};

/// The known alignments.
#[derive(Debug, Default)]
pub(super) struct Alignments {
    /// By value: known zero bits.
    zero_bits: Vec<u8>,
    /// By value: the constant below 32 that it is, plus one, or 0.
    amounts: Vec<u8>,
}

impl Alignments {
    pub(super) fn zero_bits(&self, word: Value) -> u32 {
        self.zero_bits
            .get(word.index())
            .copied()
            .unwrap_or(0)
            .into()
    }

    pub(super) fn record(&mut self, result: Value, op: Op, operands: &[Value]) {
        let bits = match (op, operands) {
            (Op::Word(word), _) => word.trailing_zeros(),
            (Op::WordSelect, &[_, a, b]) => self.zero_bits(a).min(self.zero_bits(b)),
            (Op::WordBinary(WordBinary::ShrU | WordBinary::ShrS), &[a, by]) => {
                let shifted = |by| match self.zero_bits(a) {
                    32 => 32,
                    bits => bits.saturating_sub(by),
                };
                self.amount(by).map_or(0, shifted)
            }
            (Op::WordBinary(WordBinary::Shl), &[a, by]) => {
                (self.zero_bits(a) + self.amount(by).unwrap_or(0)).min(32)
            }
            (Op::WordBinary(op), &[a, b]) => binary(op, self.zero_bits(a), self.zero_bits(b)),
            _ => 0,
        };
        set(&mut self.zero_bits, result, bits);
        if let Op::Word(amount @ 0..32) = op {
            set(&mut self.amounts, result, amount + 1);
        }
    }

    /// The constant amount of a shift.
    fn amount(&self, value: Value) -> Option<u32> {
        let amount = self.amounts.get(value.index()).copied()?;
        amount.checked_sub(1).map(u32::from)
    }
}

/// Sets a small number of a value; others are 0.
fn set(numbers: &mut Vec<u8>, value: Value, number: u32) {
    if number > 0 {
        let end = value.index() + 1;
        numbers.resize(end.max(numbers.len()), 0);
        numbers[value.index()] = number as u8;
    }
}

/// The zero bits of a result. Sums modulo 2^32 keep them, and so do remainders, which are differences of multiples.
fn binary(op: WordBinary, a: u32, b: u32) -> u32 {
    use WordBinary as W;
    match op {
        W::Mul => (a + b).min(32),
        W::And => a.max(b),
        W::Add
        | W::Sub
        | W::Or
        | W::Xor
        | W::RemU
        | W::RemS
        | W::MinU
        | W::MaxU
        | W::MinS
        | W::MaxS => a.min(b),
        // Shifts depend on their amounts.
        W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::MulHighU => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Value = Value(0);
    const TWELVE: Value = Value(1);
    const SHIFTED: Value = Value(2);

    /// The zero bits of an operation on a word of which nothing is known, 12, and a multiple of 256.
    fn of(op: WordBinary, operands: [Value; 2]) -> u32 {
        let mut alignments = Alignments::default();
        alignments.record(TWELVE, Op::Word(12), &[]);
        alignments.record(SHIFTED, Op::Word(256), &[]);
        alignments.record(Value(3), Op::WordBinary(op), &operands);
        alignments.zero_bits(Value(3))
    }

    #[test]
    fn sums_have_the_zero_bits_of_both() {
        for op in [
            WordBinary::Add,
            WordBinary::Sub,
            WordBinary::RemU,
            WordBinary::MinS,
        ] {
            assert_eq!(of(op, [TWELVE, SHIFTED]), 2, "{op:?}");
            assert_eq!(of(op, [SHIFTED, SHIFTED]), 8, "{op:?}");
            assert_eq!(of(op, [WORD, SHIFTED]), 0, "{op:?}");
        }
    }

    #[test]
    fn products_add_zero_bits() {
        assert_eq!(of(WordBinary::Mul, [TWELVE, SHIFTED]), 10);
        assert_eq!(of(WordBinary::Mul, [WORD, SHIFTED]), 8);
        assert_eq!(of(WordBinary::And, [WORD, SHIFTED]), 8);
        assert_eq!(of(WordBinary::Shl, [TWELVE, WORD]), 2);
        assert_eq!(of(WordBinary::Shl, [TWELVE, TWELVE]), 14);
    }

    #[test]
    fn shifts_to_the_right_by_constants_keep_some() {
        for op in [WordBinary::ShrU, WordBinary::ShrS] {
            assert_eq!(of(op, [SHIFTED, WORD]), 0, "{op:?}");
            assert_eq!(of(op, [TWELVE, TWELVE]), 0, "{op:?}");
            assert_eq!(of(op, [SHIFTED, SHIFTED]), 0, "{op:?}");
            let mut alignments = Alignments::default();
            alignments.record(WORD, Op::Word(3), &[]);
            alignments.record(SHIFTED, Op::Word(256), &[]);
            alignments.record(TWELVE, Op::WordBinary(op), &[SHIFTED, WORD]);
            assert_eq!(alignments.zero_bits(TWELVE), 5, "{op:?}");
        }
    }

    #[test]
    fn quotients_have_none() {
        for op in [WordBinary::DivU, WordBinary::MulHighU] {
            assert_eq!(of(op, [SHIFTED, TWELVE]), 0, "{op:?}");
        }
    }

    #[test]
    fn a_selection_has_those_of_both_sides() {
        let mut alignments = Alignments::default();
        alignments.record(TWELVE, Op::Word(12), &[]);
        alignments.record(SHIFTED, Op::Word(0), &[]);
        alignments.record(Value(3), Op::WordSelect, &[WORD, TWELVE, SHIFTED]);
        assert_eq!(alignments.zero_bits(Value(3)), 2);
        assert_eq!(alignments.zero_bits(SHIFTED), 32);
    }
}
