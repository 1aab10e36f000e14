//! Collects the stores of a function, and the pointers that escape from it.

use std::collections::HashSet;

use anywarp_program::naga::{Block, Expression, Function, Handle, Statement};

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
        // Iterative, because blocks may nest deeply.
        let mut waiting: Vec<&Block> = vec![&function.body];
        while let Some(block) = waiting.pop() {
            for statement in block {
                match statement {
                    Statement::Block(inner) => waiting.push(inner),
                    Statement::If { accept, reject, .. } => waiting.extend([accept, reject]),
                    Statement::Switch { cases, .. } => {
                        waiting.extend(cases.iter().map(|case| &case.body));
                    }
                    Statement::Loop {
                        body, continuing, ..
                    } => waiting.extend([body, continuing]),
                    Statement::Store { pointer, value } => found.stores.push((*pointer, *value)),
                    Statement::Call { arguments, .. } => found.escaped.extend(arguments),
                    Statement::Atomic { pointer, .. }
                    | Statement::WorkGroupUniformLoad { pointer, .. } => {
                        found.escaped.insert(*pointer);
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
