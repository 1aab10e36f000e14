//! Use analysis of expressions: the number of uses and the last use of each.
//!
//! It allows reading a value in place instead of copying it. naga evaluates expressions in ranges (`Emit`), and
//! nothing is written inside a range. So a load of a variable whose uses are all in the same range need not copy
//! the variable.

use super::subgroup::gather_lane;
use naga::{Block, Expression, Function, Handle, ImageQuery, Statement};

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
        uses.block(&function.body);
        // Uses come after definitions, so in a backward walk the users of an expression are complete.
        for (handle, expression) in function.expressions.iter().rev() {
            let index = handle.index();
            let reader = if is_alias(expression) {
                uses.last_reader[index].max(index)
            } else {
                index
            };
            for_each_operand(expression, |operand| {
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

    fn block(&mut self, block: &Block) {
        for statement in block {
            for_each_statement_operand(statement, |operand| self.statement_use(operand));
            match statement {
                Statement::Block(inner) => self.block(inner),
                Statement::If { accept, reject, .. } => {
                    self.block(accept);
                    self.block(reject);
                }
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.block(&case.body));
                }
                Statement::Loop {
                    body, continuing, ..
                } => {
                    self.block(body);
                    self.block(continuing);
                }
                _ => {}
            }
        }
    }
}

/// The expressions that a statement itself reads, without those of the blocks in it.
fn for_each_statement_operand(statement: &Statement, mut f: impl FnMut(Handle<Expression>)) {
    match *statement {
        Statement::If { condition, .. } => f(condition),
        Statement::Switch { selector, .. } => f(selector),
        Statement::Loop { break_if, .. } => break_if.into_iter().for_each(f),
        Statement::Return { value } => value.into_iter().for_each(f),
        Statement::Store { pointer, value } => [pointer, value].into_iter().for_each(f),
        Statement::Atomic {
            pointer,
            ref fun,
            value,
            ..
        } => {
            [pointer, value].into_iter().for_each(&mut f);
            if let naga::AtomicFunction::Exchange { compare } = *fun {
                compare.into_iter().for_each(f);
            }
        }
        Statement::WorkGroupUniformLoad { pointer, .. } => f(pointer),
        Statement::Call { ref arguments, .. } => arguments.iter().copied().for_each(f),
        Statement::ImageStore {
            image,
            coordinate,
            array_index,
            value,
        }
        | Statement::ImageAtomic {
            image,
            coordinate,
            array_index,
            value,
            ..
        } => {
            [image, coordinate, value].into_iter().for_each(&mut f);
            array_index.into_iter().for_each(f);
        }
        Statement::SubgroupBallot { predicate, .. } => predicate.into_iter().for_each(f),
        Statement::SubgroupCollectiveOperation { argument, .. } => f(argument),
        Statement::SubgroupGather { mode, argument, .. } => {
            f(argument);
            gather_lane(mode).into_iter().for_each(f);
        }
        // The rest has no operands or is not supported.
        _ => {}
    }
}

/// Whether an expression is an alias: it needs no code, since it names a part of its operand's registers.
pub(super) fn is_alias(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::AccessIndex { .. } | Expression::As { convert: None, .. }
    )
}

/// The expressions that an expression reads.
fn for_each_operand(expression: &Expression, mut f: impl FnMut(Handle<Expression>)) {
    match *expression {
        Expression::Compose { ref components, .. } => components.iter().copied().for_each(f),
        Expression::Access { base, index } => {
            f(base);
            f(index);
        }
        Expression::AccessIndex { base, .. } => f(base),
        Expression::Splat { value, .. } => f(value),
        Expression::Swizzle { vector, .. } => f(vector),
        Expression::Load { pointer } => f(pointer),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => f(expr),
        Expression::ArrayLength(expr) => f(expr),
        Expression::Binary { left, right, .. } => {
            f(left);
            f(right);
        }
        Expression::Select {
            condition,
            accept,
            reject,
        } => {
            f(condition);
            f(accept);
            f(reject);
        }
        Expression::Relational { argument, .. } => f(argument),
        Expression::Math {
            arg,
            arg1,
            arg2,
            arg3,
            ..
        } => {
            f(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(f);
        }
        Expression::ImageLoad {
            image,
            coordinate,
            array_index,
            sample,
            level,
        } => {
            f(image);
            f(coordinate);
            [array_index, sample, level]
                .into_iter()
                .flatten()
                .for_each(f);
        }
        Expression::ImageQuery { image, query } => {
            f(image);
            if let ImageQuery::Size { level: Some(level) } = query {
                f(level);
            }
        }
        // Leaves, results of statements, and what is not supported.
        _ => {}
    }
}
