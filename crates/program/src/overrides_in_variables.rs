//! Works around a bug in naga's override resolution: makes functions load overrides from variables.
//!
//! In: a module. Out: an equivalent module, in which each override initializes a private variable, and functions load
//! that variable instead. naga folds expressions that become constant when overrides are set. If it folds a nested
//! constant index, it adds expressions twice and refuses its own result. It does not fold loads.

use std::collections::HashMap;

use naga::{
    AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, MemoryDecorations, Module,
    Override, Range, Span, Statement,
};

use crate::operands;

/// The variable of each override.
type OverrideVariables = HashMap<Handle<Override>, Handle<GlobalVariable>>;

/// Maps expressions of the old arena to the new one.
type HandleMap = HashMap<Handle<Expression>, Handle<Expression>>;

/// The module in which functions load overrides from variables.
pub(crate) fn overrides_in_variables(module: &Module) -> Module {
    let mut module = module.clone();
    let mut variables = OverrideVariables::new();
    for (handle, declaration) in module.overrides.iter() {
        let span = module.overrides.get_span(handle);
        let first = Expression::Override(handle);
        let variable = GlobalVariable {
            name: None,
            space: AddressSpace::Private,
            binding: None,
            ty: declaration.ty,
            init: Some(module.global_expressions.append(first, span)),
            memory_decorations: MemoryDecorations::empty(),
        };
        variables.insert(handle, module.global_variables.append(variable, span));
    }
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entry_points = module
        .entry_points
        .iter_mut()
        .map(|entry_point| &mut entry_point.function);
    for function in functions.chain(entry_points) {
        load_overrides(function, &variables);
    }
    module
}

/// Replaces overrides in a function by loads, except in initializers of local variables, which must be constant.
fn load_overrides(function: &mut Function, variables: &OverrideVariables) {
    let old = std::mem::take(&mut function.expressions);
    let mut new = Arena::new();
    let first_values = copy_of_first_values(function, &old, &mut new);
    let (mut moved, loads) = loads(&old, variables, &mut new);
    for (handle, expression) in old.iter() {
        if !moved.contains_key(&handle) {
            let copy = copied(expression, &moved);
            moved.insert(handle, new.append(copy, old.get_span(handle)));
        }
    }
    for (_, local) in function.local_variables.iter_mut() {
        local
            .init
            .iter_mut()
            .for_each(|init| *init = first_values[init]);
    }
    let names = std::mem::take(&mut function.named_expressions).into_iter();
    function.named_expressions = names.map(|(handle, name)| (moved[&handle], name)).collect();
    operands::all_of_block_mut(
        &mut function.body,
        &mut |operand| *operand = moved[operand],
        &mut |range| {
            if let Some((first, last)) = range.first_and_last() {
                *range = Range::new_from_bounds(moved[&first], moved[&last]);
            }
        },
    );
    let body = std::mem::take(&mut function.body);
    function.body.push(Statement::Emit(loads), Span::UNDEFINED);
    function.body.extend_block(body);
    function.expressions = new;
}

/// A copy of an expression with its operands mapped to the new arena.
fn copied(expression: &Expression, moved: &HandleMap) -> Expression {
    let mut copy = expression.clone();
    operands::of_expression_mut(&mut copy, |operand| *operand = moved[operand]);
    copy
}

/// Adds a load for each override that a function uses. Returns the mapping and the range to emit.
fn loads(
    old: &Arena<Expression>,
    variables: &OverrideVariables,
    new: &mut Arena<Expression>,
) -> (HandleMap, Range<Expression>) {
    let mut pointers = Vec::new();
    for (handle, expression) in old.iter() {
        if let Expression::Override(expression) = expression {
            let pointer = Expression::GlobalVariable(variables[expression]);
            pointers.push((handle, new.append(pointer, old.get_span(handle))));
        }
    }
    let first = new.len() as u32;
    let mut moved = HandleMap::new();
    for (handle, pointer) in pointers {
        let load = Expression::Load { pointer };
        moved.insert(handle, new.append(load, old.get_span(handle)));
    }
    let range = Range::from_index_range(first..new.len() as u32, new);
    (moved, range)
}

/// Copies the initializers of local variables, and returns the mapping.
fn copy_of_first_values(
    function: &Function,
    old: &Arena<Expression>,
    new: &mut Arena<Expression>,
) -> HandleMap {
    let mut needed = vec![false; old.len()];
    for (_, local) in function.local_variables.iter() {
        local
            .init
            .iter()
            .for_each(|init| needed[init.index()] = true);
    }
    let handles: Vec<_> = old.iter().map(|(handle, _)| handle).collect();
    for handle in handles.iter().rev() {
        if needed[handle.index()] {
            operands::of_expression(&old[*handle], |operand| needed[operand.index()] = true);
        }
    }
    let mut moved = HandleMap::new();
    for handle in handles {
        if needed[handle.index()] {
            let copy = copied(&old[handle], &moved);
            moved.insert(handle, new.append(copy, old.get_span(handle)));
        }
    }
    moved
}
