//! Lowers `discard` to `OpDemoteToHelperInvocation`.
//!
//! In: a module. Out: the same, with each `discard` replaced by a store to a marked variable; `postprocess` replaces
//! that store by the instruction. What always holds: a module without `discard` is unchanged.

use anywarp_program::naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, Literal, Module, Scalar,
    Span, Statement, Type, TypeInner,
};

use super::marker::Marker;

/// Marks every `discard`. Returns whether there was one.
pub(super) fn mark(module: &mut Module) -> bool {
    let functions = module.functions.iter().map(|(_, function)| function);
    let entry_points = module.entry_points.iter().map(|entry| &entry.function);
    if !functions
        .chain(entry_points)
        .any(|function| discards(&function.body))
    {
        return false;
    }
    let ty = Type {
        name: None,
        inner: TypeInner::Scalar(Scalar::BOOL),
    };
    let ty = module.types.insert(ty, Span::UNDEFINED);
    let marker = GlobalVariable {
        name: Some(Marker::Demote.name()),
        space: AddressSpace::Private,
        binding: None,
        ty,
        init: None,
        memory_decorations: Default::default(),
    };
    let marker = module.global_variables.append(marker, Span::UNDEFINED);
    for (_, function) in module.functions.iter_mut() {
        replace_in(function, marker);
    }
    for entry in &mut module.entry_points {
        replace_in(&mut entry.function, marker);
    }
    true
}

fn discards(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Kill => true,
        Statement::Block(inner) => discards(inner),
        Statement::If { accept, reject, .. } => discards(accept) || discards(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| discards(&case.body)),
        Statement::Loop {
            body, continuing, ..
        } => discards(body) || discards(continuing),
        _ => false,
    })
}

fn replace_in(function: &mut Function, marker: Handle<GlobalVariable>) {
    if !discards(&function.body) {
        return;
    }
    let expressions = &mut function.expressions;
    let pointer = expressions.append(Expression::GlobalVariable(marker), Span::UNDEFINED);
    let value = expressions.append(Expression::Literal(Literal::Bool(true)), Span::UNDEFINED);
    replace(&mut function.body, &Statement::Store { pointer, value });
}

fn replace(block: &mut Block, demote: &Statement) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Kill => *statement = demote.clone(),
            Statement::Block(inner) => replace(inner, demote),
            Statement::If { accept, reject, .. } => {
                replace(accept, demote);
                replace(reject, demote);
            }
            Statement::Switch { cases, .. } => {
                cases
                    .iter_mut()
                    .for_each(|case| replace(&mut case.body, demote));
            }
            Statement::Loop {
                body, continuing, ..
            } => {
                replace(body, demote);
                replace(continuing, demote);
            }
            _ => {}
        }
    }
}
