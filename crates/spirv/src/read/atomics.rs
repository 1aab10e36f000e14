//! Which parts of which variables are atomic.
//!
//! SPIR-V's atomic instructions work on plain integers; naga and WGSL want the variable to say so.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::Op;

use super::layout::{Atomics, ELEMENT};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction, Module};

/// The atomic parts of each variable of the module.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashMap<Id, Atomics>> {
    let mut found: HashMap<Id, Atomics> = HashMap::new();
    let mut parameters = HashMap::new();
    for function in &spirv.functions {
        for (index, parameter) in function.parameters.iter().enumerate() {
            parameters.insert(parameter.result()?, (function.id, index));
        }
    }
    let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
    let instructions: Vec<_> = blocks.flat_map(|block| &block.body).collect();
    let mut open = Vec::new();
    for instruction in &instructions {
        if let Some(at) = pointer_operand(instruction.op) {
            open.push((*instruction, instruction.id(at)?, Vec::new()));
        }
    }
    let mut is_seen = HashSet::new();
    while let Some((instruction, pointer, behind)) = open.pop() {
        let (root, mut path) = trace(spirv, pointer)
            .map_err(|error| error.at(instruction.offset, Some(instruction.op)))?;
        path.extend(behind);
        // Of an image there is no variable with integers in it.
        let Some(root) = root else {
            continue;
        };
        let Some((function, index)) = parameters.get(&root) else {
            found.entry(root).or_default().insert(path);
            continue;
        };
        // What callers hand over is atomic there.
        if is_seen.insert((root, path.clone())) {
            let calls = instructions.iter().filter(|it| it.op == Op::FunctionCall);
            for call in calls {
                if call.id(0)? == *function {
                    open.push((*call, call.id(index + 1)?, path.clone()));
                }
            }
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
    let mut seen = HashSet::new();
    loop {
        if !seen.insert(at.offset) {
            return Err(ReadError::invalid(format!(
                "{pointer} leads back to itself"
            )));
        }
        match at.op {
            Op::Variable | Op::FunctionParameter => break,
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
