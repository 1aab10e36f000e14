//! Writes statements, one per line.
//!
//! In: a block, and the decisions of the other modules. Out: its text. What always holds: expressions are bound in the
//! order of the plan; nothing is written for statements that the end of the block implies; nesting and the size of
//! copied cases are limited.

use anywarp_program::naga::{
    Barrier, BinaryOperator, Block, Expression, FastHashMap, Handle, Literal, LocalVariable,
    ScalarKind, Statement, SwitchCase, SwitchValue, TypeInner, UnaryOperator,
};

use super::implied_jump::ImpliedJump;
use super::local_scopes::{BlockPosition, Event, Events};
use super::{Body, Result};
use crate::WriteError;
use crate::effect::UnusedResult;
use crate::literal;
use crate::name::Name;
use crate::precedence::{self, Slot};
use crate::uniformity::adjacent_control_barrier;
use anywarp_program::operands;

/// naga's name for values assigned to `_`.
const PHONY: &str = "phony";

/// WGSL's limit on nested braces.
const MAX_BRACES: usize = 127;

/// Maximal text of a function in copies of fallthrough cases.
const MAX_REPEATED_BYTES: usize = 1 << 20;

impl<'a> Body<'_, 'a> {
    pub(super) fn line(&mut self) {
        // Enough for the nesting of most programs in one piece.
        const SPACES: &str = "                                ";
        let mut rest = 4 * self.indent;
        while rest > 0 {
            let length = rest.min(SPACES.len());
            self.printer.push(&SPACES[..length]);
            rest -= length;
        }
    }

    pub(super) fn end(&mut self) {
        self.printer.push(";\n");
    }

    pub(super) fn words(&mut self, words: &str) {
        self.line();
        self.printer.push(words);
        self.end();
    }

    /// The keyword that hides a value from constant evaluation: `var` if there are overrides, because naga then looks
    /// through `let`.
    fn hiding(&self, value: Handle<Expression>) -> &'static str {
        let is_constant = self.plan.facts[value.index()].constant
            || matches!(self.function.expressions[value], Expression::Override(_));
        if is_constant && !self.printer.cx.module.overrides.is_empty() {
            "var "
        } else {
            "let "
        }
    }

    /// Binds hidden constants at the start of the function.
    pub(super) fn hidden_constants(&mut self) -> Result {
        let mut operators = std::mem::take(&mut self.plan.hiding);
        // Literals and zeros first: a front end gives them no position, so they come first again when the text is
        // parsed and written again.
        operators.sort_unstable_by_key(|(operator, operand)| {
            let expression = &self.function.expressions[*operand];
            let is_nowhere = matches!(
                expression,
                Expression::Literal(_) | Expression::ZeroValue(_)
            );
            (!is_nowhere, *operator)
        });
        let mut names: FastHashMap<Handle<Expression>, Name> = FastHashMap::default();
        for (operator, operand) in operators.drain(..) {
            let is_used = self.plan.facts[operator.index()].uses > 0;
            if !is_used && !self.plan.is_written(operator) {
                continue;
            }
            let name = match names.get(&operand) {
                Some(name) => name.clone(),
                None => {
                    self.line();
                    let name = match self.function.named_expressions.get(&operand) {
                        Some(name) => self.declare(Some(name), "value"),
                        None => self.declare(None, "value"),
                    };
                    self.printer.push(self.hiding(operand));
                    self.printer.push(&name);
                    self.printer.push(" = ");
                    self.printer.any(operand)?;
                    self.end();
                    names.insert(operand, name.clone());
                    name
                }
            };
            self.printer.hidden.insert(operator, (operand, name));
        }
        self.plan.hiding = operators;
        Ok(())
    }

    /// Writes the `return` that WGSL requires at the end of a function with a result.
    pub(super) fn final_return(&mut self) -> Result {
        if let Some(result) = self.function.result
            && self.flow.reaches_end
        {
            self.line();
            self.printer.push("return ");
            self.printer.zero(result.ty)?;
            self.end();
        }
        Ok(())
    }

    /// Writes the statements of a block without braces.
    pub(super) fn block(&mut self, block: &'a Block) -> Result {
        let end = ImpliedJump {
            returns: true,
            ..ImpliedJump::default()
        };
        self.statements(block, end)
    }

    pub(super) fn statements(&mut self, block: &'a Block, tail: ImpliedJump) -> Result {
        self.statements_from(block, 0, tail)
    }

    /// Writes the statements of a block from an index on.
    pub(super) fn statements_from(
        &mut self,
        block: &'a Block,
        from: usize,
        tail: ImpliedJump,
    ) -> Result {
        self.check_depth()?;
        let events = self.locals.of_block(block);
        let end = self.written_length(block, events, tail);
        let mut init = None;
        for (index, statement) in block.iter().enumerate().skip(from) {
            self.printer.check()?;
            let event_kinds = self.locals.event_kinds(events, BlockPosition::at(index));
            if let Statement::Loop { .. } = statement {
                self.repetition(block, index, init.take())?;
                continue;
            }
            if event_kinds.declares {
                self.variables(events, BlockPosition::at(index), None)?;
            }
            // An adjacent control barrier orders memory too.
            if let Statement::MemoryBarrier(barrier) = statement
                && adjacent_control_barrier(block, index)
                    .is_some_and(|control| control.contains(*barrier))
            {
                continue;
            }
            let is_last = index + 1 >= end;
            let tail = if is_last {
                tail
            } else {
                ImpliedJump::default()
            };
            if tail.is(statement) || event_kinds.drops {
                continue;
            }
            // A block at the end of a block needs no scope of its own.
            if let Statement::Block(inner) = statement
                && is_last
            {
                self.statements(inner, tail)?;
                continue;
            }
            if let Statement::Emit(range) = statement {
                for (step, expression) in range.clone().enumerate() {
                    if !self.plan.is_written(expression) {
                        continue;
                    }
                    if step > 0 {
                        self.variables(events, BlockPosition::within(index, step), None)?;
                    }
                    self.emit(expression)?;
                }
                continue;
            }
            if self.begins_for(block, index) {
                init = Some(index);
                continue;
            }
            self.statement(statement, tail, event_kinds.by_store)?;
        }
        Ok(())
    }

    /// Declares the variables placed at a position, except one that is declared by another statement.
    pub(super) fn variables(
        &mut self,
        events: Events,
        step: BlockPosition,
        except: Option<Handle<LocalVariable>>,
    ) -> Result {
        for index in 0..self.locals.at(events, step).len() {
            if let Event::Declared(local) = self.locals.at(events, step)[index].1
                && except != Some(local)
            {
                self.printer.check()?;
                self.line();
                self.variable(local)?;
                self.end();
            }
        }
        Ok(())
    }

    /// Writes a variable declaration without the line end.
    pub(super) fn variable(&mut self, local: Handle<LocalVariable>) -> Result {
        let variable = &self.function.local_variables[local];
        let initial = self.locals.initial(self.function, local);
        self.open_variable(local);
        match initial.filter(|value| !self.is_plain_zero(*value)) {
            Some(value) => {
                self.printer.push(" = ");
                self.printer.any(value)?;
            }
            None if initial.is_some()
                && matches!(
                    self.printer.cx.module.types[variable.ty].inner,
                    TypeInner::Scalar(_)
                ) =>
            {
                self.printer.push(" = ");
                self.printer.zero(variable.ty)?;
            }
            None => {
                self.printer.push(": ");
                self.printer.spell(variable.ty)?;
            }
        }
        Ok(())
    }

    /// A variable without an initial value is zero.
    fn is_plain_zero(&self, value: Handle<Expression>) -> bool {
        let cx = self.printer.cx;
        self.printer.name_of(value).is_none()
            && match self.function.expressions[value] {
                Expression::ZeroValue(_) => true,
                Expression::Constant(handle) => {
                    let init = cx.module.constants[handle].init;
                    cx.names.constants[handle.index()].is_none()
                        && matches!(cx.module.global_expressions[init], Expression::ZeroValue(_))
                }
                _ => false,
            }
    }

    fn open_variable(&mut self, local: Handle<LocalVariable>) {
        let name = self.declare(
            self.function.local_variables[local].name.as_deref(),
            "local",
        );
        self.printer.push("var ");
        self.printer.push(&name);
        self.printer.locals[local.index()] = Some(name);
    }

    fn statement(&mut self, statement: &'a Statement, tail: ImpliedJump, declares: bool) -> Result {
        match *statement {
            Statement::Block(ref block) => {
                self.line();
                self.printer.push("{\n");
                self.braced(block, tail)?;
                self.printer.push("\n");
            }
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => {
                self.line();
                self.branch(condition, accept, reject, tail)?;
                self.printer.push("\n");
            }
            Statement::Switch {
                selector,
                ref cases,
            } => self.switch(selector, cases, tail)?,
            Statement::Break => self.words("break"),
            Statement::Continue => self.words("continue"),
            Statement::Kill => self.words("discard"),
            Statement::Return { value } => {
                self.line();
                self.printer.push("return");
                if let Some(value) = value {
                    self.printer.push(" ");
                    self.printer.any(value)?;
                }
                self.end();
            }
            Statement::ControlBarrier(barrier) => {
                self.barriers(barrier, Some("workgroupBarrier()"))?;
            }
            Statement::MemoryBarrier(barrier) => self.barriers(barrier, None)?,
            Statement::Store { pointer, value } => {
                self.line();
                self.store(pointer, value, declares)?;
                self.end();
            }
            _ => self.effect(statement)?,
        }
        Ok(())
    }

    fn emit(&mut self, expression: Handle<Expression>) -> Result {
        let is_unused = self.plan.facts[expression.index()].uses == 0;
        let is_phony = is_unused
            && self
                .function
                .named_expressions
                .get(&expression)
                .is_some_and(|name| name == PHONY);
        if self.plan.facts[expression.index()].phony || is_phony {
            self.line();
            self.printer.push("_ = ");
            self.printer.any(expression)?;
            self.end();
        } else if self.plan.facts[expression.index()].bound {
            // Fallthrough cases are written more than once.
            self.printer.unbind(expression);
            let name = self.declare_expression(expression);
            self.line();
            self.printer.push(self.hiding(expression));
            self.printer.push(&name);
            self.printer.push(" = ");
            self.printer.any(expression)?;
            self.end();
            self.printer.bind(expression, name);
        }
        Ok(())
    }

    pub(super) fn effect(&mut self, statement: &'a Statement) -> Result {
        let result = operands::result_of(statement);
        let index = result.map(Handle::index);
        if let Some(result) = result
            && self.plan.is_deferred(result)
        {
            self.printer.effects.insert(result, statement);
            return Ok(());
        }
        let bound = index.is_some_and(|index| self.plan.facts[index].bound);
        let name = result
            .filter(|_| bound)
            .map(|result| self.declare_expression(result));
        self.line();
        if let Some(name) = &name {
            self.printer.push("let ");
            self.printer.push(name);
            self.printer.push(" = ");
        }
        let start = self.printer.out.len();
        let unused = self.printer.effect(statement)?;
        if name.is_none() && unused == UnusedResult::Assigned {
            self.printer.out.insert_str(start, "_ = ");
        }
        self.end();
        if let Some((result, name)) = result.zip(name) {
            self.printer.bind(result, name);
        }
        Ok(())
    }

    /// Writes a store without the line end.
    pub(super) fn store(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        declares: bool,
    ) -> Result {
        if declares && let Expression::LocalVariable(local) = self.function.expressions[pointer] {
            return self.locals_initial_store(local, value);
        }
        if self.printer.is_atomic(pointer) {
            return self.printer.call("atomicStore", &[pointer, value]);
        }
        self.printer.reference(pointer)?;
        if let Expression::Binary { op, right, .. } = self.function.expressions[value]
            && self.plan.facts[value.index()].compound
        {
            self.printer.push(" ");
            self.printer.push(precedence::sign(op));
            self.printer.push("= ");
            return self.printer.any(right);
        }
        self.printer.push(" = ");
        self.printer.any(value)
    }

    fn locals_initial_store(
        &mut self,
        local: Handle<LocalVariable>,
        value: Handle<Expression>,
    ) -> Result {
        self.open_variable(local);
        let ty = self.function.local_variables[local].ty;
        let is_scalar = matches!(self.printer.cx.module.types[ty].inner, TypeInner::Scalar(_));
        if self.is_plain_zero(value) && !is_scalar {
            self.printer.push(": ");
            return self.printer.spell(ty);
        }
        self.printer.push(" = ");
        self.printer.any(value)
    }

    /// Fails if WGSL's limit on nested braces is exceeded.
    fn check_depth(&self) -> Result {
        if self.indent > MAX_BRACES {
            Err(WriteError::TooNested {
                place: self.printer.place.to_string(),
                limit: MAX_BRACES,
            })
        } else {
            Ok(())
        }
    }

    /// Writes statements in braces, without the line end.
    pub(super) fn braced(&mut self, block: &'a Block, tail: ImpliedJump) -> Result {
        self.open_scope();
        self.statements(block, tail)?;
        self.close_scope();
        self.line();
        self.printer.push("}");
        Ok(())
    }

    fn branch(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
        tail: ImpliedJump,
    ) -> Result {
        self.printer.push("if ");
        if self.is_silent(accept, tail) && !self.is_silent(reject, tail) {
            self.negated(condition)?;
            self.printer.push(" {\n");
            return self.braced(reject, tail);
        }
        self.printer.any(condition)?;
        self.printer.push(" {\n");
        self.braced(accept, tail)?;
        if self.is_silent(reject, tail) {
            return Ok(());
        }
        self.printer.push(" else ");
        if let Some((condition, accept, reject)) = self.sole_if(reject, tail) {
            return self.branch(condition, accept, reject, tail);
        }
        self.printer.push("{\n");
        self.braced(reject, tail)
    }

    pub(super) fn negated(&mut self, condition: Handle<Expression>) -> Result {
        let is_plain = self.printer.name_of(condition).is_none()
            && !self.printer.hidden.contains_key(&condition);
        match self.function.expressions[condition] {
            Expression::Unary {
                op: UnaryOperator::LogicalNot,
                expr,
            } if is_plain => self.printer.any(expr),
            Expression::Literal(Literal::Bool(value)) if is_plain => {
                self.printer.push(if value { "false" } else { "true" });
                Ok(())
            }
            Expression::Binary { op, left, right } if is_plain => {
                let kind = self.printer.inner(left).scalar_kind();
                match opposite(op, kind == Some(ScalarKind::Float)) {
                    Some(opposite) => {
                        let (_, left_slot, right_slot) = precedence::of_operator(opposite);
                        self.printer.expression(left, left_slot)?;
                        self.printer.push(" ");
                        self.printer.push(precedence::sign(opposite));
                        self.printer.push(" ");
                        self.printer.expression(right, right_slot)
                    }
                    None => self.not(condition),
                }
            }
            _ => self.not(condition),
        }
    }

    fn not(&mut self, condition: Handle<Expression>) -> Result {
        self.printer.push("!");
        self.printer.expression(condition, Slot::UNARY)
    }

    /// Whether nothing is written for a block.
    pub(super) fn is_silent(&self, block: &Block, tail: ImpliedJump) -> bool {
        let events = self.locals.of_block(block);
        let length = self.written_length(block, events, tail);
        (0..length).all(|index| self.is_silent_at(block, events, index, false))
    }

    /// Number of statements of a block, without those implied at its end.
    fn written_length(&self, block: &Block, events: Events, tail: ImpliedJump) -> usize {
        let mut length = block.len();
        while let Some(last) = length.checked_sub(1)
            && self.is_silent_at(block, events, last, tail.is(&block[last]))
        {
            length = last;
        }
        length
    }

    pub(super) fn is_silent_at(
        &self,
        block: &Block,
        events: Events,
        index: usize,
        is_said: bool,
    ) -> bool {
        let event_kinds = self.locals.event_kinds(events, BlockPosition::at(index));
        let written = match &block[index] {
            Statement::Emit(range) => range
                .clone()
                .any(|expression| self.plan.is_written(expression)),
            _ => !is_said && !event_kinds.drops,
        };
        !written && !event_kinds.declares
    }

    /// The `if` that is the only statement of a block.
    fn sole_if(
        &self,
        block: &'a Block,
        tail: ImpliedJump,
    ) -> Option<(Handle<Expression>, &'a Block, &'a Block)> {
        let events = self.locals.of_block(block);
        let last = self.written_length(block, events, tail).checked_sub(1)?;
        let silent = (0..last).all(|index| self.is_silent_at(block, events, index, false));
        if !silent
            || self
                .locals
                .event_kinds(events, BlockPosition::at(last))
                .declares
        {
            return None;
        }
        match &block[last] {
            Statement::If {
                condition,
                accept,
                reject,
            } => Some((*condition, accept, reject)),
            Statement::Block(inner) => self.sole_if(inner, tail),
            _ => None,
        }
    }

    fn switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
        tail: ImpliedJump,
    ) -> Result {
        let tail = ImpliedJump {
            breaks: true,
            ..tail
        };
        self.line();
        self.printer.push("switch ");
        self.printer.any(selector)?;
        self.printer.push(" {\n");
        self.indent += 1;
        let mut labels: Vec<SwitchValue> = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            labels.push(case.value);
            if case.fall_through && case.body.is_empty() {
                continue;
            }
            self.line();
            self.labels(&labels);
            labels.clear();
            self.printer.push(": {\n");
            self.open_scope();
            // A fallthrough case is followed by a copy of the next case.
            for (copies, part) in cases[index..].iter().enumerate() {
                let tail = if part.fall_through {
                    ImpliedJump::default()
                } else {
                    tail
                };
                let before = self.printer.out.len();
                self.statements(&part.body, tail)?;
                if copies > 0 {
                    self.count_repeated(self.printer.out.len() - before)?;
                }
                if !part.fall_through {
                    break;
                }
            }
            self.close_scope();
            self.line();
            self.printer.push("}\n");
        }
        self.indent -= 1;
        self.line();
        self.printer.push("}\n");
        Ok(())
    }

    /// Nested copies grow exponentially, so their size is limited.
    fn count_repeated(&mut self, bytes: usize) -> Result {
        self.repeated += bytes;
        if self.repeated > MAX_REPEATED_BYTES {
            return Err(WriteError::TooMuchText {
                place: self.printer.place.to_string(),
                limit: MAX_REPEATED_BYTES,
            });
        }
        Ok(())
    }

    fn labels(&mut self, labels: &[SwitchValue]) {
        if labels != [SwitchValue::Default] {
            self.printer.push("case ");
        }
        for (index, label) in labels.iter().enumerate() {
            self.printer.push(if index > 0 { ", " } else { "" });
            match *label {
                SwitchValue::I32(value) => literal::push_i32(value, &mut self.printer.out),
                SwitchValue::U32(value) => {
                    literal::push_u32(value, &mut self.printer.out);
                    self.printer.push("u");
                }
                SwitchValue::Default => self.printer.push("default"),
            }
        }
    }

    /// WGSL's barriers order both memory and execution.
    fn barriers(&mut self, barrier: Barrier, otherwise: Option<&str>) -> Result {
        for (flag, name) in [
            (Barrier::STORAGE, "storageBarrier()"),
            (Barrier::WORK_GROUP, "workgroupBarrier()"),
            (Barrier::TEXTURE, "textureBarrier()"),
            (Barrier::SUB_GROUP, "subgroupBarrier()"),
        ] {
            if barrier.contains(flag) {
                if flag == Barrier::SUB_GROUP {
                    self.printer.naga_only("a barrier of a subgroup")?;
                }
                self.words(name);
            }
        }
        if barrier.is_empty()
            && let Some(name) = otherwise
        {
            self.words(name);
        }
        Ok(())
    }
}

/// The negated comparison; `None` for ordered comparisons of floats, which are all false for NaN.
fn opposite(operator: BinaryOperator, is_float: bool) -> Option<BinaryOperator> {
    use BinaryOperator as Op;
    Some(match operator {
        Op::Equal => Op::NotEqual,
        Op::NotEqual => Op::Equal,
        Op::Less if !is_float => Op::GreaterEqual,
        Op::LessEqual if !is_float => Op::Greater,
        Op::Greater if !is_float => Op::LessEqual,
        Op::GreaterEqual if !is_float => Op::Less,
        _ => return None,
    })
}
