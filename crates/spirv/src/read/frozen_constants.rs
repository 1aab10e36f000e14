//! Frozen specialization constants: those that have to keep their defaults.
//!
//! WGSL allows an override as an array length only for a whole workgroup variable. Where SPIR-V uses such an array
//! elsewhere, the specialization constants that its length depends on are frozen: all uses then agree, and an attempt
//! to set one reports that there is no such override. Also frozen are 64-bit array lengths and constants that share a
//! `SpecId` but not a default. (`constants.rs` itself keeps the default of 64-bit integers and of floats whose default
//! WGSL cannot write.)

use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::error::Result;
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction, Module};

/// Constants with the same `SpecId` and different defaults: one override cannot represent both.
fn at_odds(spirv: &Module<'_>) -> Result<Vec<Id>> {
    let mut numbers: HashMap<u32, Instruction<'_>> = HashMap::default();
    let mut found = Vec::new();
    for global in &spirv.globals {
        let is_constant = matches!(
            global.op,
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse
        );
        let id = global.result.filter(|_| is_constant);
        let number = id.and_then(|id| spirv.decorations.value(id, Decoration::SpecId));
        let Some(number) = number else {
            continue;
        };
        let first = numbers.entry(number).or_insert(*global);
        if first.op != global.op || first.operands != global.operands {
            found.extend([first.result()?, global.result()?]);
        }
    }
    Ok(found)
}

/// The frozen constants of a module.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashSet<Id>> {
    let mut lengths = HashMap::default();
    let mut open = Vec::new();
    for global in &spirv.globals {
        match global.op {
            Op::TypeArray => {
                let length = global.id(1)?;
                if let Some(within) = lengths.get(&global.id(0)?) {
                    open.push(*within);
                }
                let definition = spirv.definition(length)?;
                if matches!(definition.op, Op::SpecConstant | Op::SpecConstantOp) {
                    lengths.insert(global.result()?, length);
                    // naga has no 64-bit overrides.
                    let ty = spirv.definition(definition.result_type()?)?;
                    if ty.optional(0) == Some(64) {
                        open.push(length);
                    }
                }
            }
            Op::TypePointer if global.word(0)? == StorageClass::Workgroup as u32 => {}
            Op::TypePointer => open.extend(lengths.get(&global.id(1)?)),
            Op::TypeStruct | Op::TypeRuntimeArray | Op::TypeFunction => {
                open.extend(global.ids(0).filter_map(|part| lengths.get(&part)));
            }
            _ => {}
        }
    }
    open.extend(at_odds(spirv)?);
    if lengths.is_empty() && open.is_empty() {
        return Ok(HashSet::default());
    }
    // Values cannot have such array types either.
    for block in spirv.functions.iter().flat_map(|function| &function.blocks) {
        for instruction in block.inside() {
            open.extend(instruction.result_type.and_then(|ty| lengths.get(&ty)));
        }
    }
    let mut frozen = HashSet::default();
    while let Some(id) = open.pop() {
        if !frozen.insert(id) {
            continue;
        }
        let definition = spirv.definition(id)?;
        match definition.op {
            Op::SpecConstantOp => open.extend(definition.inner_operation()?.used()),
            Op::SpecConstantComposite => open.extend(definition.used()),
            _ => {}
        }
    }
    Ok(frozen)
}
