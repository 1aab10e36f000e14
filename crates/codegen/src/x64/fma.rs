//! Fused multiply-add: the choice among the forms 132, 213 and 231.
//!
//! Each form overwrites one register operand and can read another from memory. An operand with further uses would have
//! to be copied before it is overwritten, so an operand without further uses is overwritten if possible. Negations of
//! operands are folded.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::group_builder::Operand;
use super::select::Select;
use super::vector::{VectorIsa, vector};

/// The three forms for one combination of signs; each overwrites its first operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FmaForms {
    /// first * third + second
    pub(crate) f132: Code,
    /// second * first + third
    pub(crate) f213: Code,
    /// second * third + first
    pub(crate) f231: Code,
}

/// The chosen instruction: its code, the overwritten operand and the other operands.
pub(crate) struct FmaChoice {
    pub(crate) code: Code,
    pub(crate) replaced: VReg,
    pub(crate) second: Operand,
    pub(crate) third: Operand,
}

impl<V: VectorIsa> Select<'_, V> {
    /// `a * b + c`.
    pub(crate) fn fma(&mut self, operands: &[Value], result: VReg) {
        let [a, b, c] = *operands else { return };
        let (forms, values) = signed(self, [a, b, c]);
        let choice = choose(self, forms, values);
        let args = [
            Operand::Tied(vector::<V>(result), choice.replaced),
            choice.second,
            choice.third,
        ];
        self.op(choice.code, &args);
    }
}

/// `a * b + c`, overwriting one of its operands, which must not be folded.
pub(crate) fn fma_in_place<V: VectorIsa>(
    s: &mut Select<'_, V>,
    [a, b, c]: [Value; 3],
    old: Value,
) -> FmaChoice {
    let (forms, [a, b, c]) = signed(s, [a, b, c]);
    if old == c {
        replace_sum(s, forms, [a, b, c])
    } else {
        replace_factor(s, forms, [a, b, c])
    }
}

/// Folds negations of operands into the instruction.
fn signed<V: VectorIsa>(s: &Select<'_, V>, values: [Value; 3]) -> (FmaForms, [Value; 3]) {
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
    (V::INSTRUCTIONS.fma[row], plain)
}

fn choose<V: VectorIsa>(
    s: &mut Select<'_, V>,
    forms: FmaForms,
    [a, b, c]: [Value; 3],
) -> FmaChoice {
    let is_folded = |s: &Select<'_, V>, value| s.values.is_folded(value);
    let is_free =
        |s: &Select<'_, V>, value| s.values.use_count(value) == 1 && !s.values.is_folded(value);
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
        return replace_factor(s, forms, [a, b, c]);
    }
    if is_free(s, c) || !(is_free(s, a) || is_free(s, b)) {
        return replace_sum(s, forms, [a, b, c]);
    }
    if is_free(s, a) {
        return FmaChoice {
            code: forms.f132,
            replaced: s.reg(a),
            second: s.lanes(c),
            third: s.operand(b),
        };
    }
    replace_factor(s, forms, [b, a, c])
}

/// Overwrites the addend; the second factor may be in memory.
fn replace_sum<V: VectorIsa>(
    s: &mut Select<'_, V>,
    forms: FmaForms,
    [a, b, c]: [Value; 3],
) -> FmaChoice {
    let (a, b) = if s.values.is_folded(a) {
        (b, a)
    } else {
        (a, b)
    };
    FmaChoice {
        code: forms.f231,
        replaced: s.reg(c),
        second: s.lanes(a),
        third: s.operand(b),
    }
}

/// Overwrites the first factor; the addend may be in memory.
fn replace_factor<V: VectorIsa>(
    s: &mut Select<'_, V>,
    forms: FmaForms,
    [a, b, c]: [Value; 3],
) -> FmaChoice {
    FmaChoice {
        code: forms.f213,
        replaced: s.reg(a),
        second: s.lanes(b),
        third: s.operand(c),
    }
}
