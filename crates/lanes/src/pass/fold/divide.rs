//! Division of lanes by a uniform word: multiplication by a reciprocal.
//!
//! In: a quotient or a remainder of lanes whose divisor is a broadcast word. Out: the same without a division of lanes.
//! The reciprocal is one division of words, which `gvn` hoists out of the loops in which the divisor does not change.
//!
//! Algorithm: `m = floor((2^32 - 1) / d)` and `q = floor(n * m / 2^32)` (Granlund and Montgomery, "Division by invariant
//! integers using multiplication", 1994, without their normalization). With `e = 2^32 - 1 - m * d < d`, `n * m / 2^32` is
//! `n / d - n * (1 + e) / (d * 2^32)`, less than 1 below `n / d`, so `q` is the quotient or one less, and the remainder
//! `n - q * d` is less than `2 * d`. One conditional subtraction corrects both. It does not wrap: `n - q * d <= n`.
//!
//! Signed numbers are divided as unsigned ones without their signs. Divisor 0 gives the dividend and remainder 0, like
//! divisor 1, which replaces it; so does the overflow of `-2^31 / -1`, as `2^31` with its sign is `-2^31`. A divisor
//! `1 << k` needs a shift only.

use crate::ir::{LaneBinary, LaneCompare, Op, Value, WordBinary, WordCompare};
use crate::pass::peephole::{Rewrite, Rewriter};

/// The division by a broadcast word, if the operation is one.
pub(super) fn by_uniform(
    rewriter: &mut Rewriter,
    op: WordBinary,
    dividend: Value,
    divisor: Value,
) -> Option<Rewrite> {
    use WordBinary::{DivS, DivU, RemS, RemU};
    if !matches!(op, DivU | DivS | RemU | RemS) {
        return None;
    }
    let (Op::Broadcast, &[word]) = rewriter.parts(divisor)? else {
        return None;
    };
    if let Some(exponent) = exponent(rewriter, word)
        && matches!(op, DivU | RemU)
    {
        return by_power(rewriter, op, dividend, (word, exponent));
    }
    match op {
        DivU => {
            let reciprocal = Reciprocal::new(rewriter, word)?;
            let estimate = reciprocal.estimate(rewriter, dividend)?;
            reciprocal.quotient(rewriter, estimate)
        }
        RemU => {
            let reciprocal = Reciprocal::new(rewriter, word)?;
            let estimate = reciprocal.estimate(rewriter, dividend)?;
            reciprocal.remainder(rewriter, estimate)
        }
        _ => signed(rewriter, op, dividend, word),
    }
}

/// Division of words by `1 << k`.
pub(super) fn word_by_power(
    rewriter: &mut Rewriter,
    op: WordBinary,
    dividend: Value,
    divisor: Value,
) -> Option<Rewrite> {
    let exponent = exponent(rewriter, divisor)?;
    match op {
        WordBinary::DivU => Rewrite::inst(Op::WordBinary(WordBinary::ShrU), &[dividend, exponent]),
        WordBinary::RemU => {
            let one = rewriter.make(Op::Word(1))?;
            let low = rewriter.make_inst(Op::WordBinary(WordBinary::Sub), &[divisor, one])?;
            Rewrite::inst(Op::WordBinary(WordBinary::And), &[dividend, low])
        }
        _ => None,
    }
}

/// `k` of a word `1 << k`.
fn exponent(rewriter: &Rewriter, word: Value) -> Option<Value> {
    match rewriter.parts(word)? {
        (Op::WordBinary(WordBinary::Shl), &[one, by]) if rewriter.bits(one) == Some(1) => Some(by),
        _ => None,
    }
}

fn by_power(
    rewriter: &mut Rewriter,
    op: WordBinary,
    dividend: Value,
    (divisor, exponent): (Value, Value),
) -> Option<Rewrite> {
    let (op, word) = if op == WordBinary::DivU {
        (WordBinary::ShrU, exponent)
    } else {
        let one = rewriter.make(Op::Word(1))?;
        let low = rewriter.make_inst(Op::WordBinary(WordBinary::Sub), &[divisor, one])?;
        (WordBinary::And, low)
    };
    let by = rewriter.make_inst(Op::Broadcast, &[word])?;
    Rewrite::inst(int(op), &[dividend, by])
}

