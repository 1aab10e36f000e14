//! Lowers `discard` to `OpDemoteToHelperInvocation`.
//!
//! In: a module. Out: the same, with each `discard` replaced by a store to a marked variable; `postprocess` replaces
//! that store by the instruction. What always holds: a module without `discard` is unchanged.

use anywarp_program::naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, Literal, Module, Scalar,
    Span, Statement, Type, TypeInner,
};
use anywarp_program::{operands, walk};

use super::marker::Marker;

/// Marks every `discard`. Returns whether there was one.
pub(super) fn mark(module: &mut Module) -> bool {
    if !walk::functions(module).any(|function| discards(&function.body)) {
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
    walk::statements(block).any(|statement| matches!(statement, Statement::Kill))
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
        if matches!(statement, Statement::Kill) {
            *statement = demote.clone();
        }
        operands::blocks_of_mut(statement).for_each(|block| replace(block, demote));
    }
}
