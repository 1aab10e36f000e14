//! Unwraps buffer blocks with one member.
//!
//! SPIR-V requires a buffer to be a struct, so WGSL compilers wrap a buffer `a: array<u32>` into a struct of one
//! member. In: a module. Out: the buffer variables that can have the type of that member. Such a struct has exactly
//! one member, at offset 0, and no name from the source program; all uses of the buffer go through that member.

use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::maps::HashSet;
use crate::module::{Id, Instruction, Module};

/// The buffers to unwrap.
pub(super) fn find(spirv: &Module<'_>) -> HashSet<Id> {
    let variables = spirv
        .globals
        .iter()
        .filter(|global| global.op == Op::Variable);
    let wrapped = variables.filter(|variable| is_wrapped(spirv, variable));
    let mut found: HashSet<Id> = wrapped.filter_map(|variable| variable.result).collect();
    if found.is_empty() {
        return found;
    }
    let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
    for instruction in blocks.flat_map(|block| block.inside()) {
        match instruction.op {
            Op::AccessChain | Op::InBoundsAccessChain if instruction.operands.len() > 1 => {}
            Op::ArrayLength => {}
            _ => instruction.each_used(|id| {
                found.remove(&id);
            }),
        }
    }
    found
}

/// Whether a variable is a buffer whose struct type was synthesised by a compiler.
fn is_wrapped(spirv: &Module<'_>, variable: &Instruction<'_>) -> bool {
    let class = variable.optional(0).and_then(StorageClass::from_u32);
    let is_buffer = matches!(
        class,
        Some(StorageClass::Uniform | StorageClass::StorageBuffer)
    );
    let pointer = variable
        .result_type
        .and_then(|ty| spirv.definition(ty).ok());
    let Some(ty) = pointer
        .and_then(|definition| definition.optional(1))
        .filter(|_| is_buffer)
    else {
        return false;
    };
    let ty = Id(ty);
    let is_struct = |definition: &Instruction<'_>| {
        definition.op == Op::TypeStruct && definition.operands.len() == 1
    };
    let decorations = &spirv.decorations;
    let is_block =
        decorations.has(ty, Decoration::Block) || decorations.has(ty, Decoration::BufferBlock);
    spirv
        .definition(ty)
        .is_ok_and(|definition| is_struct(&definition))
        && is_block
        && decorations.member_value(ty, 0, Decoration::Offset) == Some(0)
        && is_synthesised(spirv, ty)
}

/// naga leaves the names of such structs empty; Tint derives them from the variable, and names the member `inner`.
fn is_synthesised(spirv: &Module<'_>, ty: Id) -> bool {
    let name = spirv.names.of(ty).unwrap_or_default();
    match spirv.names.member(ty, 0).unwrap_or_default() {
        "" => name.is_empty(),
        "inner" => name.ends_with("_block"),
        _ => false,
    }
}
