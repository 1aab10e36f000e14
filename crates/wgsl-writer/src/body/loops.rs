//! Writes loops: as `for` or `while` if possible, else as `loop`.
//!
//! In: a loop of naga. Front ends lower `for` and `while` to a body that begins with a conditional break, and a
//! `continuing` block with the update. Out: the same loop with as much as possible in its header. What always holds: a
//! header contains no expression that needs a `let`; the update uses nothing declared in the body; a variable declared
//! in the header is not used after the loop, and nothing is written between its initialization and the loop.

use anywarp_program::naga::{
    BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, Statement, UnaryOperator,
};

use super::implied_jump::ImpliedJump;
use super::local_scopes::{BlockPosition, Event};
use super::{Body, Result};
use crate::precedence;
use anywarp_program::operands;

/// The header of a `for` or `while` loop.
struct LoopCondition {
    condition: Handle<Expression>,
    /// Whether the loop continues while the condition is true, or while it is false.
    holds: bool,
    /// Number of statements of the body that the header replaces.
    length: usize,
    /// Index of the update statement in `continuing`.
    update: Option<usize>,
    /// The variable that the update assigns.
    counter: Option<Handle<LocalVariable>>,
}

/// The first thing written in a block.
enum FirstStatement {
    Nothing,
    /// A `let`, a `var` or an assignment to `_`.
    Declaration,
    Statement(usize),
}

/// The parts of a loop.
#[derive(Clone, Copy)]
struct LoopParts<'a> {
    body: &'a Block,
    /// The inner block, if the body consists of a single block.
    inner: &'a Block,
    continuing: &'a Block,
    break_if: Option<Handle<Expression>>,
}

