//! Algebraic simplification: cheaper forms of instructions with partly known operands.
//!
//! In: an instruction whose operands have been simplified. Out: its replacement, if a rule applies. One rule at a time;
//! the driver repeats until none applies. Each rule gives a cheaper instruction or moves constants towards folding, so
//! that this terminates.

use super::number::is_number;
use super::{constants, divide};
use crate::ir::{Inst, LaneBinary, LaneCompare, MaskBinary, Op, Value, WordBinary, WordCompare};
use crate::pass::peephole::{Rewrite, Rewriter};

/// The replacement of an instruction, if a rule applies.
pub(super) fn simplify(rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
    match (inst.op, &inst.operands[..]) {
        (Op::WordBinary(op), &[a, b]) => integer(rewriter, OperandKind::Word, op, a, b),
        (Op::Binary(LaneBinary::Int(op)), &[a, b]) => {
            integer(rewriter, OperandKind::Lanes, op, a, b)
        }
        (Op::Binary(LaneBinary::MinF | LaneBinary::MaxF), &[a, b]) if a == b => {
            Some(Rewrite::Value(b))
        }
        (Op::WordCompare(op), &[a, b]) => word_compare(rewriter, op, a, b),
        (Op::Compare(op), &[a, b]) if a == b => same_compare(rewriter, op, a).map(|holds| {
            let all = rewriter.function.all_lanes();
            Rewrite::Inst(Op::Mask(if holds { all } else { 0 }), Default::default())
        }),
        (Op::WordSelect, &[c, a, b]) => word_select(rewriter, c, a, b),
        (Op::MaskBinary(MaskBinary::AndNot), &[a, b]) => not_not(rewriter, a, b),
        (Op::Extract(_), &[a]) => inner(rewriter, a, Op::Broadcast),
        (Op::FromBallot, &[a]) => inner(rewriter, a, Op::Ballot),
        (Op::ShlBy(by), &[a]) => shift_of_shift(rewriter, by, a, Op::ShlBy),
        (Op::ShrBy(by), &[a]) => shift_of_shift(rewriter, by, a, Op::ShrBy),
        (Op::AdvanceOrZeros, &[pointer, offset, exists]) => {
            let is_there = rewriter.bits(exists).is_some_and(|bits| bits != 0);
            is_there.then(|| Rewrite::inst(Op::Advance, &[pointer, offset]))?
        }
        (Op::LoadWord(offset), &[pointer]) => nearer(rewriter, pointer, offset, Op::LoadWord),
        (Op::LoadPointer(offset), &[pointer]) => nearer(rewriter, pointer, offset, Op::LoadPointer),
        (Op::LoadSplat(offset), &[pointer]) => nearer(rewriter, pointer, offset, Op::LoadSplat),
        _ => None,
    }
}

/// Whether an integer operation is on words or on lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandKind {
    Word,
    Lanes,
}

impl OperandKind {
    fn op(self, op: WordBinary) -> Op {
        match self {
            Self::Word => Op::WordBinary(op),
            Self::Lanes => Op::Binary(LaneBinary::Int(op)),
        }
    }

    fn constant(self, bits: u32) -> Op {
        match self {
            Self::Word => Op::Word(bits),
            Self::Lanes => Op::Splat(bits),
        }
    }
}

fn integer(
    rewriter: &mut Rewriter,
    form: OperandKind,
    op: WordBinary,
    a: Value,
    b: Value,
) -> Option<Rewrite> {
    use WordBinary::{Add, DivS, DivU, MaxS, MaxU, MinS, MinU, RemS, RemU, Sub};
    if a == b && matches!(op, MinU | MaxU | MinS | MaxS) {
        return Some(Rewrite::Value(a));
    }
    if is_constant(rewriter, a) && !is_constant(rewriter, b) && commutes(op) {
        return Rewrite::inst(form.op(op), &[b, a]);
    }
    if let Some(bits) = rewriter.bits(b) {
        return by_constant(rewriter, form, op, a, bits);
    }
    match op {
        // Constant vectors are merged into one constant, too.
        Add | Sub if form == OperandKind::Lanes => sum_of_patterns(rewriter, op, a, b),
        DivU | DivS | RemU | RemS if form == OperandKind::Lanes => {
            divide::by_uniform(rewriter, op, a, b)
        }
        DivU | RemU => divide::word_by_power(rewriter, op, a, b),
        _ => None,
    }
}

