//! The limits of the bytecode on what the modules of a program define.

use super::{ir, lower};
use crate::TranslateError;
use crate::bytecode::{FunctionType, MAX_GLOBALS, MAX_TABLES};
use crate::module::{Definitions, LinkedModule};

/// Memories, and tables, that an 8-bit operand can name.
const MAX_MEMORIES: usize = 256;

/// Data segments, and element segments, that a 16-bit operand can name.
const MAX_SEGMENTS: u32 = 0xffff;

/// An error if a module, with the modules before it, exceeds a limit.
pub(super) fn check(
    linked: &LinkedModule<'_>,
    definitions: &Definitions,
) -> Result<(), TranslateError> {
    for (_, ty) in &linked.types {
        check_signature(ty)?;
    }
    if definitions.tables.len() > MAX_MEMORIES || definitions.memories.len() > MAX_MEMORIES {
        return Err(TranslateError::module(
            "has more than 256 memories or tables, including those of linked modules",
        ));
    }
    let tables = definitions.tables.iter();
    let elements: u64 = tables.map(|table| u64::from(table.limits.initial)).sum();
    if elements > u64::from(MAX_TABLES) {
        return Err(TranslateError::module(format!(
            "has tables of {elements} elements, including those of linked modules; \
             {MAX_TABLES} are supported"
        )));
    }
    let globals = definitions.globals.iter();
    let slots: u64 = globals.map(|global| u64::from(global.ty.slots())).sum();
    if slots > u64::from(MAX_GLOBALS) {
        return Err(TranslateError::module(format!(
            "has globals of {slots} slots, including those of linked modules; \
             {MAX_GLOBALS} are supported"
        )));
    }
    if definitions.data > MAX_SEGMENTS || definitions.elements > MAX_SEGMENTS {
        return Err(TranslateError::module(
            "has more than 65535 data or element segments",
        ));
    }
    Ok(())
}

fn check_signature(ty: &FunctionType) -> Result<(), TranslateError> {
    let slots = ir::slots(&ty.params).max(ir::slots(&ty.results));
    if slots > lower::MAX_SIGNATURE {
        let limit = lower::MAX_SIGNATURE;
        return Err(TranslateError::module(format!(
            "has a function type with {slots} slots of parameters or results; {limit} are supported"
        )));
    }
    Ok(())
}
