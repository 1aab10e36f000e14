//! Constant folding and algebraic simplification of single instructions.
//!
//! In: an operation, its operands, and which of them are constants. Out: the replacement, if there is one. Folding is
//! exact: results keep their bits, except that a NaN may become another NaN.

use crate::arithmetic;
use crate::ir::{LaneBinary, MaskBinary, Op, Value, WordBinary};

/// The replacement of an instruction.
pub(crate) enum Folded {
    /// An existing value.
    Value(Value),
    /// A constant.
    Constant(Op),
    /// A cheaper instruction with one operand.
    Cheaper(Op, Value),
}

/// The replacement of an instruction, if there is one. `constant` returns the constant of a value, as [`Op::Word`],
/// [`Op::Splat`] or [`Op::Mask`].
pub(crate) fn fold(
    constant: impl Fn(Value) -> Option<Op>,
    all_lanes: u32,
    op: Op,
    operands: &[Value],
) -> Option<Folded> {
    let known: smallvec::SmallVec<[_; 5]> = operands
        .iter()
        .map(|&operand| constant(operand).and_then(bits))
        .collect();
    match (op, operands, known.as_slice()) {
        (Op::WordBinary(op), &[a, b], &[x, y]) => word_binary(op, (a, x), (b, y), Op::Word),
        (Op::WordCompare(op), _, &[Some(x), Some(y)]) => {
            word(u32::from(arithmetic::word_compare(op, x, y)))
        }
        (Op::WordSelect, &[_, a, b], &[Some(c), ..]) => value(if c == 0 { b } else { a }),
        (Op::WordSelect, &[_, a, b], _) if a == b => value(a),
        (Op::Any, _, &[Some(mask)]) => word(u32::from(mask != 0)),
        (Op::Ballot, _, &[Some(mask)]) => word(mask),
        (Op::Extract(_), _, &[Some(x)]) => word(x),
        (Op::Broadcast, _, &[Some(x)]) => splat(x),
        (Op::FromBallot, _, &[Some(x)]) => mask(x & all_lanes),
        (Op::Advance, &[pointer, _], &[_, Some(0)]) => value(pointer),
        (Op::Binary(op), &[a, b], &[x, y]) => lane_binary(op, (a, x), (b, y)),
        (Op::Unary(op), _, &[Some(x)]) => splat(arithmetic::lane_unary(op, x)),
        (Op::ShlBy(by), &[a], &[x]) => shift(WordBinary::Shl, (a, x), by),
        (Op::ShrBy(by), &[a], &[x]) => shift(WordBinary::ShrU, (a, x), by),
        (Op::SarBy(by), &[a], &[x]) => shift(WordBinary::ShrS, (a, x), by),
        (Op::Fma, _, &[Some(x), Some(y), Some(z)]) => splat(arithmetic::fma(x, y, z)),
        (Op::Ternary(table), _, &[Some(x), Some(y), Some(z)]) => {
            splat(arithmetic::ternary(table, x, y, z))
        }
        (Op::Select, &[_, a, b], _) if a == b => value(a),
        (Op::Select, &[_, a, b], &[Some(bits), ..]) => constant_select(bits, all_lanes, a, b),
        (Op::Compare(op), _, &[Some(x), Some(y)]) => {
            let holds = arithmetic::lane_compare(op, x, y);
            mask(if holds { all_lanes } else { 0 })
        }
        (Op::MaskBinary(op), &[a, b], &[x, y]) => mask_binary(op, (a, x), (b, y), all_lanes),
        _ => None,
    }
}

fn bits(constant: Op) -> Option<u32> {
    match constant {
        Op::Word(bits) | Op::Splat(bits) | Op::Mask(bits) => Some(bits),
        _ => None,
    }
}

fn value(value: Value) -> Option<Folded> {
    Some(Folded::Value(value))
}

fn word(bits: u32) -> Option<Folded> {
    Some(Folded::Constant(Op::Word(bits)))
}

fn splat(bits: u32) -> Option<Folded> {
    Some(Folded::Constant(Op::Splat(bits)))
}

fn mask(bits: u32) -> Option<Folded> {
    Some(Folded::Constant(Op::Mask(bits)))
}

