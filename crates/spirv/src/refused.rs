//! What naga refuses of that which a module became.
//!
//! Such a module is invalid in a way that only naga looks for, or valid and naga lacks something. naga knows
//! nothing of the words from which things come, so the module is read again, with places.

use anywarp_program::ProgramError;
use naga::valid::{Capabilities, FunctionError, ValidationError, ValidationFlags, Validator};

use crate::error::ReadError;
use crate::module::Module;
use crate::read::{ReadOptions, read_located};

/// The error, with the instruction where naga knows it.
pub(crate) fn refused(error: &ProgramError, words: &[u32], options: &ReadOptions) -> ReadError {
    let refused = without_position(error);
    // Anything else says nothing about a place, and may not be tried twice.
    if error.diagnostic().is_none() {
        return refused;
    }
    let Ok(spirv) = Module::parse(words) else {
        return refused;
    };
    match place(&spirv, options) {
        Some(offset) => {
            let op = words.get(offset).map(|word| word & 0xffff);
            let line = spirv.line(offset);
            let op = op.and_then(rspirv::spirv::Op::from_u32);
            refused.at(offset, op).of_line(line)
        }
        None => refused,
    }
}

/// The error without a position: the module is invalid in a way that only naga checks, or valid and naga lacks a feature.
fn without_position(error: &ProgramError) -> ReadError {
    let text = error.to_string();
    // This is a limit of ours.
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

/// The word at which the instruction begins that naga refuses.
fn place(spirv: &Module<'_>, options: &ReadOptions) -> Option<usize> {
    let module = read_located(spirv, options).ok()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let error = validator.validate(&module).err()?;
    // The innermost thing comes first.
    let spans = error.spans().map(|(span, _)| *span);
    let inside = match error.as_inner() {
        ValidationError::Function {
            handle,
            source: FunctionError::Expression { handle: inside, .. },
            ..
        } => {
            let function = module.functions.try_get(*handle).ok();
            function.map(|it| it.expressions.get_span(*inside))
        }
        _ => None,
    };
    let own = match error.as_inner() {
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
    let place = inside
        .into_iter()
        .chain(spans)
        .chain(own)
        .find_map(|span| span.to_range())
        .map(|range| range.start);
    place.or_else(|| {
        let name = match error.as_inner() {
            ValidationError::EntryPoint { name, .. } => Some(name),
            _ => None,
        };
        // One that naga does not name is some entry point's all the same.
        let mut named = spirv.entry_points.iter();
        let found = named.find(|it| name.is_none_or(|name| it.name == *name));
        found.map(|it| it.instruction.offset)
    })
}
