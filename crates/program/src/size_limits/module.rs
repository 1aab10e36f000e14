//! The limits of this module for modules that did not come from text.
//!
//! In: a module that may be invalid. Out: an error that names the constant, variable or structure over a limit. Text
//! that passed the token-based checks passes these too.

use naga::{Expression, Handle, Module, Type, TypeInner};

use super::{MAX_MEMBERS, MAX_UNFOLDED};
use crate::ProgramError;
use crate::operands;

/// Refuses a module with constants or structures over the limits.
pub(crate) fn check_module(module: &Module, name: &str) -> Result<(), ProgramError> {
    let too_large = |what: String| Err(ProgramError::TooLarge(format!("{name} {what}")));
    if let Some(structure) = large_structure(module) {
        return too_large(format!(
            "has a structure, {structure}, of more than {MAX_MEMBERS} members, those of its members included"
        ));
    }
    if let Some(constant) = large_constant(module) {
        return too_large(format!(
            "has constants of more than {MAX_UNFOLDED} parts together, up to {constant}"
        ));
    }
    Ok(())
}

/// The name of a constant or structure in messages.
fn called(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("`{name}`"),
        None => "one without a name".to_owned(),
    }
}

fn large_structure(module: &Module) -> Option<String> {
    let mut members: Vec<u64> = Vec::with_capacity(module.types.len());
    for (_, ty) in module.types.iter() {
        // In a valid module the types that a type uses come before it.
        let of = |used: Handle<Type>| members.get(used.index()).copied().unwrap_or(1);
        let count = match &ty.inner {
            TypeInner::Struct { members, .. } => members
                .iter()
                .fold(0, |all: u64, member| all.saturating_add(of(member.ty))),
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => of(*base),
            _ => 1,
        };
        if count > MAX_MEMBERS {
            return Some(called(ty.name.as_deref()));
        }
        members.push(count);
    }
    None
}

/// The first constant at which the total weight exceeds the limit. Each constant counts once; in modules with overrides
/// it counts for each use, because setting an override evaluates functions again, which copies their constants.
fn large_constant(module: &Module) -> Option<String> {
    let weights = weights(module);
    let weight = |value: Handle<Expression>| weights.get(value.index()).copied().unwrap_or(1);
    let constants = module.constants.iter();
    let constants = constants.map(|(_, constant)| (constant.name.as_deref(), constant.init));
    let variables = module.global_variables.iter();
    let variables =
        variables.filter_map(|(_, variable)| Some((variable.name.as_deref(), variable.init?)));
    let points = module
        .entry_points
        .iter()
        .map(|entry_point| &entry_point.function);
    let functions = points.chain(module.functions.iter().map(|(_, function)| function));
    let mentioned = functions
        .filter(|_| !module.overrides.is_empty())
        .flat_map(|function| function.expressions.iter())
        .filter_map(|(_, expression)| match expression {
            Expression::Constant(constant) => module.constants.try_get(*constant).ok(),
            _ => None,
        })
        .map(|constant| (constant.name.as_deref(), constant.init));
    let mut all = 0_u64;
    for (name, value) in constants.chain(variables).chain(mentioned) {
        // A part of a constant counts for each constant that contains it.
        all = all.saturating_add(weight(value));
        if all > MAX_UNFOLDED {
            return Some(called(name));
        }
    }
    None
}

/// The weight of each global expression: its number of expressions without sharing.
fn weights(module: &Module) -> Vec<u64> {
    let mut weights: Vec<u64> = Vec::with_capacity(module.global_expressions.len());
    for (_, expression) in module.global_expressions.iter() {
        let mut weight = 1_u64;
        let mut add = |used: Handle<Expression>| {
            let of_used = weights.get(used.index()).copied().unwrap_or(1);
            weight = weight.saturating_add(of_used);
        };
        match expression {
            Expression::Constant(constant) => {
                if let Ok(constant) = module.constants.try_get(*constant) {
                    add(constant.init);
                }
            }
            expression => operands::of_expression(expression, |&used| add(used)),
        }
        weights.push(weight);
    }
    weights
}