/// The division of signed numbers, by their sizes.
fn signed(
    rewriter: &mut Rewriter,
    op: WordBinary,
    dividend: Value,
    divisor: Value,
) -> Option<Rewrite> {
    use WordBinary::{MaxS, ShrS, Sub, Xor};
    let (zero, last) = (rewriter.make(Op::Word(0))?, rewriter.make(Op::Word(31))?);
    let sign = rewriter.make_inst(Op::WordBinary(ShrS), &[divisor, last])?;
    let negative = rewriter.make_inst(Op::WordBinary(Sub), &[zero, divisor])?;
    let size = rewriter.make_inst(Op::WordBinary(MaxS), &[divisor, negative])?;
    let reciprocal = Reciprocal::new(rewriter, size)?;
    let zeros = rewriter.make(Op::Splat(0))?;
    let negative = rewriter.make_inst(int(Sub), &[zeros, dividend])?;
    let size = rewriter.make_inst(int(MaxS), &[dividend, negative])?;
    let estimate = reciprocal.estimate(rewriter, size)?;
    let mut signs = rewriter.make_inst(Op::SarBy(31), &[dividend])?;
    let result = if op == WordBinary::DivS {
        let sign = rewriter.make_inst(Op::Broadcast, &[sign])?;
        signs = rewriter.make_inst(int(Xor), &[signs, sign])?;
        reciprocal.quotient(rewriter, estimate)?
    } else {
        reciprocal.remainder(rewriter, estimate)?
    };
    let Rewrite::Inst(op, operands) = result else {
        return None;
    };
    let result = rewriter.make_inst(op, &operands)?;
    let flipped = rewriter.make_inst(int(Xor), &[result, signs])?;
    Rewrite::inst(int(Sub), &[flipped, signs])
}

fn int(op: WordBinary) -> Op {
    Op::Binary(LaneBinary::Int(op))
}

/// A divisor, at least 1, and its reciprocal, in all lanes.
struct Reciprocal {
    divisor: Value,
    factor: Value,
}

/// A quotient that is exact or 1 too small, and its remainder.
struct Estimate {
    quotient: Value,
    rest: Value,
}

impl Reciprocal {
    fn new(rewriter: &mut Rewriter, divisor: Value) -> Option<Self> {
        let (one, most) = (
            rewriter.make(Op::Word(1))?,
            rewriter.make(Op::Word(u32::MAX))?,
        );
        let divisor = rewriter.make_inst(Op::WordBinary(WordBinary::MaxU), &[divisor, one])?;
        let factor = rewriter.make_inst(Op::WordBinary(WordBinary::DivU), &[most, divisor])?;
        Some(Self {
            divisor: rewriter.make_inst(Op::Broadcast, &[divisor])?,
            factor: rewriter.make_inst(Op::Broadcast, &[factor])?,
        })
    }

    fn estimate(&self, rewriter: &mut Rewriter, dividend: Value) -> Option<Estimate> {
        let high = int(WordBinary::MulHighU);
        let quotient = rewriter.make_inst(high, &[dividend, self.factor])?;
        let product = rewriter.make_inst(int(WordBinary::Mul), &[quotient, self.divisor])?;
        let rest = rewriter.make_inst(int(WordBinary::Sub), &[dividend, product])?;
        Some(Estimate { quotient, rest })
    }

    fn quotient(&self, rewriter: &mut Rewriter, estimate: Estimate) -> Option<Rewrite> {
        let less = Op::Compare(LaneCompare::Int(WordCompare::LeU));
        let is_less = rewriter.make_inst(less, &[self.divisor, estimate.rest])?;
        let one = rewriter.make(Op::Splat(1))?;
        let next = rewriter.make_inst(int(WordBinary::Add), &[estimate.quotient, one])?;
        Rewrite::inst(Op::Select, &[is_less, next, estimate.quotient])
    }

    fn remainder(&self, rewriter: &mut Rewriter, estimate: Estimate) -> Option<Rewrite> {
        // Wraps to more than the rest unless the rest is at least the divisor.
        let less = rewriter.make_inst(int(WordBinary::Sub), &[estimate.rest, self.divisor])?;
        Rewrite::inst(int(WordBinary::MinU), &[estimate.rest, less])
    }
}