fn is_constant(rewriter: &Rewriter, value: Value) -> bool {
    let op = rewriter.constant(value);
    op.is_some_and(|op| matches!(op, Op::Word(_) | Op::Splat(_) | Op::Pattern(_)))
}

fn commutes(op: WordBinary) -> bool {
    use WordBinary::{Add, And, MaxS, MaxU, MinS, MinU, Mul, Or, Xor};
    matches!(op, Add | Mul | And | Or | Xor | MinU | MaxU | MinS | MaxS)
}

/// Integer operations with a constant second operand: strength reduction and identities.
fn by_constant(
    rewriter: &mut Rewriter,
    form: OperandKind,
    op: WordBinary,
    a: Value,
    bits: u32,
) -> Option<Rewrite> {
    use WordBinary::{Add, And, DivU, MinU, Mul, Or, RemU, Shl, ShrU, Sub};
    let log = bits.is_power_of_two().then(|| bits.trailing_zeros());
    let (op, bits) = match (op, bits, log) {
        (Or, u32::MAX, _) | (MinU | RemU, 0, _) => return Rewrite::inst(form.constant(bits), &[]),
        (MinU, u32::MAX, _) | (DivU, 0, _) => return Some(Rewrite::Value(a)),
        (Sub, _, _) => (Add, bits.wrapping_neg()),
        (Mul, _, Some(log)) => (Shl, log),
        (DivU, _, Some(log)) => (ShrU, log),
        (RemU, _, Some(_)) => (And, bits - 1),
        (Add | And, _, _) => return chain(rewriter, form, op, a, bits),
        _ => return None,
    };
    let constant = rewriter.make(form.constant(bits))?;
    Rewrite::inst(form.op(op), &[a, constant])
}

/// `(x op c1) op c2` is `x op (c1 op c2)`.
fn chain(
    rewriter: &mut Rewriter,
    form: OperandKind,
    op: WordBinary,
    a: Value,
    bits: u32,
) -> Option<Rewrite> {
    let (inner, operands) = rewriter.parts(a)?;
    let &[x, y] = operands else { return None };
    if inner != form.op(op) {
        return None;
    }
    let both = crate::arithmetic::word_binary(op, rewriter.bits(y)?, bits);
    let constant = rewriter.make(form.constant(both))?;
    Rewrite::inst(form.op(op), &[x, constant])
}

/// `(x + p) ± q` of constants with a word for each lane is `x + (p ± q)`.
fn sum_of_patterns(rewriter: &mut Rewriter, op: WordBinary, a: Value, b: Value) -> Option<Rewrite> {
    let added = constants::words(rewriter, b)?;
    let (inner, operands) = rewriter.parts(a)?;
    let &[x, y] = operands else { return None };
    if inner != Op::Binary(LaneBinary::Int(WordBinary::Add)) {
        return None;
    }
    let first = constants::words(rewriter, y)?;
    let both: Vec<_> = first
        .iter()
        .zip(&added)
        .map(|(x, y)| crate::arithmetic::word_binary(op, *x, *y))
        .collect();
    let pattern = rewriter.function.pattern(&both);
    let constant = rewriter.make(Op::Pattern(pattern))?;
    Rewrite::inst(Op::Binary(LaneBinary::Int(WordBinary::Add)), &[x, constant])
}

