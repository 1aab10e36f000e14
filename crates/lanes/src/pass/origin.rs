//! Where each value is defined.

use crate::ir::{BlockId, Function, Inst, Value};

/// Where a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nowhere: what defined it is gone.
    Nowhere,
    /// By a parameter of a block, by its place.
    Parameter(BlockId, u32),
    /// By an instruction of a block, by its place.
    Inst(BlockId, u32),
}

impl Origin {
    /// The block that defines it.
    pub(crate) fn block(self) -> Option<BlockId> {
        match self {
            Self::Nowhere => None,
            Self::Parameter(block, _) | Self::Inst(block, _) => Some(block),
        }
    }
}

/// Where each value is defined, by value.
pub(crate) fn origins(function: &Function) -> Vec<Origin> {
    let mut origins = vec![Origin::Nowhere; function.types.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        let id = BlockId(number as u32);
        for (place, value) in block.parameters.iter().enumerate() {
            origins[value.index()] = Origin::Parameter(id, place as u32);
        }
        for (place, inst) in block.insts.iter().enumerate() {
            if let Some(value) = inst.result {
                origins[value.index()] = Origin::Inst(id, place as u32);
            }
        }
    }
    origins
}

/// The instruction that defines a value, if one does.
pub(crate) fn definition<'a>(
    function: &'a Function,
    origins: &[Origin],
    value: Value,
) -> Option<&'a Inst> {
    match origins[value.index()] {
        Origin::Inst(block, place) => Some(&function.block(block).insts[place as usize]),
        Origin::Nowhere | Origin::Parameter(..) => None,
    }
}
