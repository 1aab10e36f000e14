//! Preserves the order of memory reads and side effects.
//!
//! In: a plan based on use counts. Out: the plan with a `let` for each expression that would otherwise be written after
//! a statement or expression it must precede. Statements are visited in order; evaluated expressions that are not
//! written yet are pending, and are bound when something may change their value.

use anywarp_program::naga::{BinaryOperator, Block, Expression, Handle, Statement};

use super::FunctionView;
use super::let_plan::{LetPlan, Mobility};
use super::loop_numbers::LoopNumbers;
use anywarp_program::operands;

struct EvaluationWalk<'a> {
    function: FunctionView<'a>,
    plan: &'a mut LetPlan,
    /// Evaluated expressions in order, including those already written.
    pending: Vec<Handle<Expression>>,
    /// The stack of expressions to visit; kept to reuse its memory.
    stack: Vec<Visit>,
    loops: LoopNumbers,
}

/// An expression on the path from its consumer to the leaves.
#[derive(Clone, Copy)]
struct Visit {
    expression: Handle<Expression>,
    /// In the right operand of `&&` or `||`, and so conditionally evaluated.
    perhaps: bool,
}

impl Visit {
    fn certain(expression: Handle<Expression>) -> Self {
        Self {
            expression,
            perhaps: false,
        }
    }
}

/// Binds all expressions that must not be written later than they are evaluated.
pub(super) fn enforce(function: FunctionView<'_>, plan: &mut LetPlan) {
    let mut walk = EvaluationWalk {
        function,
        stack: Vec::new(),
        plan,
        pending: Vec::new(),
        loops: LoopNumbers::default(),
    };
    walk.block(function.body, 0);
    walk.flush(0);
}

impl EvaluationWalk<'_> {
    fn block(&mut self, block: &Block, home: u32) {
        for statement in block.iter() {
            match statement {
                Statement::Emit(range) => {
                    for expression in range.clone() {
                        self.emit(expression, home);
                    }
                    continue;
                }
                // No memory access.
                Statement::Break | Statement::Continue | Statement::Kill => continue,
                _ => {}
            }
            let from = self.stack.len();
            let (stack, facts) = (&mut self.stack, &self.plan.facts);
            operands::of_statement(statement, |&used| {
                if facts[used.index()].may_reorder(home) {
                    stack.push(Visit::certain(used));
                }
            });
            self.consume(from, home);
            self.flush(home);
            let inner_home = self.loops.enter(statement, home);
            match statement {
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let home = inner_home;
                    self.nested(body, home);
                    self.block(continuing, home);
                    if let Some(condition) = *break_if {
                        self.stack.push(Visit::certain(condition));
                        self.consume(self.stack.len() - 1, home);
                    }
                    self.flush(home);
                }
                _ => {
                    operands::blocks_of(statement).for_each(|block| self.nested(block, inner_home));
                }
            }
            if let Some(result) = operands::result_of(statement) {
                let index = result.index();
                if self.plan.facts[index].uses > 1
                    || self.function.named_expressions.contains_key(&result)
                {
                    self.plan.facts[index].bound = true;
                }
                if self.plan.facts[index].uses == 1 && !self.plan.facts[index].bound {
                    self.defer(result);
                }
            }
        }
    }

    fn nested(&mut self, block: &Block, home: u32) {
        self.block(block, home);
        self.flush(home);
    }

    fn emit(&mut self, expression: Handle<Expression>, home: u32) {
        if self.plan.is_written(expression) {
            self.consume_operands(expression, home);
        } else if self.plan.facts[expression.index()].uses == 1
            && self.plan.facts[expression.index()].mobility != Mobility::Free
        {
            self.defer(expression);
        }
    }

    fn defer(&mut self, expression: Handle<Expression>) {
        self.plan.facts[expression.index()].pending = true;
        self.pending.push(expression);
    }

    fn consume_operands(&mut self, expression: Handle<Expression>, home: u32) {
        let from = self.stack.len();
        let (stack, facts) = (&mut self.stack, &self.plan.facts);
        operands::of_expression(&self.function.expressions[expression], |&used| {
            if facts[used.index()].may_reorder(home) {
                stack.push(Visit::certain(used));
            }
        });
        self.consume(from, home);
    }

    /// Writes the pending expressions among the operands of one consumer, in the order of the text. The operands are on
    /// the stack from `bottom` on.
    fn consume(&mut self, bottom: usize, home: u32) {
        if self.stack.len() == bottom {
            return;
        }
        self.stack[bottom..].reverse();
        let mut met = 0;
        let mut effect = None;
        while self.stack.len() > bottom
            && let Some(Visit {
                expression,
                perhaps,
            }) = self.stack.pop()
        {
            let index = expression.index();
            if self.plan.facts[index].bound {
                continue;
            }
            // Inside a loop it would be evaluated in each iteration.
            let costly = !matches!(
                self.function.expressions[expression],
                Expression::AccessIndex { .. }
                    | Expression::Access { .. }
                    | Expression::Swizzle { .. }
            );
            if self.plan.facts[index].emitted
                && self.plan.facts[index].home != home
                && costly
                && !self.plan.facts[index].constant
            {
                self.plan.facts[index].bound = true;
                continue;
            }
            if std::mem::take(&mut self.plan.facts[index].pending) {
                let kind = self.plan.facts[expression.index()].mobility;
                // A side effect must precede all reads that are evaluated after it.
                let late = kind == Mobility::Effect && (met > 0 || perhaps);
                if late || (kind == Mobility::Derives && perhaps) {
                    self.plan.facts[index].bound = true;
                    self.consume_operands(expression, home);
                    continue;
                }
                if kind == Mobility::Effect {
                    effect = Some(index);
                }
                met += 1;
            }
            let from = self.stack.len();
            let short = matches!(
                self.function.expressions[expression],
                Expression::Binary {
                    op: BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                    ..
                }
            );
            let (stack, facts) = (&mut self.stack, &self.plan.facts);
            let mut is_right = false;
            operands::of_expression(&self.function.expressions[expression], |&used| {
                let perhaps = perhaps || (short && is_right);
                is_right = true;
                if facts[used.index()].may_reorder(home) {
                    stack.push(Visit {
                        expression: used,
                        perhaps,
                    });
                }
            });
            stack[from..].reverse();
        }
        // Expressions evaluated after a side effect that are still pending may be bound before this consumer; the side
        // effect must then be bound too.
        let facts = &self.plan.facts;
        let is_pending = |operand: &Handle<Expression>| facts[operand.index()].pending;
        if let Some(effect) = effect
            && self.pending.iter().any(is_pending)
        {
            self.plan.facts[effect].bound = true;
        }
    }

    /// Binds all pending expressions, the latest first, because it may contain earlier ones.
    fn flush(&mut self, home: u32) {
        while let Some(expression) = self.pending.pop() {
            if std::mem::take(&mut self.plan.facts[expression.index()].pending) {
                self.plan.facts[expression.index()].bound = true;
                if self.plan.facts[expression.index()].mobility != Mobility::Effect {
                    self.consume_operands(expression, home);
                }
            }
        }
    }
}
