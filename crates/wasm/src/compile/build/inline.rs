//! Inlined function bodies: calls, frames, and the main loop.
//!
//! A call opens a frame, whose body is read next; its end closes the frame. The operand stack, the
//! state and the labels of callers stay below those of callees.

use std::rc::Rc;

use wasmparser::{Operator, OperatorsReader};

use super::builder::Builder;
use super::control::{Kind, Label, OPEN};
use super::written::{BodyInfo, Construct, ScanError};
use super::{kernel, unsupported};
use crate::compile::CompileError;
use crate::compile::ir::{Type, Value};

/// A function whose body is being read.
pub(super) struct Frame<'a> {
    /// Its index in the module.
    pub function: u32,
    /// Where its locals begin in the state.
    pub base: usize,
    /// The label of its body.
    pub label: usize,
    operators: OperatorsReader<'a>,
    info: Rc<BodyInfo>,
    /// Index of the next construct.
    construct: usize,
    /// Whether it is called by the innermost dispatch.
    is_dispatched: bool,
    /// The offset of the call.
    called_at: u32,
}

/// What a call has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// The function's body is read next.
    Entered,
    /// The results are on the operand stack, or the call does not return.
    Done,
}

impl<'a> Builder<'a> {
    /// Calls a function of the module, by index, with arguments on the operand stack.
    pub(super) fn call(&mut self, function: u32) -> Result<Called, CompileError> {
        if let Some(import) = self.calls.import(function) {
            self.host_call(import)?;
            return Ok(Called::Done);
        }
        let imported = self.module.functions.len() - self.module.module.bodies.len();
        let Some(body) = (function as usize).checked_sub(imported) else {
            return Err(self.refuse("a call of another module"));
        };
        let params = kernel::signature(self.module, function).params.len();
        let arguments = self.pop_many(params);
        let (id, _) = self.module.functions[function as usize];
        if self.calls.is_trap(id) {
            self.trap_call(function, &arguments);
            return Ok(Called::Done);
        }
        self.enter(function, body, arguments)?;
        Ok(Called::Entered)
    }

    /// Opens a frame.
    fn enter(
        &mut self,
        function: u32,
        body: usize,
        arguments: Vec<Value>,
    ) -> Result<(), CompileError> {
        if !self.active.insert(function) {
            return Err(self.recursion(function));
        }
        let module = self.module;
        let info = self.info(function, body, arguments.len())?;
        let operators = module.module.bodies[body].get_operators_reader();
        let operators = operators
            .map_err(|error| unsupported(module, function, error.offset(), error.message()))?;
        self.labels.push(Label {
            kind: Kind::Block,
            header: OPEN,
            written: Rc::clone(&info.globals),
            height: self.stack.len(),
            params: &[],
            results: &kernel::signature(module, function).results,
            incoming: Vec::new(),
            saved: None,
        });
        let base = self.state.len();
        self.state.extend(arguments);
        for &ty in &info.locals {
            let zero = self.function.constant(Type::of(ty), 0);
            self.state.push(zero);
        }
        self.spend(info.locals.len() + 1);
        self.frames.push(Frame {
            function,
            base,
            label: self.labels.len() - 1,
            operators,
            info,
            construct: 1,
            is_dispatched: false,
            called_at: self.offset,
        });
        self.check_budget()
    }

    /// Marks the innermost frame as called by the innermost dispatch.
    pub(super) fn set_dispatched(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.is_dispatched = true;
        }
    }

    /// The scanned body of a function.
    fn info(
        &mut self,
        function: u32,
        body: usize,
        params: usize,
    ) -> Result<Rc<BodyInfo>, CompileError> {
        if let Some(info) = self.bodies.get(&function) {
            return Ok(Rc::clone(info));
        }
        let info = BodyInfo::new(
            self.module,
            &self.calls,
            &self.globals,
            (&self.module.module.bodies[body], params),
            self.max_steps(),
        );
        let info = Rc::new(info.map_err(|error| match error {
            ScanError::TooLarge => self.too_large(),
            ScanError::Invalid(error) => {
                unsupported(self.module, function, error.offset(), error.message())
            }
        })?);
        self.bodies.insert(function, Rc::clone(&info));
        Ok(info)
    }

    /// The error for a call of a function that is open.
    fn recursion(&self, function: u32) -> CompileError {
        let frames = self.frames.iter().map(|frame| frame.function);
        let cycle = frames.skip_while(|&open| open != function);
        let names = cycle
            .chain([function])
            .map(|function| self.module.function_names[function as usize].clone());
        CompileError::Recursion {
            cycle: names.collect(),
        }
    }

    /// The next construct of the current body.
    pub(super) fn next_construct(&mut self) -> Construct {
        let frame = self
            .frames
            .last_mut()
            .expect("an operator belongs to a frame");
        let construct = frame.info.constructs[frame.construct].clone();
        frame.construct += 1;
        construct
    }

    /// Interprets the next operator. Whether there was one.
    pub(super) fn step(&mut self) -> Result<bool, CompileError> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(false);
        };
        let position = frame.operators.original_position();
        let operator = frame.operators.read();
        self.offset = u32::try_from(position).unwrap_or(u32::MAX);
        let operator = operator.map_err(|error| self.refuse(error.message()))?;
        self.spend(1);
        if self.is_live {
            self.operator(&operator)?;
        } else {
            self.skip(&operator)?;
        }
        self.check_budget()?;
        Ok(true)
    }

    /// Skips an operator in unreachable code.
    fn skip(&mut self, operator: &Operator<'_>) -> Result<(), CompileError> {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.next_construct();
                self.dead += 1;
            }
            Operator::End if self.dead > 0 => self.dead -= 1,
            Operator::End => self.end_operator()?,
            Operator::Else if self.dead == 0 => self.else_(),
            _ => {}
        }
        Ok(())
    }

    /// `end` of a construct or of a body.
    pub(super) fn end_operator(&mut self) -> Result<(), CompileError> {
        let body = self.frames.last().map_or(0, |frame| frame.label);
        let is_body = body + 1 == self.labels.len();
        self.end();
        if !is_body {
            return Ok(());
        }
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        self.state.truncate(frame.base);
        self.active.remove(&frame.function);
        self.offset = frame.called_at;
        if frame.is_dispatched {
            return self.end_dispatched();
        }
        Ok(())
    }
}