/// An operand, and its bits if it is a constant.
type Operand = (Value, Option<u32>);

/// Integer operations on words or lanes.
fn word_binary(
    op: WordBinary,
    (a, x): Operand,
    (b, y): Operand,
    constant: fn(u32) -> Op,
) -> Option<Folded> {
    use WordBinary::{Add, And, DivS, DivU, MaxU, Mul, Or, Shl, ShrS, ShrU, Sub, Xor};
    if let (Some(x), Some(y)) = (x, y) {
        return Some(Folded::Constant(constant(arithmetic::word_binary(
            op, x, y,
        ))));
    }
    match (op, x, y) {
        (Add | Or | Xor | MaxU, Some(0), _) | (Mul, Some(1), _) | (And, Some(u32::MAX), _) => {
            value(b)
        }
        (Add | Sub | Or | Xor | Shl | ShrU | ShrS | MaxU, _, Some(0))
        | (Mul | DivU | DivS, _, Some(1))
        | (And, _, Some(u32::MAX)) => value(a),
        (Mul | And, Some(0), _) | (Mul | And, _, Some(0)) => Some(Folded::Constant(constant(0))),
        (Sub | Xor, ..) if a == b => Some(Folded::Constant(constant(0))),
        (And | Or, ..) if a == b => value(a),
        _ => None,
    }
}

fn lane_binary(op: LaneBinary, a: Operand, b: Operand) -> Option<Folded> {
    const ONE: u32 = 1.0f32.to_bits();
    const NEGATIVE_ZERO: u32 = (-0.0f32).to_bits();
    let amount = b.1.map(|by| (by % 32) as u8);
    match (op, a, b) {
        (LaneBinary::Int(op), ..) => word_binary(op, a, b, Op::Splat).or_else(|| {
            let shift = match op {
                WordBinary::Shl => Op::ShlBy,
                WordBinary::ShrU => Op::ShrBy,
                WordBinary::ShrS => Op::SarBy,
                _ => return None,
            };
            Some(Folded::Cheaper(shift(amount?), a.0))
        }),
        (_, (_, Some(x)), (_, Some(y))) => splat(arithmetic::lane_binary(op, x, y)),
        (LaneBinary::MulF | LaneBinary::DivF, (a, _), (_, Some(ONE))) => value(a),
        (LaneBinary::MulF, (_, Some(ONE)), (b, _)) => value(b),
        (LaneBinary::AddF, (a, _), (_, Some(NEGATIVE_ZERO))) => value(a),
        (LaneBinary::AddF, (_, Some(NEGATIVE_ZERO)), (b, _)) => value(b),
        (LaneBinary::SubF, (a, _), (_, Some(0))) => value(a),
        _ => None,
    }
}

fn shift(op: WordBinary, (a, x): Operand, by: u8) -> Option<Folded> {
    match x {
        Some(x) => splat(arithmetic::word_binary(op, x, u32::from(by))),
        None if by == 0 => value(a),
        None => None,
    }
}

fn constant_select(mask: u32, all: u32, a: Value, b: Value) -> Option<Folded> {
    if mask == 0 {
        value(b)
    } else if mask == all {
        value(a)
    } else {
        None
    }
}

fn mask_binary(op: MaskBinary, (a, x): Operand, (b, y): Operand, all: u32) -> Option<Folded> {
    use MaskBinary::{And, AndNot, Or, Xor};
    if let (Some(x), Some(y)) = (x, y) {
        return mask(arithmetic::mask_binary(op, x, y));
    }
    match (op, x, y) {
        (Or | Xor, Some(0), _) => value(b),
        (Or | Xor | AndNot, _, Some(0)) => value(a),
        (And, Some(x), _) if x == all => value(b),
        (And, _, Some(y)) if y == all => value(a),
        (And | AndNot, Some(0), _) | (And, _, Some(0)) => mask(0),
        (AndNot, _, Some(y)) if y == all => mask(0),
        (Or, Some(x), _) | (Or, _, Some(x)) if x == all => mask(all),
        (And | Or, ..) if a == b => value(a),
        (Xor | AndNot, ..) if a == b => mask(0),
        _ => None,
    }
}
