//! Integers that become wider and change their sign at once.
//!
//! WGSL extends by the sign of the number; naga's writer extends by the sign of the result's type. In: a
//! module with its analysis. Out: the same, in which such a conversion is two: one that keeps the sign,
//! and one that only calls the bits by another name.

use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    Arena, Expression, Function, Handle, Module, Range, ScalarKind, Type, UniqueArena,
};

use crate::write::operands;

/// Divides every such conversion. Says whether there were any: then the analysis must be made again.
pub(super) fn divide(module: &mut Module, info: &ModuleInfo) -> bool {
    let mut changed = false;
    for (handle, function) in module.functions.iter_mut() {
        changed |= in_function(function, &info[handle], &module.types);
    }
    for (index, entry) in module.entry_points.iter_mut().enumerate() {
        let info = info.get_entry_point(index);
        changed |= in_function(&mut entry.function, info, &module.types);
    }
    changed
}

/// The conversion that comes first, where an expression is two of them.
fn first_half(
    expression: &Expression,
    info: &FunctionInfo,
    types: &UniqueArena<Type>,
) -> Option<Expression> {
    let Expression::As {
        expr,
        kind: to @ (ScalarKind::Sint | ScalarKind::Uint),
        convert: Some(width),
    } = *expression
    else {
        return None;
    };
    let from = info[expr].ty.inner_with(types).scalar()?;
    let is_integer = matches!(from.kind, ScalarKind::Sint | ScalarKind::Uint);
    (is_integer && from.kind != to && from.width < width).then_some(Expression::As {
        expr,
        kind: from.kind,
        convert: Some(width),
    })
}

fn in_function(function: &mut Function, info: &FunctionInfo, types: &UniqueArena<Type>) -> bool {
    let is_two = |expression| first_half(expression, info, types).is_some();
    if !function.expressions.iter().any(|(_, it)| is_two(it)) {
        return false;
    }
    // Where each expression is now, and where it begins, if half of it stands before it.
    let mut places: Vec<(Handle<Expression>, Handle<Expression>)> = Vec::new();
    let mut divided = Arena::new();
    for (handle, expression) in function.expressions.iter() {
        let span = function.expressions.get_span(handle);
        let mut second = expression.clone();
        let mut first = None;
        if let Some(mut half) = first_half(expression, info, types) {
            operands::of_expression_mut(&mut half, |used| *used = places[used.index()].1);
            let half = divided.append(half, span);
            if let Expression::As { expr, convert, .. } = &mut second {
                (*expr, *convert) = (half, None);
            }
            first = Some(half);
        } else {
            operands::of_expression_mut(&mut second, |used| *used = places[used.index()].1);
        }
        let place = divided.append(second, span);
        places.push((first.unwrap_or(place), place));
    }
    function.expressions = divided;
    let moved = |used: &mut Handle<Expression>| *used = places[used.index()].1;
    for (_, local) in function.local_variables.iter_mut() {
        local.init.iter_mut().for_each(moved);
    }
    let names = std::mem::take(&mut function.named_expressions);
    let names = names.into_iter();
    function.named_expressions = names
        .map(|(handle, name)| (places[handle.index()].1, name))
        .collect();
    operands::all_of_block_mut(&mut function.body, &mut { moved }, &mut |range| {
        if let Some((first, last)) = range.first_and_last() {
            let (first, last) = (places[first.index()].0, places[last.index()].1);
            *range = Range::new_from_bounds(first, last);
        }
    });
    true
}
