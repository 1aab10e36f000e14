//! Refuses infinite `f16` literals.
//!
//! In: a module validated by naga. Out: the first infinite `f16` literal as a diagnostic, if any. naga refuses
//! infinities and NaN of `f32` and `f64`, but evaluates `f16(70000)` to infinity, which has no literal in any shading
//! language. Modules from SPIR-V represent such constants as bit patterns.

use naga::{Arena, Expression, Literal, Module};

use crate::{Diagnostic, Source};

pub(crate) fn check(module: &Module, source: Option<&Source>) -> Result<(), Diagnostic> {
    let points = module
        .entry_points
        .iter()
        .map(|entry_point| &entry_point.function);
    let functions = points.chain(module.functions.iter().map(|function| function.1));
    let inside = functions.map(|function| &function.expressions);
    for expressions in inside.chain([&module.global_expressions]) {
        check_arena(expressions, source)?;
    }
    Ok(())
}

fn check_arena(expressions: &Arena<Expression>, source: Option<&Source>) -> Result<(), Diagnostic> {
    let is_infinite = |expression: &Expression| matches!(expression, Expression::Literal(Literal::F16(value)) if !value.is_finite());
    let Some((handle, _)) = expressions.iter().find(|entry| is_infinite(entry.1)) else {
        return Ok(());
    };
    let label = expressions.get_span(handle).to_range();
    let label = label.map(|range| (range, "here".to_owned()));
    let notes = vec!["the largest number of `f16` is 65504".to_owned()];
    Err(Diagnostic::new(
        "the type `f16` cannot represent this value",
        label,
        notes,
        source,
    ))
}
