//! Whether a conditional jump or move tests a condition of the vector IR.

use anywarp_lanes::ir::{Op, Value, WordCompare};

use super::class::condition;
use super::domain::{AbstractValue, Flags, Scalar, Width};
use super::ir_view::IrView;

/// Whether a condition code holds exactly if a word is not 0 or a mask is not empty.
pub(super) fn tests_condition(ir: &IrView<'_>, flags: Flags, holds: u8, value: Value) -> bool {
    let definition = ir.definition(value);
    match flags {
        Flags::Mask(mask) | Flags::AnyLane(mask) => {
            let is_any =
                definition.is_some_and(|inst| inst.op == Op::Any && inst.operands[0] == mask);
            holds == condition::NOT_EQUAL && (mask == value || is_any)
        }
        Flags::Compare(AbstractValue::Word(a), AbstractValue::Word(b), Width::Narrow) => {
            let own = ir.scalar(value);
            if (a, b, holds) == (own, Scalar::Const(0), condition::NOT_EQUAL) {
                return true;
            }
            let Some(inst) = definition else { return false };
            let Op::WordCompare(compare) = inst.op else {
                return false;
            };
            let [x, y] = [0, 1].map(|at: usize| ir.scalar(inst.operands[at]));
            let (straight, swapped) = conditions(compare);
            (a, b, holds) == (x, y, straight) || (a, b, holds) == (y, x, swapped)
        }
        _ => false,
    }
}

/// The condition codes of a comparison, for operands in order and swapped.
fn conditions(compare: WordCompare) -> (u8, u8) {
    match compare {
        WordCompare::Eq => (condition::EQUAL, condition::EQUAL),
        WordCompare::Ne => (condition::NOT_EQUAL, condition::NOT_EQUAL),
        WordCompare::LtU => (condition::BELOW, condition::ABOVE),
        WordCompare::LeU => (condition::NOT_ABOVE, condition::NOT_BELOW),
        WordCompare::LtS => (condition::LESS, condition::GREATER),
        WordCompare::LeS => (condition::NOT_GREATER, condition::NOT_LESS),
    }
}
