//! Finds the variables, and their parts, that must have atomic types.
//!
//! SPIR-V's atomic instructions work on plain integers; naga and WGSL declare atomics in the type of the variable. In:
//! the module. Out: for each variable the paths of its atomic parts, found by pointer analysis: the pointer operand of
//! each atomic instruction is traced through its use-def chain, and through calls, back to the variables.

use std::collections::BTreeSet;

use rspirv::spirv::Op;

use super::layout::{AtomicPaths, ELEMENT};
use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction, Module};

/// The maximum number of definitions visited when the pointer of one atomic instruction is traced.
const MAX_STEPS: usize = 4096;

/// The atomic parts of each module-scope variable.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashMap<Id, AtomicPaths>> {
    if !spirv.has(|op| pointer_operand(op).is_some()) {
        return Ok(HashMap::default());
    }
    let mut found: HashMap<Id, BTreeSet<Vec<u32>>> = HashMap::default();
    let mut parameters = HashMap::default();
    for function in &spirv.functions {
        for (index, parameter) in function.parameters.iter().enumerate() {
            parameters.insert(parameter.result()?, (function.id, index));
        }
    }
    let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
    let instructions = blocks.flat_map(|block| block.body());
    let mut open = Vec::new();
    let mut calls: HashMap<Id, Vec<Instruction<'_>>> = HashMap::default();
    for instruction in instructions {
        if let Some(at) = pointer_operand(instruction.op) {
            open.push((instruction, instruction.id(at)?, Vec::new()));
        }
        if instruction.op == Op::FunctionCall {
            calls
                .entry(instruction.id(0)?)
                .or_default()
                .push(instruction);
        }
    }
    let mut is_seen = HashSet::default();
    while let Some((instruction, pointer, behind)) = open.pop() {
        let traced = trace(spirv, pointer)
            .map_err(|error| error.at(instruction.offset, Some(instruction.op)))?;
        for (root, mut path) in traced {
            path.extend(&behind);
            let Some((function, index)) = parameters.get(&root) else {
                found.entry(root).or_default().insert(path);
                continue;
            };
            // An atomic parameter makes the arguments of all calls atomic.
            if is_seen.insert((root, path.clone())) {
                for call in calls.get(function).into_iter().flatten() {
                    open.push((*call, call.id(index + 1)?, path.clone()));
                }
            }
        }
    }
    let found = found.into_iter();
    Ok(found.map(|(id, paths)| (id, paths.into())).collect())
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

/// All variables and parameters that a pointer may be based on, each with the member path from there.
fn trace(spirv: &Module<'_>, pointer: Id) -> Result<Vec<(Id, Vec<u32>)>> {
    let mut found = Vec::new();
    let mut open = vec![(pointer, Vec::new())];
    let mut seen = HashSet::default();
    // Chains are followed from use to definition; their indices become a path once the variable is known.
    while let Some((id, chains)) = open.pop() {
        if !seen.insert((id, chains.clone())) {
            continue;
        }
        if seen.len() > MAX_STEPS {
            return Err(ReadError::unsupported(
                "a pointer that can be too many things",
            ));
        }
        let at = spirv.definition(id)?;
        match at.op {
            Op::Variable | Op::FunctionParameter => {
                found.push((id, path(spirv, &at, &chains)?));
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                open.push((at.id(0)?, behind(&at, 1, chains)));
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                open.push((at.id(0)?, behind(&at, 2, chains)));
            }
            Op::CopyObject => open.push((at.id(0)?, chains)),
            Op::Select => {
                open.push((at.id(1)?, chains.clone()));
                open.push((at.id(2)?, chains));
            }
            Op::Phi => {
                let sources = at.operands.chunks_exact(2).map(|pair| Id(pair[0]));
                open.extend(sources.map(|source| (source, chains.clone())));
            }
            // Texel atomics do not use an integer variable.
            Op::ImageTexelPointer | Op::ConstantNull | Op::Undef => {}
            _ => {
                let feature = format!("atomic instructions through Op{:?}", at.op);
                return Err(ReadError::unsupported(feature));
            }
        }
    }
    Ok(found)
}

/// The indices of a chain, followed by those of the chains based on it.
fn behind(chain: &Instruction<'_>, from: usize, rest: Vec<Id>) -> Vec<Id> {
    chain.ids(from).chain(rest).collect()
}

/// The member path of a list of indices.
fn path(spirv: &Module<'_>, variable: &Instruction<'_>, indices: &[Id]) -> Result<Vec<u32>> {
    let mut ty = spirv.definition(variable.result_type()?)?.id(1)?;
    let mut path = Vec::new();
    for index in indices {
        let whole = spirv.definition(ty)?;
        if whole.op == Op::TypeStruct {
            let member = spirv.definition(*index)?.word(0)?;
            path.push(member);
            ty = whole.id(member as usize)?;
        } else {
            path.push(ELEMENT);
            ty = whole.id(0)?;
        }
    }
    Ok(path)
}
