//! Which parts of which variables are atomic.
//!
//! SPIR-V's atomic instructions work on plain integers; naga and WGSL want the variable to say so.

use std::collections::HashMap;

use rspirv::spirv::Op;

use super::layout::{Atomics, ELEMENT};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction, Module};

/// The atomic parts of each variable of the module.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashMap<Id, Atomics>> {
    let mut found: HashMap<Id, Atomics> = HashMap::new();
    let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
    for instruction in blocks.flat_map(|block| &block.body) {
        let Some(at) = pointer_operand(instruction.op) else {
            continue;
        };
        let (root, path) = trace(spirv, instruction.id(at)?)
            .map_err(|error| error.at(instruction.offset, Some(instruction.op)))?;
        // Of an image there is no variable with integers in it.
        if let Some(root) = root {
            found.entry(root).or_default().insert(path);
        }
    }
    Ok(found)
}

fn pointer_operand(op: Op) -> Option<usize> {
    match op {
        Op::AtomicLoad
        | Op::AtomicStore
        | Op::AtomicExchange
        | Op::AtomicCompareExchange
        | Op::AtomicIIncrement
        | Op::AtomicIDecrement
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFAddEXT
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT => Some(0),
        _ => None,
    }
}

/// The variable in which a pointer begins, and the steps.
fn trace(spirv: &Module<'_>, pointer: Id) -> Result<(Option<Id>, Vec<u32>)> {
    let mut chains: Vec<Instruction<'_>> = Vec::new();
    let mut at = spirv.definition(pointer)?;
    loop {
        match at.op {
            Op::Variable => break,
            Op::AccessChain | Op::InBoundsAccessChain => chains.push(at),
            Op::CopyObject => {}
            Op::ImageTexelPointer => return Ok((None, Vec::new())),
            _ => {
                let feature = format!("atomic instructions through Op{:?}", at.op);
                return Err(ReadError::unsupported(feature));
            }
        }
        at = spirv.definition(at.id(0)?)?;
    }
    let mut ty = spirv.definition(at.result_type()?)?.id(1)?;
    let mut path = Vec::new();
    for chain in chains.iter().rev() {
        for index in chain.ids(1) {
            let whole = spirv.definition(ty)?;
            if whole.op == Op::TypeStruct {
                let member = spirv.definition(index)?.word(0)?;
                path.push(member);
                ty = whole.id(member as usize)?;
            } else {
                path.push(ELEMENT);
                ty = whole.id(0)?;
            }
        }
    }
    Ok((at.result, path))
}
