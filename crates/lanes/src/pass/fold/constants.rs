//! Constant folding of instructions with constant vectors.
//!
//! In: an instruction. Out: its constant result, if all operands are constants. Constant vectors are closed under
//! lane-wise operations; a uniform result becomes a splat.

use smallvec::SmallVec;

use crate::arithmetic as compute;
use crate::ir::{Inst, Op, Value, WordBinary};
use crate::pass::peephole::Rewriter;

/// A constant vector.
type Words = SmallVec<[u32; 16]>;

/// The constant result of an instruction, if its operands are constants.
pub(super) fn fold(rewriter: &mut Rewriter, inst: &Inst) -> Option<Op> {
    let at = |place: usize| words(rewriter, *inst.operands.get(place)?);
    let bits = |place: usize| rewriter.mask(*inst.operands.get(place)?);
    match inst.op {
        Op::Extract(lane) => at(0)?.get(usize::from(lane)).copied().map(Op::Word),
        Op::Compare(op) => {
            let (a, b) = (at(0)?, at(1)?);
            Some(Op::Mask(gather_bits(&a, &b, |x, y| {
                compute::lane_compare(op, x, y)
            })))
        }
        Op::MaskedCompare(op) => {
            let (a, b, mask) = (at(0)?, at(1)?, bits(2)?);
            let holds = gather_bits(&a, &b, |x, y| compute::lane_compare(op, x, y));
            Some(Op::Mask(holds & mask))
        }
        op => {
            let result = lane_by_lane(op, at, bits)?;
            Some(constant(rewriter, &result))
        }
    }
}

fn lane_by_lane(
    op: Op,
    at: impl Fn(usize) -> Option<Words>,
    bits: impl Fn(usize) -> Option<u32>,
) -> Option<Words> {
    match op {
        Op::Binary(op) => zip(&at(0)?, &at(1)?, |x, y| compute::lane_binary(op, x, y)),
        Op::Unary(op) => map(&at(0)?, |x| compute::lane_unary(op, x)),
        Op::ShlBy(by) => shift(WordBinary::Shl, &at(0)?, by),
        Op::ShrBy(by) => shift(WordBinary::ShrU, &at(0)?, by),
        Op::SarBy(by) => shift(WordBinary::ShrS, &at(0)?, by),
        Op::RotateBy(by) => map(&at(0)?, |x| x.rotate_left(u32::from(by))),
        Op::Fma => zip3(&at(0)?, &at(1)?, &at(2)?, compute::fma),
        Op::Ternary(table) => zip3(&at(0)?, &at(1)?, &at(2)?, |x, y, z| {
            compute::ternary(table, x, y, z)
        }),
        Op::Select => choose(bits(0)?, &at(1)?, &at(2)?),
        Op::Masked(op) => {
            let done = zip(&at(1)?, &at(2)?, |x, y| compute::lane_binary(op, x, y))?;
            choose(bits(3)?, &done, &at(0)?)
        }
        Op::MaskedFma => {
            let done = zip3(&at(1)?, &at(2)?, &at(3)?, compute::fma)?;
            choose(bits(4)?, &done, &at(0)?)
        }
        Op::Permute => {
            let values = at(0)?;
            map(&at(1)?, |from| values[from as usize % values.len()])
        }
        _ => None,
    }
}

/// The words of a constant vector.
pub(super) fn words(rewriter: &Rewriter, value: Value) -> Option<Words> {
    match rewriter.constant(value)? {
        Op::Splat(bits) => Some(SmallVec::from_elem(bits, rewriter.function.lanes as usize)),
        Op::Pattern(id) => Some(SmallVec::from_slice(
            &rewriter.function.patterns[id.0 as usize],
        )),
        _ => None,
    }
}

/// The instruction for a constant vector.
fn constant(rewriter: &mut Rewriter, words: &[u32]) -> Op {
    if words.iter().all(|word| *word == words[0]) {
        Op::Splat(words[0])
    } else {
        Op::Pattern(rewriter.function.pattern(words))
    }
}

fn gather_bits(a: &[u32], b: &[u32], holds: impl Fn(u32, u32) -> bool) -> u32 {
    let lanes = a.iter().zip(b).enumerate();
    lanes.fold(0, |bits, (lane, (x, y))| {
        bits | u32::from(holds(*x, *y)) << lane
    })
}

fn map(a: &[u32], op: impl Fn(u32) -> u32) -> Option<Words> {
    Some(a.iter().map(|x| op(*x)).collect())
}

fn zip(a: &[u32], b: &[u32], op: impl Fn(u32, u32) -> u32) -> Option<Words> {
    Some(a.iter().zip(b).map(|(x, y)| op(*x, *y)).collect())
}

fn zip3(a: &[u32], b: &[u32], c: &[u32], op: impl Fn(u32, u32, u32) -> u32) -> Option<Words> {
    let lanes = a.iter().zip(b).zip(c);
    Some(lanes.map(|((x, y), z)| op(*x, *y, *z)).collect())
}

fn shift(op: WordBinary, a: &[u32], by: u8) -> Option<Words> {
    map(a, |x| compute::word_binary(op, x, u32::from(by)))
}

fn choose(mask: u32, a: &[u32], b: &[u32]) -> Option<Words> {
    let lanes = a.iter().zip(b).enumerate();
    Some(
        lanes
            .map(|(lane, (x, y))| if mask >> lane & 1 == 1 { *x } else { *y })
            .collect(),
    )
}
