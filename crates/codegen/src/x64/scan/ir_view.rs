//! The IR function as the validator uses it: definitions, constants, and the value of each virtual register.

use anywarp_lanes::ir::{Function, Inst, Op, Type, Value};
use regalloc2::VReg;

use super::super::select::Selection;
use super::domain::Scalar;

/// Definitions and virtual registers of an IR function.
#[derive(Debug)]
pub(super) struct IrView<'a> {
    pub(super) function: &'a Function,
    definitions: Vec<Option<&'a Inst>>,
    /// For each virtual register that has no value of its own number: the value that it holds, or `u32::MAX`.
    aliases: Vec<u32>,
}

impl<'a> IrView<'a> {
    pub(super) fn new(function: &'a Function, selection: &Selection<'_>) -> Self {
        let values = function.types.len();
        let mut definitions = vec![None; values];
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Some(result) = inst.result {
                definitions[result.index()] = Some(inst);
            }
        }
        let others = selection.machine.vregs.saturating_sub(values);
        let mut aliases = vec![u32::MAX; others];
        for (vreg, value) in &selection.aliases {
            if let Some(alias) = aliases.get_mut(vreg.vreg().wrapping_sub(values)) {
                *alias = value.0;
            }
        }
        Self {
            function,
            definitions,
            aliases,
        }
    }

    /// The IR value that a virtual register holds, if any.
    pub(super) fn value_of(&self, vreg: VReg) -> Option<Value> {
        let number = vreg.vreg();
        match number.checked_sub(self.definitions.len()) {
            None => Some(Value(number as u32)),
            Some(other) => Some(Value(self.aliases[other])).filter(|value| value.0 != u32::MAX),
        }
    }

    pub(super) fn definition(&self, value: Value) -> Option<&'a Inst> {
        self.definitions[value.index()]
    }

    pub(super) fn type_of(&self, value: Value) -> Type {
        self.function.type_of(value)
    }

    /// The abstract word of a value, which may be a constant.
    pub(super) fn scalar(&self, value: Value) -> Scalar {
        match self.definition(value).map(|inst| inst.op) {
            Some(Op::Word(word)) => Scalar::Const(word),
            _ => Scalar::Value(value),
        }
    }

    /// The lanes of a constant mask.
    pub(super) fn known_mask(&self, mask: Value) -> Option<u32> {
        match self.definition(mask)?.op {
            Op::Mask(mask) => Some(mask),
            _ => None,
        }
    }
}
