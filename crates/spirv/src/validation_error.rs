//! Errors of naga's validator on translated modules.
//!
//! In: a validation error of the translated module, and the SPIR-V words. Out: a [`ReadError`] with the position of the
//! instruction. A module that naga rejects is invalid in a way that only naga checks, or valid and naga lacks a
//! feature. The normal translation records no positions, so the module is translated again, with spans that are word
//! offsets.

use anywarp_program::ProgramError;
use naga::valid::{Capabilities, FunctionError, ValidationError, ValidationFlags, Validator};

use crate::error::ReadError;
use crate::module::Module;
use crate::read::{ReadOptions, read_located};

/// Converts a validation error, with the offending instruction if naga reports its span.
pub(crate) fn locate_validation_error(
    error: &ProgramError,
    words: &[u32],
    options: &ReadOptions,
) -> ReadError {
    let unlocated = without_position(error);
    // Other errors have no position, and translating again could exceed a limit a second time.
    if error.diagnostic().is_none() {
        return unlocated;
    }
    let Ok(spirv) = Module::parse(words) else {
        return unlocated;
    };
    match word_offset(&spirv, options) {
        Some(offset) => {
            let op = words.get(offset).map(|word| word & 0xffff);
            let line = spirv.line(offset);
            let op = op.and_then(rspirv::spirv::Op::from_u32);
            unlocated.at(offset, op).of_line(line)
        }
        None => unlocated,
    }
}

/// The error without a position: the module is invalid in a way that only naga checks, or valid and naga lacks a feature.
fn without_position(error: &ProgramError) -> ReadError {
    let text = error.to_string();
    // A limit of this crate, not of naga.
    if matches!(error, ProgramError::TooLarge(_)) {
        return ReadError::unsupported(text);
    }
    let lines: Vec<_> = text
        .lines()
        .map(|line| line.trim().trim_start_matches("= note: "))
        .map(|line| line.trim_start_matches("error: "))
        .collect();
    ReadError::unsupported(format!(
        "naga refuses what it becomes: {}",
        lines.join("; ")
    ))
}

/// The word offset of the instruction that naga rejects.
fn word_offset(spirv: &Module<'_>, options: &ReadOptions) -> Option<usize> {
    let module = read_located(spirv, options).ok()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let error = validator.validate(&module).err()?;
    // Spans are ordered from the innermost to the outermost.
    let spans = error.spans().map(|(span, _)| *span);
    let expression_span = match error.as_inner() {
        ValidationError::Function {
            handle,
            source: FunctionError::Expression {
                handle: expression, ..
            },
            ..
        } => {
            let function = module.functions.try_get(*handle).ok();
            function.map(|function| function.expressions.get_span(*expression))
        }
        _ => None,
    };
    let declaration_span = match error.as_inner() {
        ValidationError::Type { handle, .. } => Some(module.types.get_span(*handle)),
        ValidationError::Constant { handle, .. } => Some(module.constants.get_span(*handle)),
        ValidationError::Override { handle, .. } => Some(module.overrides.get_span(*handle)),
        ValidationError::GlobalVariable { handle, .. } => {
            Some(module.global_variables.get_span(*handle))
        }
        ValidationError::Function { handle, .. } => Some(module.functions.get_span(*handle)),
        ValidationError::ConstExpression { handle, .. }
        | ValidationError::ArraySizeError { handle } => {
            Some(module.global_expressions.get_span(*handle))
        }
        _ => None,
    };
    let word_offset = expression_span
        .into_iter()
        .chain(spans)
        .chain(declaration_span)
        .find_map(|span| span.to_range())
        .map(|range| range.start);
    word_offset.or_else(|| {
        let name = match error.as_inner() {
            ValidationError::EntryPoint { name, .. } => Some(name),
            _ => None,
        };
        // An error about entry points without a name is attributed to the first entry point.
        let mut named = spirv.entry_points.iter();
        let found = named.find(|entry_point| name.is_none_or(|name| entry_point.name == *name));
        found.map(|entry_point| entry_point.instruction.offset)
    })
}
