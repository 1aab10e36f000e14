//! The definition of each value: a block parameter or an instruction.

use crate::ir::{BlockId, Function, Inst, Value};

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueDef {
    /// The definition has been removed.
    Nowhere,
    /// A parameter of a block, by its index.
    Parameter(BlockId, u32),
    /// An instruction of a block, by its index.
    Inst(BlockId, u32),
}

impl ValueDef {
    /// The block that defines it.
    pub(crate) fn block(self) -> Option<BlockId> {
        match self {
            Self::Nowhere => None,
            Self::Parameter(block, _) | Self::Inst(block, _) => Some(block),
        }
    }
}

/// By value: its definition.
pub(crate) fn value_defs(function: &Function) -> Vec<ValueDef> {
    let mut value_defs = vec![ValueDef::Nowhere; function.types.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        let id = BlockId(number as u32);
        for (place, value) in block.parameters.iter().enumerate() {
            value_defs[value.index()] = ValueDef::Parameter(id, place as u32);
        }
        for (place, inst) in block.insts.iter().enumerate() {
            if let Some(value) = inst.result {
                value_defs[value.index()] = ValueDef::Inst(id, place as u32);
            }
        }
    }
    value_defs
}

/// The instruction that defines a value, if it is not a block parameter.
pub(crate) fn definition<'a>(
    function: &'a Function,
    value_defs: &[ValueDef],
    value: Value,
) -> Option<&'a Inst> {
    match value_defs[value.index()] {
        ValueDef::Inst(block, place) => Some(&function.block(block).insts[place as usize]),
        ValueDef::Nowhere | ValueDef::Parameter(..) => None,
    }
}
