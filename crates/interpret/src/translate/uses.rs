//! Use analysis of expressions: the number of uses and the last use of each.
//!
//! It allows reading a value in place instead of copying it. naga evaluates expressions in ranges (`Emit`), and
//! nothing is written inside a range. So a load of a variable whose uses are all in the same range need not copy
//! the variable.

use anywarp_program::{operands, walk};
use naga::{Expression, Function, Handle, Statement};

/// The uses of every expression of a function.
pub(super) struct Uses {
    /// The number of uses of each expression.
    counts: Vec<u32>,
    /// The index of the last expression that reads the value, also through aliases (expressions that only name a
    /// part of it); `usize::MAX` if a statement does.
    last_reader: Vec<usize>,
}

impl Uses {
    pub(super) fn of(function: &Function) -> Self {
        let len = function.expressions.len();
        let mut uses = Self {
            counts: vec![0; len],
            last_reader: vec![0; len],
        };
        for statement in walk::statements(&function.body) {
            uses.statement(statement);
        }
        // Uses come after definitions, so in a backward walk the users of an expression are complete.
        for (handle, expression) in function.expressions.iter().rev() {
            let index = handle.index();
            let reader = if is_alias(expression) {
                uses.last_reader[index].max(index)
            } else {
                index
            };
            operands::of_expression(expression, |operand| {
                uses.counts[operand.index()] += 1;
                let last = &mut uses.last_reader[operand.index()];
                *last = (*last).max(reader);
            });
        }
        uses
    }

    /// Whether every use of the expression is an expression before index `end`.
    pub(super) fn end_before(&self, handle: Handle<Expression>, end: usize) -> bool {
        self.last_reader[handle.index()] < end
    }

    /// Whether the registers of an expression have a single use, aliases included.
    pub(super) fn is_only_use(&self, function: &Function, mut handle: Handle<Expression>) -> bool {
        loop {
            if self.counts[handle.index()] != 1 {
                return false;
            }
            match function.expressions[handle] {
                Expression::AccessIndex { base, .. } => handle = base,
                Expression::As {
                    expr,
                    convert: None,
                    ..
                } => handle = expr,
                _ => return true,
            }
        }
    }

    fn statement_use(&mut self, handle: Handle<Expression>) {
        self.counts[handle.index()] += 1;
        self.last_reader[handle.index()] = usize::MAX;
    }

    /// Records the operands of a statement, without those of nested blocks.
    fn statement(&mut self, statement: &Statement) {
        operands::of_statement(statement, |operand| self.statement_use(*operand));
        if let Statement::Loop {
            break_if: Some(condition),
            ..
        } = statement
        {
            self.statement_use(*condition);
        }
    }
}

/// Whether an expression is an alias: it needs no code, since it names a part of its operand's registers.
pub(super) fn is_alias(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::AccessIndex { .. } | Expression::As { convert: None, .. }
    )
}
