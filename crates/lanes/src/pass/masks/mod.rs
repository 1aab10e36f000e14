//! Mask simplification and predication: removes redundant mask logic, and fuses masks into instructions.
//!
//! In: any function. Out: the same function, where
//! - logic between masks of which one implies or excludes the other is simplified;
//! - a comparison that is only used under a mask is an [`Op::MaskedCompare`];
//! - a result that is only selected under a mask is computed under it ([`Op::Masked`], [`Op::MaskedFma`]);
//! - branches test masks directly;
//! - instructions under the full mask are unmasked, and instructions under the empty mask are removed.
//!
//! Instructions without uses are left for `dead_code`.

mod implication;

use super::peephole::{self, Rewrite, Rewriter, Rules};
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneCompare, MaskBinary, Op, Row, Terminator, Value,
    WordBinary, WordCompare,
};

use implication::{excludes, implies};

/// Runs the pass.
pub fn run(function: &mut Function) {
    peephole::run(function, &mut Masks);
}

struct Masks;

impl Rules for Masks {
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
        match (inst.op, &inst.operands[..]) {
            (Op::MaskBinary(op), &[a, b]) => {
                logic(rewriter, op, a, b).or_else(|| compare(rewriter, op, a, b))
            }
            (Op::Select, &[mask, a, b]) => select(rewriter, mask, a, b),
            (_, operands) => {
                let mask = *operands.last()?;
                match rewriter.mask(mask)? {
                    0 => under_none(inst),
                    bits if bits == rewriter.function.all_lanes() => under_all(inst),
                    _ => None,
                }
            }
        }
    }

    /// A branch tests a mask directly, without [`Op::Any`] or [`Op::Ballot`].
    fn end(&mut self, rewriter: &mut Rewriter, block: BlockId) {
        let condition = rewriter.function.block(block).terminator.condition();
        let parts = condition.and_then(|condition| rewriter.parts(condition));
        let Some((Op::Any | Op::Ballot, &[mask])) = parts else {
            return;
        };
        let terminator = &mut rewriter.function.block_mut(block).terminator;
        if let Terminator::Branch(condition, ..) = terminator {
            *condition = mask;
        }
    }
}

/// Mask logic with operands of which one implies or excludes the other.
fn logic(rewriter: &Rewriter, op: MaskBinary, a: Value, b: Value) -> Option<Rewrite> {
    let none = || Rewrite::inst(Op::Mask(0), &[]);
    match op {
        MaskBinary::And if implies(rewriter, a, b) => Some(Rewrite::Value(a)),
        MaskBinary::And if implies(rewriter, b, a) => Some(Rewrite::Value(b)),
        MaskBinary::And if excludes(rewriter, a, b) => none(),
        MaskBinary::Or if implies(rewriter, a, b) => Some(Rewrite::Value(b)),
        MaskBinary::Or if implies(rewriter, b, a) => Some(Rewrite::Value(a)),
        MaskBinary::Or => both_sides(rewriter, a, b).or_else(|| both_sides(rewriter, b, a)),
        MaskBinary::AndNot if implies(rewriter, a, b) => none(),
        MaskBinary::AndNot if excludes(rewriter, a, b) => Some(Rewrite::Value(a)),
        MaskBinary::AndNot => without_part(rewriter, a, b),
        MaskBinary::And | MaskBinary::Xor => None,
    }
}

/// The union of a subset of a mask and its complement in the mask: `x | (m & !x)` is `m` where `x` implies `m`.
fn both_sides(rewriter: &Rewriter, part: Value, rest: Value) -> Option<Rewrite> {
    match rewriter.parts(rest)? {
        (Op::MaskBinary(MaskBinary::AndNot), &[whole, out]) => {
            let inner = |mask| match rewriter.parts(part) {
                Some((Op::MaskBinary(MaskBinary::And), &[x, y])) => {
                    (x, y) == (whole, mask) || (y, x) == (whole, mask)
                }
                _ => false,
            };
            let is_whole = (part == out && implies(rewriter, part, whole)) || inner(out);
            is_whole.then_some(Rewrite::Value(whole))
        }
        (Op::MaskedCompare(op), &[a, b, whole]) => {
            let (op, a, b) = opposite(op, a, b);
            let parts = rewriter.parts(part)?;
            (parts == (Op::MaskedCompare(op), &[a, b, whole])).then_some(Rewrite::Value(whole))
        }
        _ => None,
    }
}

/// `m & !(m & x)` is `m & !x`.
fn without_part(rewriter: &Rewriter, whole: Value, part: Value) -> Option<Rewrite> {
    let rest = match rewriter.parts(part)? {
        (Op::MaskBinary(MaskBinary::And), &[a, b]) if a == whole => b,
        (Op::MaskBinary(MaskBinary::And), &[a, b]) if b == whole => a,
        _ => return None,
    };
    Rewrite::inst(Op::MaskBinary(MaskBinary::AndNot), &[whole, rest])
}

/// Fuses a comparison with a mask into a masked comparison.
fn compare(rewriter: &Rewriter, op: MaskBinary, a: Value, b: Value) -> Option<Rewrite> {
    let masked = |compared: Value, mask: Value| match rewriter.absorbed(compared)? {
        (Op::Compare(op), &[x, y]) => Rewrite::inst(Op::MaskedCompare(op), &[x, y, mask]),
        _ => None,
    };
    match op {
        MaskBinary::And => masked(a, b).or_else(|| masked(b, a)),
        MaskBinary::AndNot => match rewriter.absorbed(b)? {
            (Op::Compare(op), &[x, y]) => {
                let (op, x, y) = opposite(op, x, y);
                if rewriter.is_all(a) {
                    Rewrite::inst(Op::Compare(op), &[x, y])
                } else {
                    Rewrite::inst(Op::MaskedCompare(op), &[x, y, a])
                }
            }
            (Op::MaskedCompare(op), &[x, y, mask]) if mask == a => {
                let (op, x, y) = opposite(op, x, y);
                Rewrite::inst(Op::MaskedCompare(op), &[x, y, a])
            }
            _ => None,
        },
        MaskBinary::Or | MaskBinary::Xor => None,
    }
}