impl<'a> Body<'_, 'a> {
    /// Writes a loop, with the preceding store as its initializer if there is one.
    pub(super) fn repetition(
        &mut self,
        block: &'a Block,
        index: usize,
        init: Option<usize>,
    ) -> Result {
        let Some(parts) = self.parts(&block[index]) else {
            return Ok(());
        };
        let events = self.locals.of_block(block);
        let step = BlockPosition::at(index);
        let head = self.head(parts);
        let is_declared = |local: &Handle<LocalVariable>| {
            let mut events = self.locals.at(events, step).iter();
            self.locals.is_last(*local, index)
                && events.any(|(_, event)| *event == Event::Declared(*local))
        };
        let counter = head.as_ref().and_then(|head| head.counter);
        let declared = counter.filter(is_declared);
        self.variables(events, step, declared)?;
        match head {
            Some(head) if head.update.is_none() => self.while_loop(parts, &head),
            Some(head) => {
                // The header is a scope of its own.
                self.scopes.push(Vec::new());
                self.line();
                self.printer.push("for (");
                if let Some(local) = declared {
                    self.variable(local)?;
                } else if let Some(store) = init
                    && let Statement::Store { pointer, value } = block[store]
                {
                    let declares = self
                        .locals
                        .event_kinds(events, BlockPosition::at(store))
                        .by_store;
                    self.store(pointer, value, declares)?;
                }
                self.printer.push("; ");
                self.condition(parts, &head)?;
                self.printer.push("; ");
                self.update(parts, &head)?;
                self.printer.push(") {\n");
                self.rest(parts, &head)?;
                for name in self.scopes.pop().unwrap_or_default() {
                    self.taken.remove(&name);
                }
                Ok(())
            }
            None => self.plain_loop(parts),
        }
    }

    fn parts(&self, statement: &'a Statement) -> Option<LoopParts<'a>> {
        match statement {
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => Some(LoopParts {
                body,
                inner: self.entered(body),
                continuing,
                break_if: *break_if,
            }),
            _ => None,
        }
    }

    /// Whether a store is the initializer of the `for` loop after it.
    pub(super) fn begins_for(&self, block: &'a Block, index: usize) -> bool {
        let Statement::Store { pointer, value } = block[index] else {
            return false;
        };
        let Expression::LocalVariable(local) = self.function.expressions[pointer] else {
            return false;
        };
        let events = self.locals.of_block(block);
        let is_written = |at: &usize| !self.is_silent_at(block, events, *at, false);
        let Some(next) = (index + 1..block.len()).find(is_written) else {
            return false;
        };
        let declares = self
            .locals
            .event_kinds(events, BlockPosition::at(index))
            .by_store;
        let is_over = !declares || self.locals.is_last(local, next);
        let head = self.parts(&block[next]).and_then(|parts| self.head(parts));
        is_over
            && !self.plan.facts[value.index()].compound
            && head.is_some_and(|head| head.counter == Some(local))
    }

    /// The header of a loop, if it can have one.
    fn head(&self, parts: LoopParts<'a>) -> Option<LoopCondition> {
        if parts.break_if.is_some() {
            return None;
        }
        let FirstStatement::Statement(at) = self.first_written(parts.inner) else {
            return None;
        };
        let Statement::If {
            condition,
            accept,
            reject,
        } = &parts.inner[at]
        else {
            return None;
        };
        let is_empty = |block| self.is_silent(block, ImpliedJump::default());
        let holds = if is_empty(accept) && self.is_break(reject) {
            true
        } else if self.is_break(accept) && is_empty(reject) {
            false
        } else {
            return None;
        };
        let update = match self.first_written(parts.continuing) {
            FirstStatement::Nothing => None,
            FirstStatement::Declaration => return None,
            FirstStatement::Statement(at) => Some(at),
        };
        let mut counter = None;
        if let Some(at) = update {
            let after = at + 1..parts.continuing.len();
            let events = self.locals.of_block(parts.continuing);
            let is_only = |at| self.is_silent_at(parts.continuing, events, at, false);
            if !after.into_iter().all(is_only) || !self.is_update(parts, at) {
                return None;
            }
            counter = self.stored_variable(&parts.continuing[at]);
        }
        Some(LoopCondition {
            condition: *condition,
            holds,
            length: at + 1,
            update,
            counter,
        })
    }

    /// The first thing written in a block, if no `let` and no variable comes with it.
    fn first_written(&self, block: &Block) -> FirstStatement {
        let events = self.locals.of_block(block);
        for (index, statement) in block.iter().enumerate() {
            if self.is_silent_at(block, events, index, false) {
                continue;
            }
            let event_kinds = self.locals.event_kinds(events, BlockPosition::at(index));
            if event_kinds.declares
                || event_kinds.by_store
                || matches!(statement, Statement::Emit(_))
            {
                return FirstStatement::Declaration;
            }
            let result = operands::result_of(statement);
            if !result.is_some_and(|result| self.plan.is_deferred(result)) {
                return FirstStatement::Statement(index);
            }
        }
        FirstStatement::Nothing
    }

    /// The inner block of a body that consists of a single block.
    fn entered(&self, body: &'a Block) -> &'a Block {
        let FirstStatement::Statement(at) = self.first_written(body) else {
            return body;
        };
        let events = self.locals.of_block(body);
        let mut after = at + 1..body.len();
        match &body[at] {
            Statement::Block(inner)
                if after.all(|index| self.is_silent_at(body, events, index, false)) =>
            {
                self.entered(inner)
            }
            _ => body,
        }
    }

    fn is_break(&self, block: &Block) -> bool {
        let events = self.locals.of_block(block);
        block.split_last().is_some_and(|(last, before)| {
            let mut before = 0..before.len();
            matches!(last, Statement::Break)
                && before.all(|index| self.is_silent_at(block, events, index, false))
        })
    }

    /// Whether a statement of `continuing` can be the update in the header.
    fn is_update(&self, parts: LoopParts<'a>, at: usize) -> bool {
        let is_plain = match parts.continuing[at] {
            Statement::Store { pointer, .. } => !self.printer.is_atomic(pointer),
            Statement::Call { result, .. } => result.is_none(),
            _ => false,
        };
        // The body declares the bindings of expressions evaluated in the loop.
        let is_from_body = |used: Handle<Expression>| {
            let facts = &self.plan.facts[used.index()];
            facts.bound && self.home(parts) == Some(facts.home)
        };
        let mut open = Vec::new();
        for statement in &parts.continuing[..=at] {
            operands::of_statement(statement, |&used| open.push(used));
        }
        while is_plain && let Some(used) = open.pop() {
            if is_from_body(used) {
                return false;
            }
            if !self.plan.facts[used.index()].bound {
                operands::of_expression(&self.function.expressions[used], |&used| open.push(used));
            }
        }
        is_plain
    }

    /// The number of a loop, from any expression emitted in it; `None` if there is none.
    fn home(&self, parts: LoopParts<'a>) -> Option<u32> {
        let blocks = [parts.body, parts.inner, parts.continuing];
        let mut statements = blocks.into_iter().flat_map(|block| block.iter());
        statements.find_map(|statement| {
            let evaluated = match statement {
                Statement::Emit(range) => range.clone().next(),
                other => operands::result_of(other),
            };
            evaluated.map(|handle| self.plan.facts[handle.index()].home)
        })
    }

    fn stored_variable(&self, statement: &Statement) -> Option<Handle<LocalVariable>> {
        match *statement {
            Statement::Store { pointer, .. } => match self.function.expressions[pointer] {
                Expression::LocalVariable(local) => Some(local),
                _ => None,
            },
            _ => None,
        }
    }

    fn while_loop(&mut self, parts: LoopParts<'a>, head: &LoopCondition) -> Result {
        self.line();
        self.printer.push("while ");
        self.condition(parts, head)?;
        self.printer.push(" {\n");
        self.rest(parts, head)
    }

    /// Registers the calls that are written where their results are used.
    fn defer(&mut self, statements: &'a [Statement]) -> Result {
        for statement in statements {
            if operands::result_of(statement).is_some() {
                self.effect(statement)?;
            }
        }
        Ok(())
    }

    fn condition(&mut self, parts: LoopParts<'a>, head: &LoopCondition) -> Result {
        self.defer(&parts.inner[..head.length])?;
        if head.holds {
            self.printer.any(head.condition)
        } else {
            self.negated(head.condition)
        }
    }

    fn update(&mut self, parts: LoopParts<'a>, head: &LoopCondition) -> Result {
        let Some(at) = head.update else {
            return Ok(());
        };
        self.defer(&parts.continuing[..at])?;
        match parts.continuing[at] {
            Statement::Store { pointer, value } => match self.step_by_one(value) {
                Some(sign) => {
                    self.printer.reference(pointer)?;
                    self.printer.push(sign);
                    self.printer.push(sign);
                    Ok(())
                }
                None => self.store(pointer, value, false),
            },
            ref call => self.printer.effect(call).map(|_| ()),
        }
    }

    /// `++` or `--` for an update that adds or subtracts 1.
    fn step_by_one(&self, value: Handle<Expression>) -> Option<&'static str> {
        let Expression::Binary { op, right, .. } = self.function.expressions[value] else {
            return None;
        };
        let is_one = matches!(
            self.function.expressions[right],
            Expression::Literal(Literal::I32(1) | Literal::U32(1))
        );
        let is_plain = self.plan.facts[value.index()].compound
            && !self.printer.hidden.contains_key(&value)
            && self.printer.name_of(right).is_none();
        let is_step = matches!(op, BinaryOperator::Add | BinaryOperator::Subtract);
        (is_one && is_plain && is_step).then(|| precedence::sign(op))
    }

    /// Writes the body without the statements in the header.
    fn rest(&mut self, parts: LoopParts<'a>, head: &LoopCondition) -> Result {
        let tail = ImpliedJump {
            continues: true,
            ..ImpliedJump::default()
        };
        self.open_scope();
        self.statements_from(parts.inner, head.length, tail)?;
        self.close_scope();
        self.line();
        self.printer.push("}\n");
        Ok(())
    }

    /// Writes the condition of `break if`; a logical not is folded into its operand.
    fn last_condition(&mut self, condition: Handle<Expression>) -> Result {
        match self.function.expressions[condition] {
            Expression::Unary {
                op: UnaryOperator::LogicalNot,
                expr,
            } if self.printer.name_of(condition).is_none() => self.negated(expr),
            _ => self.printer.any(condition),
        }
    }

    fn plain_loop(&mut self, parts: LoopParts<'a>) -> Result {
        let is_endless = self.flow.is_endless(parts.body);
        let is_silent = self.is_silent(parts.continuing, ImpliedJump::default());
        self.line();
        self.printer.push("loop {\n");
        self.open_scope();
        let tail = ImpliedJump {
            continues: true,
            ..ImpliedJump::default()
        };
        self.statements(parts.body, tail)?;
        if !is_silent || parts.break_if.is_some() || is_endless {
            self.line();
            self.printer.push("continuing {\n");
            self.open_scope();
            self.statements(parts.continuing, ImpliedJump::default())?;
            if let Some(condition) = parts.break_if {
                self.line();
                self.printer.push("break if ");
                self.last_condition(condition)?;
                self.end();
            } else if is_endless {
                // WGSL requires an exit in every loop.
                self.words("break if false");
            }
            self.close_scope();
            self.line();
            self.printer.push("}\n");
        }
        self.close_scope();
        self.line();
        self.printer.push("}\n");
        Ok(())
    }
}