fn word_compare(rewriter: &mut Rewriter, op: WordCompare, a: Value, b: Value) -> Option<Rewrite> {
    let truth = |holds| Rewrite::inst(Op::Word(u32::from(holds)), &[]);
    if a == b {
        return truth(matches!(
            op,
            WordCompare::Eq | WordCompare::LeU | WordCompare::LeS
        ));
    }
    match (op, rewriter.bits(a), rewriter.bits(b)) {
        (WordCompare::LtU, _, Some(0)) | (WordCompare::LtU, Some(u32::MAX), _) => truth(false),
        (WordCompare::LeU, Some(0), _) | (WordCompare::LeU, _, Some(u32::MAX)) => truth(true),
        (WordCompare::LtU, Some(0), _) => Rewrite::inst(Op::WordCompare(WordCompare::Ne), &[b, a]),
        (WordCompare::LeU, _, Some(0)) => Rewrite::inst(Op::WordCompare(WordCompare::Eq), &[a, b]),
        (WordCompare::LtU, _, Some(1)) => {
            let zero = rewriter.make(Op::Word(0))?;
            Rewrite::inst(Op::WordCompare(WordCompare::Eq), &[a, zero])
        }
        (WordCompare::Ne, _, Some(0)) if is_truth(rewriter, a) => Some(Rewrite::Value(a)),
        (WordCompare::Eq, _, Some(1)) if is_truth(rewriter, a) => Some(Rewrite::Value(a)),
        _ => None,
    }
}

/// Whether a word is a boolean, 1 or 0.
fn is_truth(rewriter: &Rewriter, word: Value) -> bool {
    let parts = rewriter.parts(word);
    parts.is_some_and(|(op, _)| matches!(op, Op::WordCompare(_) | Op::Any))
}

/// The comparison of a value with itself.
fn same_compare(rewriter: &Rewriter, op: LaneCompare, value: Value) -> Option<bool> {
    match op {
        LaneCompare::EqF | LaneCompare::LeF if is_number(rewriter, value) => Some(true),
        LaneCompare::NeF | LaneCompare::NleF if is_number(rewriter, value) => Some(false),
        // NaN is not equal to itself.
        LaneCompare::LtF => Some(false),
        LaneCompare::NltF => Some(true),
        LaneCompare::Int(WordCompare::Eq | WordCompare::LeU | WordCompare::LeS) => Some(true),
        LaneCompare::Int(WordCompare::Ne | WordCompare::LtU | WordCompare::LtS) => Some(false),
        LaneCompare::EqF | LaneCompare::NeF | LaneCompare::LeF | LaneCompare::NleF => None,
    }
}

fn word_select(rewriter: &Rewriter, c: Value, a: Value, b: Value) -> Option<Rewrite> {
    let is_itself = rewriter.bits(a) == Some(1) && rewriter.bits(b) == Some(0);
    (is_itself && is_truth(rewriter, c)).then_some(Rewrite::Value(c))
}

/// The complement of a complement.
fn not_not(rewriter: &Rewriter, a: Value, b: Value) -> Option<Rewrite> {
    let all = rewriter.function.all_lanes();
    let (op, operands) = rewriter.parts(b)?;
    let is_not = |value| rewriter.mask(value) == Some(all);
    let &[first, second] = operands else {
        return None;
    };
    let is_double = op == Op::MaskBinary(MaskBinary::AndNot) && is_not(a) && is_not(first);
    is_double.then_some(Rewrite::Value(second))
}

/// The operand of an instruction of which this one is the inverse.
fn inner(rewriter: &Rewriter, value: Value, undone: Op) -> Option<Rewrite> {
    let (op, operands) = rewriter.parts(value)?;
    (op == undone).then(|| Rewrite::Value(operands[0]))
}

fn shift_of_shift(rewriter: &Rewriter, by: u8, a: Value, op: fn(u8) -> Op) -> Option<Rewrite> {
    let (inner, operands) = rewriter.parts(a)?;
    let first = match inner {
        Op::ShlBy(first) | Op::ShrBy(first) if op(first) == inner => first,
        _ => return None,
    };
    match first + by {
        sum @ 0..32 => Rewrite::inst(op(sum), &[operands[0]]),
        _ => Rewrite::inst(Op::Splat(0), &[]),
    }
}

/// Folds a constant pointer advance into the offset of a load.
fn nearer(rewriter: &Rewriter, pointer: Value, offset: i32, op: fn(i32) -> Op) -> Option<Rewrite> {
    /// The limit on folded offsets, so that signed offsets do not overflow.
    const MAX_OFFSET: u32 = 1 << 24;
    let (inner, operands) = rewriter.parts(pointer)?;
    if inner != Op::Advance {
        return None;
    }
    let by = rewriter.bits(operands[1]).filter(|by| *by < MAX_OFFSET)?;
    let sum = offset.checked_add(by as i32)?;
    Rewrite::inst(op(sum), &[operands[0]])
}
