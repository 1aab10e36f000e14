//! Restores the short-circuit operators `&&` and `||`, which naga lowers to control flow.
//!
//! In: a function in which `a && b` is an unnamed variable, set to `b` or `false` in the two branches of an `if` and
//! loaded once after it. Out: the function with the load replaced by the operator. What always holds: all expressions
//! keep their handle and type, so analyses stay valid. Branches that do more than evaluate expressions are not changed.

use anywarp_program::naga::{
    self, Arena, BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable,
    Module, Statement, SwitchCase, TypeInner, UnaryOperator,
};
use anywarp_program::walk;

/// The expressions and the body with restored operators; `None` if there are none.
pub(super) fn restore(module: &Module, function: &Function) -> Option<(Arena<Expression>, Block)> {
    if !has_candidate(module, function) {
        return None;
    }
    let mut expressions = function.expressions.clone();
    let count = function.local_variables.len();
    let mut restorer = Restorer {
        reads: vec![None; count],
        mentions: vec![0; count],
        is_anonymous: function
            .local_variables
            .iter()
            .map(|(_, local)| local.name.is_none())
            .collect(),
        expressions: &mut expressions,
    };
    restorer.survey_expressions();
    restorer.survey_block(&function.body);
    let body = restorer.block(&function.body);
    Some((expressions, body))
}

fn has_candidate(module: &Module, function: &Function) -> bool {
    function.local_variables.iter().any(|(_, local)| {
        local.name.is_none()
            && local.init.is_none()
            && matches!(module.types[local.ty].inner, TypeInner::Scalar(scalar) if scalar == naga::Scalar::BOOL)
    })
}

struct Restorer<'a> {
    expressions: &'a mut Arena<Expression>,
    /// The only load of each variable; `None` if there are none or several.
    reads: Vec<Option<Handle<Expression>>>,
    is_anonymous: Vec<bool>,
    /// Number of stores and other uses of each variable.
    mentions: Vec<u32>,
}

impl Restorer<'_> {
    fn local(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.expressions[pointer] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }

    fn survey_expressions(&mut self) {
        let mut used = Vec::new();
        for (handle, expression) in self.expressions.iter() {
            match *expression {
                Expression::Load { pointer } => used.push((pointer, Some(handle))),
                // Loads of parts are not loads of a boolean.
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                    used.push((base, None));
                }
                _ => {}
            }
        }
        for (pointer, read) in used {
            if let Some(local) = self.local(pointer) {
                self.mentions[local.index()] += 1;
                self.reads[local.index()] = read;
            }
        }
    }

    fn survey_block(&mut self, block: &Block) {
        for statement in walk::statements(block) {
            match statement {
                Statement::Store { pointer, .. } => self.mention(*pointer),
                Statement::Call { arguments, .. } => {
                    arguments
                        .iter()
                        .for_each(|argument| self.mention(*argument));
                }
                _ => {}
            }
        }
    }

    fn mention(&mut self, pointer: Handle<Expression>) {
        if let Some(local) = self.local(pointer) {
            self.mentions[local.index()] += 1;
        }
    }

    /// Innermost first, so that an operator may be an operand of another.
    fn block(&mut self, block: &Block) -> Block {
        let mut restored = Block::with_capacity(block.len());
        let mut statements = block.span_iter().peekable();
        while let Some((statement, span)) = statements.next() {
            let statement = self.nested(statement);
            let next = statements.peek().map(|(next, _)| *next);
            match self.operator(&statement, next) {
                Some((read, operator)) => {
                    if let Statement::If { accept, .. } = statement {
                        for (statement, span) in accept.span_into_iter() {
                            if matches!(statement, Statement::Emit(_)) {
                                restored.push(statement, span);
                            }
                        }
                    }
                    self.expressions[read] = operator;
                }
                None => restored.push(statement, *span),
            }
        }
        restored
    }

    fn nested(&mut self, statement: &Statement) -> Statement {
        match *statement {
            Statement::Block(ref block) => Statement::Block(self.block(block)),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => Statement::If {
                condition,
                accept: self.block(accept),
                reject: self.block(reject),
            },
            Statement::Switch {
                selector,
                ref cases,
            } => {
                let cases = cases.iter().map(|case| SwitchCase {
                    value: case.value,
                    body: self.block(&case.body),
                    fall_through: case.fall_through,
                });
                Statement::Switch {
                    selector,
                    cases: cases.collect(),
                }
            }
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => Statement::Loop {
                body: self.block(body),
                continuing: self.block(continuing),
                break_if,
            },
            ref other => other.clone(),
        }
    }

    /// The operator represented by an `if` and the load after it, with that load.
    fn operator(
        &self,
        statement: &Statement,
        next: Option<&Statement>,
    ) -> Option<(Handle<Expression>, Expression)> {
        let Statement::If {
            condition,
            accept,
            reject,
        } = statement
        else {
            return None;
        };
        let (local, right) = self.only_store(accept)?;
        let (other, short) = self.only_store(reject)?;
        let index = local.index();
        if other != local || self.mentions[index] != 3 || !self.is_anonymous[index] {
            return None;
        }
        let read = self.reads[index]?;
        match next {
            Some(Statement::Emit(range)) if range.clone().any(|expression| expression == read) => {}
            _ => return None,
        }
        let (op, left) = match (&self.expressions[short], &self.expressions[*condition]) {
            (Expression::Literal(Literal::Bool(false)), _) => {
                (BinaryOperator::LogicalAnd, *condition)
            }
            (
                Expression::Literal(Literal::Bool(true)),
                Expression::Unary {
                    op: UnaryOperator::LogicalNot,
                    expr,
                },
            ) => (BinaryOperator::LogicalOr, *expr),
            _ => return None,
        };
        Some((read, Expression::Binary { op, left, right }))
    }

    /// The store that is the only effect of a block.
    fn only_store(&self, block: &Block) -> Option<(Handle<LocalVariable>, Handle<Expression>)> {
        let (last, before) = block.split_last()?;
        if !before
            .iter()
            .all(|statement| matches!(statement, Statement::Emit(_)))
        {
            return None;
        }
        match last {
            Statement::Store { pointer, value } => Some((self.local(*pointer)?, *value)),
            _ => None,
        }
    }
}
