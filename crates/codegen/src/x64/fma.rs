//! Fused multiply-add: the choice among the forms 132, 213 and 231.
//!
//! Each form overwrites one register operand and can read another from memory. An operand with further uses would have
//! to be copied before it is overwritten, so an operand without further uses is overwritten if possible. Negations of
//! operands are folded.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::group::{Operand, Reg};
use super::select::Select;

/// The three forms for one combination of signs; each overwrites its first operand.
#[derive(Clone, Copy, Debug)]
struct Forms {
    /// first * third + second
    f132: Code,
    /// second * first + third
    f213: Code,
    /// second * third + first
    f231: Code,
}

/// The instructions of a target: `fmadd`, `fmsub` (addend negated), `fnmadd` (product negated) and `fnmsub` (both),
/// each in its forms 132, 213 and 231.
pub(crate) type Table = [[Code; 3]; 4];

/// Creates an operand that may be in memory.
pub(crate) type MakeOperand = fn(&mut Select<'_>, Value) -> Operand;

/// The chosen instruction: its code, the overwritten operand and the other operands.
pub(crate) struct Choice {
    pub(crate) code: Code,
    pub(crate) replaced: VReg,
    pub(crate) second: Operand,
    pub(crate) third: Operand,
}

/// `a * b + c`.
pub(crate) fn fma(
    s: &mut Select<'_>,
    table: &Table,
    operand: MakeOperand,
    operands: &[Value],
    result: VReg,
) {
    let [a, b, c] = *operands else { return };
    let (forms, values) = signed(s, table, [a, b, c]);
    let choice = choose(s, forms, operand, values);
    let result = Reg(result, s.vector_view());
    let args = [
        Operand::Tied(result, choice.replaced),
        choice.second,
        choice.third,
    ];
    s.op(choice.code, &args);
}

/// `a * b + c`, overwriting one of its operands, which must not be folded.
pub(crate) fn fma_in_place(
    s: &mut Select<'_>,
    table: &Table,
    operand: MakeOperand,
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

/// Folds negations of operands into the instruction.
fn signed(s: &Select<'_>, table: &Table, values: [Value; 3]) -> (Forms, [Value; 3]) {
    let mut signs = [false; 3];
    let mut plain = values;
    for (value, sign) in plain.iter_mut().zip(&mut signs) {
        if let Some(other) = s
            .values
            .negated(*value)
            .filter(|_| s.values.is_folded(*value))
        {
            (*value, *sign) = (other, true);
        }
    }
    let row = usize::from(signs[2]) + 2 * usize::from(signs[0] != signs[1]);
    let [f132, f213, f231] = table[row];
    (Forms { f132, f213, f231 }, plain)
}

fn choose(s: &mut Select<'_>, forms: Forms, operand: MakeOperand, [a, b, c]: [Value; 3]) -> Choice {
    let is_folded = |s: &Select<'_>, value| s.values.is_folded(value);
    let is_free =
        |s: &Select<'_>, value| s.values.use_count(value) == 1 && !s.values.is_folded(value);
    // A memory operand must be the second factor.
    let (a, b) = if is_folded(s, a) && !is_folded(s, b) {
        (b, a)
    } else {
        (a, b)
    };
    if is_folded(s, c) {
        // It is best to overwrite a factor that has no other use.
        let is_second_better = is_folded(s, b) || is_free(s, b) && !is_free(s, a);
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

/// Overwrites the addend; the second factor may be in memory.
fn replace_sum(
    s: &mut Select<'_>,
    forms: Forms,
    operand: MakeOperand,
    [a, b, c]: [Value; 3],
) -> Choice {
    let (a, b) = if s.values.is_folded(a) {
        (b, a)
    } else {
        (a, b)
    };
    Choice {
        code: forms.f231,
        replaced: s.reg(c),
        second: lanes(s, a),
        third: operand(s, b),
    }
}

/// Overwrites the first factor; the addend may be in memory.
fn replace_factor(
    s: &mut Select<'_>,
    forms: Forms,
    operand: MakeOperand,
    [a, b, c]: [Value; 3],
) -> Choice {
    Choice {
        code: forms.f213,
        replaced: s.reg(a),
        second: lanes(s, b),
        third: operand(s, c),
    }
}

fn lanes(s: &mut Select<'_>, value: Value) -> Operand {
    Operand::Use(Reg(s.reg(value), s.vector_view()))
}
