//! Fused multiplications and additions: which of three forms.
//!
//! The machine replaces one of the operands, and can read another from memory. What is used again had to be
//! copied, so something else is replaced if possible.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::build::{Part, Reg};
use super::select::Select;

/// The instructions of one sign: each replaces its first operand.
#[derive(Clone, Copy, Debug)]
struct Forms {
    /// By first * third + second.
    f132: Code,
    /// By second * first + third.
    f213: Code,
    /// By second * third + first.
    f231: Code,
}

/// The instructions of a target: with the product and the sum as they are, with the sum negated, with the product
/// negated, with both; each in its forms 132, 213 and 231.
pub(crate) type Table = [[Code; 3]; 4];

/// Makes an operand that may be in memory.
pub(crate) type Operand = fn(&mut Select<'_>, Value) -> Part;

/// An instruction: its code, what it replaces, and the other operands.
pub(crate) struct Choice {
    pub(crate) code: Code,
    pub(crate) replaced: VReg,
    pub(crate) second: Part,
    pub(crate) third: Part,
}

/// `a * b + c`.
pub(crate) fn fma(
    s: &mut Select<'_>,
    table: &Table,
    operand: Operand,
    operands: &[Value],
    result: VReg,
) {
    let [a, b, c] = *operands else { return };
    let (forms, values) = signed(s, table, [a, b, c]);
    let choice = choose(s, forms, operand, values);
    let result = Reg(result, s.vector_view());
    let parts = [
        Part::Tied(result, choice.replaced),
        choice.second,
        choice.third,
    ];
    s.op(choice.code, &parts);
}

/// `a * b + c` in place of one of its operands, which must not be lazy.
pub(crate) fn fma_in_place(
    s: &mut Select<'_>,
    table: &Table,
    operand: Operand,
    [a, b, c]: [Value; 3],
    old: Value,
) -> Choice {
    let (forms, [a, b, c]) = signed(s, table, [a, b, c]);
    if old == c {
        replace_sum(s, forms, operand, [a, b, c])
    } else {
        replace_factor(s, forms, operand, [a, b, c])
    }
}

/// Takes negations that are only for this into the instruction.
fn signed(s: &Select<'_>, table: &Table, values: [Value; 3]) -> (Forms, [Value; 3]) {
    let mut signs = [false; 3];
    let mut plain = values;
    for (value, sign) in plain.iter_mut().zip(&mut signs) {
        if let Some(other) = s.facts.negated(*value).filter(|_| s.facts.is_lazy(*value)) {
            (*value, *sign) = (other, true);
        }
    }
    let row = usize::from(signs[2]) + 2 * usize::from(signs[0] != signs[1]);
    let [f132, f213, f231] = table[row];
    (Forms { f132, f213, f231 }, plain)
}

fn choose(s: &mut Select<'_>, forms: Forms, operand: Operand, [a, b, c]: [Value; 3]) -> Choice {
    let is_lazy = |s: &Select<'_>, value| s.facts.is_lazy(value);
    let is_free = |s: &Select<'_>, value| s.facts.count(value) == 1 && !s.facts.is_lazy(value);
    // A factor in memory goes second.
    let (a, b) = if is_lazy(s, a) && !is_lazy(s, b) {
        (b, a)
    } else {
        (a, b)
    };
    if is_lazy(s, c) {
        // A factor that is made for this use alone is replaced best.
        let is_second_better = is_lazy(s, b) || is_free(s, b) && !is_free(s, a);
        let (a, b) = if is_second_better { (b, a) } else { (a, b) };
        return replace_factor(s, forms, operand, [a, b, c]);
    }
    if is_free(s, c) || !(is_free(s, a) || is_free(s, b)) {
        return replace_sum(s, forms, operand, [a, b, c]);
    }
    if is_free(s, a) {
        return Choice {
            code: forms.f132,
            replaced: s.reg(a),
            second: lanes(s, c),
            third: operand(s, b),
        };
    }
    replace_factor(s, forms, operand, [b, a, c])
}

/// The sum is replaced; the second factor may be in memory.
fn replace_sum(
    s: &mut Select<'_>,
    forms: Forms,
    operand: Operand,
    [a, b, c]: [Value; 3],
) -> Choice {
    let (a, b) = if s.facts.is_lazy(a) { (b, a) } else { (a, b) };
    Choice {
        code: forms.f231,
        replaced: s.reg(c),
        second: lanes(s, a),
        third: operand(s, b),
    }
}

/// The first factor is replaced; the sum may be in memory.
fn replace_factor(
    s: &mut Select<'_>,
    forms: Forms,
    operand: Operand,
    [a, b, c]: [Value; 3],
) -> Choice {
    Choice {
        code: forms.f213,
        replaced: s.reg(a),
        second: lanes(s, b),
        third: operand(s, c),
    }
}

fn lanes(s: &mut Select<'_>, value: Value) -> Part {
    Part::Use(Reg(s.reg(value), s.vector_view()))
}
