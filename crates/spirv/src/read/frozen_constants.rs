//! Specialisation constants that keep their defaults.
//!
//! WGSL's arrays have lengths that a pipeline sets only as variables of a workgroup, whole. Where SPIR-V
//! has them elsewhere, the constants of which the length is made are frozen: then everything that depends
//! on them agrees, and who wants to set them hears that there is no such override. So are integers of 64
//! bits and floats whose default WGSL cannot write, where they are declared, and constants that share
//! a number but not a default.

use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::error::Result;
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction, Module};

/// Constants with one number and different defaults: no override is both.
fn at_odds(spirv: &Module<'_>) -> Result<Vec<Id>> {
    let mut numbers: HashMap<u32, Instruction<'_>> = HashMap::default();
    let mut found = Vec::new();
    for it in &spirv.globals {
        let is_constant = matches!(
            it.op,
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse
        );
        let id = it.result.filter(|_| is_constant);
        let number = id.and_then(|id| spirv.decorations.value(id, Decoration::SpecId));
        let Some(number) = number else {
            continue;
        };
        let first = numbers.entry(number).or_insert(*it);
        if first.op != it.op || first.operands != it.operands {
            found.extend([first.result()?, it.result()?]);
        }
    }
    Ok(found)
}

/// The constants of a module that are frozen.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashSet<Id>> {
    let mut lengths = HashMap::default();
    let mut open = Vec::new();
    for it in &spirv.globals {
        match it.op {
            Op::TypeArray => {
                let length = it.id(1)?;
                if let Some(within) = lengths.get(&it.id(0)?) {
                    open.push(*within);
                }
                let definition = spirv.definition(length)?;
                if matches!(definition.op, Op::SpecConstant | Op::SpecConstantOp) {
                    lengths.insert(it.result()?, length);
                    // naga has no overrides of 64 bits.
                    let ty = spirv.definition(definition.result_type()?)?;
                    if ty.optional(0) == Some(64) {
                        open.push(length);
                    }
                }
            }
            Op::TypePointer if it.word(0)? == StorageClass::Workgroup as u32 => {}
            Op::TypePointer => open.extend(lengths.get(&it.id(1)?)),
            Op::TypeStruct | Op::TypeRuntimeArray | Op::TypeFunction => {
                open.extend(it.ids(0).filter_map(|part| lengths.get(&part)));
            }
            _ => {}
        }
    }
    open.extend(at_odds(spirv)?);
    if lengths.is_empty() && open.is_empty() {
        return Ok(HashSet::default());
    }
    // Neither are such arrays values.
    for block in spirv.functions.iter().flat_map(|it| &it.blocks) {
        for it in block.inside() {
            open.extend(it.result_type.and_then(|ty| lengths.get(&ty)));
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
