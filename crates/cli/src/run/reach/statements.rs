//! Collects the stores of a function, and the pointers that escape from it.

use std::collections::HashSet;

use anywarp_program::naga::{Expression, Function, Handle, Statement};
use anywarp_program::walk;

/// The uses of pointers in the statements of a function.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) stores: Vec<(Handle<Expression>, Handle<Expression>)>,
    /// Expressions that are passed to functions or modified in ways that the analysis does not track.
    pub(super) escaped: HashSet<Handle<Expression>>,
}

impl Statements {
    pub(super) fn of(function: &Function) -> Self {
        let mut found = Self::default();
        for statement in walk::statements(&function.body) {
            match statement {
                Statement::Store { pointer, value } => found.stores.push((*pointer, *value)),
                Statement::Call { arguments, .. } => found.escaped.extend(arguments),
                Statement::Atomic { pointer, .. }
                | Statement::WorkGroupUniformLoad { pointer, .. } => {
                    found.escaped.insert(*pointer);
                }
                _ => {}
            }
        }
        found
    }
}