/// The negated comparison.
fn opposite(op: LaneCompare, a: Value, b: Value) -> (LaneCompare, Value, Value) {
    use WordCompare::{Eq, LeS, LeU, LtS, LtU, Ne};
    match op {
        LaneCompare::EqF => (LaneCompare::NeF, a, b),
        LaneCompare::NeF => (LaneCompare::EqF, a, b),
        LaneCompare::LtF => (LaneCompare::NltF, a, b),
        LaneCompare::NltF => (LaneCompare::LtF, a, b),
        LaneCompare::LeF => (LaneCompare::NleF, a, b),
        LaneCompare::NleF => (LaneCompare::LeF, a, b),
        LaneCompare::Int(Eq) => (LaneCompare::Int(Ne), a, b),
        LaneCompare::Int(Ne) => (LaneCompare::Int(Eq), a, b),
        LaneCompare::Int(LtU) => (LaneCompare::Int(LeU), b, a),
        LaneCompare::Int(LeU) => (LaneCompare::Int(LtU), b, a),
        LaneCompare::Int(LtS) => (LaneCompare::Int(LeS), b, a),
        LaneCompare::Int(LeS) => (LaneCompare::Int(LtS), b, a),
    }
}

fn select(rewriter: &mut Rewriter, mask: Value, a: Value, b: Value) -> Option<Rewrite> {
    if let Some((Op::MaskBinary(MaskBinary::AndNot), &[all, inner])) = rewriter.parts(mask)
        && rewriter.is_all(all)
    {
        return Rewrite::inst(Op::Select, &[inner, b, a]);
    }
    if let Some((Op::Select, &[inner, x, y])) = rewriter.parts(a) {
        if implies(rewriter, mask, inner) {
            return Rewrite::inst(Op::Select, &[mask, x, b]);
        }
        if excludes(rewriter, mask, inner) {
            return Rewrite::inst(Op::Select, &[mask, y, b]);
        }
    }
    if let Some((Op::Select, &[inner, _, y])) = rewriter.parts(b)
        && implies(rewriter, inner, mask)
    {
        return Rewrite::inst(Op::Select, &[mask, a, y]);
    }
    if let Some((Op::Select, &[inner, x, y])) = rewriter.absorbed(a)
        && y == b
    {
        let both = match rewriter.absorbed(inner) {
            Some((Op::Compare(op), &[p, q])) => {
                rewriter.make_inst(Op::MaskedCompare(op), &[p, q, mask])?
            }
            _ => rewriter.make_inst(Op::MaskBinary(MaskBinary::And), &[inner, mask])?,
        };
        return Rewrite::inst(Op::Select, &[both, x, b]);
    }
    match rewriter.absorbed(a)? {
        (Op::Binary(op), &[x, y]) if is_one_instruction(op) => {
            Rewrite::inst(Op::Masked(op), &[b, x, y, mask])
        }
        (Op::Fma, &[x, y, z]) => Rewrite::inst(Op::MaskedFma, &[b, x, y, z, mask]),
        _ => None,
    }
}

/// Whether it is a single CPU instruction, which can have a mask.
fn is_one_instruction(op: LaneBinary) -> bool {
    use WordBinary::{DivS, DivU, RemS, RemU};
    !matches!(op, LaneBinary::Int(DivU | DivS | RemU | RemS))
}

/// The unmasked form of an instruction whose last operand is the full mask.
fn under_all(inst: &Inst) -> Option<Rewrite> {
    let rest = &inst.operands[..inst.operands.len() - 1];
    match inst.op {
        Op::LoadRow(row) if row.is_masked => Rewrite::inst(Op::LoadRow(unmasked(row)), rest),
        Op::StoreRow(row) if row.is_masked => Rewrite::inst(Op::StoreRow(unmasked(row)), rest),
        Op::Masked(op) => Rewrite::inst(Op::Binary(op), &rest[1..]),
        Op::MaskedFma => Rewrite::inst(Op::Fma, &rest[1..]),
        Op::MaskedCompare(op) => Rewrite::inst(Op::Compare(op), rest),
        _ => None,
    }
}

fn unmasked(row: Row) -> Row {
    Row {
        is_masked: false,
        ..row
    }
}

/// The replacement of an instruction whose last operand is the empty mask.
fn under_none(inst: &Inst) -> Option<Rewrite> {
    match inst.op {
        Op::StoreRow(row) if row.is_masked => Some(Rewrite::Nothing),
        Op::LoadRow(row) if row.is_masked => Rewrite::inst(Op::Splat(0), &[]),
        Op::Scatter(_) | Op::ScatterHalves(_) => Some(Rewrite::Nothing),
        Op::Gather(_) | Op::Atomic(..) | Op::CompareExchange(..) => {
            Rewrite::inst(Op::Splat(0), &[])
        }
        Op::Masked(_) | Op::MaskedFma => Some(Rewrite::Value(inst.operands[0])),
        Op::MaskedCompare(_) => Rewrite::inst(Op::Mask(0), &[]),
        _ => None,
    }
}
