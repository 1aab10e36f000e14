//! Which values are observed only in the lanes of a mask.
//!
//! In: a function and a mask. Out: for each operand of an instruction, whether its lanes outside the mask can have an
//! influence on what the function does. They have none where the instruction ignores them: the index of a gather under
//! a subset of the mask, or a comparison that is intersected with one; and where they only have an influence on lanes of
//! a result that is not observed either. Backward dataflow with a worklist, linear in the size of the function.
//!
//! What holds: such lanes may be replaced by any others. Subsets are derived from intersections alone, so that they
//! stay subsets.

use crate::ir::{Function, Inst, MaskBinary, Op, Value};
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// The most masks that a query for a subset visits.
const MAX_MASKS: usize = 12;

/// By value: whether lanes outside a mask are observed.
pub(super) struct ObservedLanes {
    mask: Value,
    /// By value: whether it is known to be a subset of the mask.
    subsets: Vec<bool>,
    observed: Vec<bool>,
}

impl ObservedLanes {
    /// The analysis of a function for a mask.
    pub(super) fn new(function: &Function, mask: Value) -> Self {
        let defs = value_defs(function);
        let masks = (0..function.types.len() as u32).map(Value);
        let mut analysis = Self {
            mask,
            subsets: masks
                .map(|value| is_subset(function, &defs, value, mask))
                .collect(),
            observed: vec![false; function.types.len()],
        };
        let mut open = Vec::new();
        for block in &function.blocks {
            open.extend(block.terminator.uses());
            for inst in block.insts.iter().filter(|inst| !is_lanewise(inst.op)) {
                open.extend(analysis.observed_operands(inst));
            }
        }
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut analysis.observed[value.index()], true) {
                continue;
            }
            if let Some(inst) = definition(function, &defs, value)
                && is_lanewise(inst.op)
            {
                open.extend(analysis.observed_operands(inst));
            }
        }
        analysis
    }

    /// Whether lanes of an operand outside the mask are observed.
    pub(super) fn observes_others(&self, inst: &Inst, place: usize) -> bool {
        let is_result_observed = match inst.result {
            Some(result) => !is_lanewise(inst.op) || self.observed[result.index()],
            None => true,
        };
        is_result_observed && !self.ignores_others(inst, place)
    }

    /// The operands of which lanes outside the mask are observed if those of the result are.
    fn observed_operands<'a>(&'a self, inst: &'a Inst) -> impl Iterator<Item = Value> + 'a {
        let operands = inst.operands.iter().copied().enumerate();
        operands
            .filter(|(place, _)| !self.ignores_others(inst, *place))
            .map(|(_, operand)| operand)
    }

    /// Whether an instruction ignores lanes outside the mask of an operand.
    fn ignores_others(&self, inst: &Inst, place: usize) -> bool {
        let is_inside = |other: usize| {
            let mask = inst.operands[other];
            mask == self.mask || self.subsets[mask.index()]
        };
        match (inst.op, place) {
            (Op::MaskBinary(MaskBinary::And), _) => is_inside(1 - place),
            (Op::MaskBinary(MaskBinary::AndNot) | Op::Select, 1) => is_inside(0),
            (Op::Gather(_), 1) => is_inside(2),
            (Op::Scatter(_), 1 | 2) => is_inside(3),
            _ => false,
        }
    }
}

/// Whether each lane of the result depends only on the same lane of the operands.
fn is_lanewise(op: Op) -> bool {
    let is_shift = matches!(
        op,
        Op::ShlBy(_) | Op::ShrBy(_) | Op::SarBy(_) | Op::RotateBy(_)
    );
    let is_arithmetic = matches!(op, Op::Binary(_) | Op::Unary(_) | Op::Fma | Op::Ternary(_));
    is_shift || is_arithmetic || matches!(op, Op::Select | Op::Compare(_) | Op::MaskBinary(_))
}

/// Whether a mask is known to be a subset of another one.
pub(super) fn is_subset(function: &Function, defs: &[ValueDef], mask: Value, of: Value) -> bool {
    let mut open = vec![mask];
    for _ in 0..MAX_MASKS {
        let Some(value) = open.pop() else {
            return false;
        };
        if value == of {
            return true;
        }
        if let Some(inst) = definition(function, defs, value) {
            match inst.op {
                Op::MaskBinary(MaskBinary::And) => open.extend(inst.operands.iter().copied()),
                Op::MaskBinary(MaskBinary::AndNot) => open.push(inst.operands[0]),
                _ => {}
            }
        }
    }
    false
}
