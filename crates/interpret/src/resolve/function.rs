//! One function: its frame, its statements and their control flow.

use naga::valid::FunctionInfo;
use naga::{
    AtomicFunction, Barrier, Binding, Block, BuiltIn, EntryPoint, Expression, Function, Handle,
    ScalarKind, Span, Statement, SwitchCase, SwitchValue, TypeInner,
};

use super::uses::Uses;
use super::{Callee, Resolver};
use crate::KernelError;
use crate::code::{Address, Atomic, Instr, Pc, Reg, Space, SwitchTable, ZERO, builtin};
use crate::layout::Unsupported;

/// What an expression stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A value, from this register on.
    Registers(Reg),
    /// A pointer.
    Pointer(Address),
}

/// A statement that `break` leaves.
struct Breakable {
    breaks: Vec<Pc>,
    /// Jumps of `continue`; `None` in a `switch`, which `continue` passes through.
    continues: Option<Vec<Pc>>,
}

/// The state of one function while it is resolved.
pub(super) struct FunctionResolver<'a, 's> {
    pub(super) shared: &'s mut Resolver<'a>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) uses: Uses,
    values: Vec<Option<Value>>,
    arguments: Vec<Reg>,
    locals: Vec<Reg>,
    /// Where the return address is; `None` in an entry point.
    link: Option<Reg>,
    result: Reg,
    next: Reg,
    breakables: Vec<Breakable>,
    /// The last place in the source, for statements that have none of their own.
    last_span: Span,
}

/// Resolves a function that is called; its frame begins at or above `base`.
pub(super) fn resolve_function(
    shared: &mut Resolver<'_>,
    handle: Handle<Function>,
    base: Reg,
) -> Result<Callee, KernelError> {
    let module = shared.module;
    let function = &module.functions[handle];
    let info = &shared.program.info()[handle];
    let entry = shared.pc();
    let mut resolver = FunctionResolver::new(shared, function, info, base)?;
    let span = module.functions.get_span(handle);
    let link = resolver.alloc(1, span)?;
    resolver.link = Some(link);
    if let Some(result) = &function.result {
        let words = resolver.words(&module.types[result.ty].inner, span)?;
        resolver.result = resolver.alloc(words, span)?;
    }
    for argument in &function.arguments {
        let words = resolver.words(&module.types[argument.ty].inner, span)?;
        let register = resolver.alloc(words, span)?;
        resolver.arguments.push(register);
    }
    resolver.body()?;
    Ok(Callee {
        entry,
        link,
        arguments: resolver.arguments,
        result: resolver.result,
        frame_end: resolver.next,
    })
}

/// Resolves the entry point and gives the address of its first instruction.
pub(super) fn resolve_entry_point(
    shared: &mut Resolver<'_>,
    entry_point: &EntryPoint,
    index: usize,
    base: Reg,
) -> Result<Pc, KernelError> {
    let module = shared.module;
    let function = &module.entry_points[index].function;
    let info = shared.program.info().get_entry_point(index);
    let start = shared.pc();
    let privates = shared.globals.privates.clone();
    let mut resolver = FunctionResolver::new(shared, function, info, base)?;
    for private in privates {
        resolver.initialise(private.register, private.words, private.init);
    }
    for argument in &entry_point.function.arguments {
        let register = resolver.builtin_argument(argument)?;
        resolver.arguments.push(register);
    }
    resolver.body()?;
    Ok(start)
}

impl<'a, 's> FunctionResolver<'a, 's> {
    fn new(
        shared: &'s mut Resolver<'a>,
        function: &'a Function,
        info: &'a FunctionInfo,
        base: Reg,
    ) -> Result<Self, KernelError> {
        let mut called = Vec::new();
        super::call_graph::calls(&function.body, &mut called);
        let above_callees = called
            .iter()
            .map(|handle| shared.callees[handle].frame_end)
            .max();
        Ok(Self {
            function,
            info,
            uses: Uses::of(function),
            values: vec![None; function.expressions.len()],
            arguments: Vec::new(),
            locals: Vec::new(),
            link: None,
            result: ZERO,
            next: above_callees.unwrap_or(base).max(base),
            breakables: Vec::new(),
            last_span: Span::UNDEFINED,
            shared,
        })
    }

    pub(super) fn push(&mut self, instr: Instr, span: Span) -> Pc {
        self.shared.push(instr, span)
    }

    /// Takes `n` registers of the frame.
    pub(super) fn alloc(&mut self, n: u32, span: Span) -> Result<Reg, KernelError> {
        let register = self.next;
        self.next = register.checked_add(n).ok_or_else(|| {
            let feature = Unsupported("a function with this many values".into());
            self.shared.unsupported(feature, span)
        })?;
        self.shared.code.registers = self.shared.code.registers.max(self.next);
        Ok(register)
    }

    pub(super) fn words(&self, inner: &TypeInner, span: Span) -> Result<u32, KernelError> {
        self.shared
            .layout
            .words(inner)
            .map_err(|e| self.shared.unsupported(e, span))
    }

    /// The type of an expression.
    pub(super) fn inner(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.shared.module.types)
    }

    pub(super) fn span(&self, handle: Handle<Expression>) -> Span {
        self.function.expressions.get_span(handle)
    }

    /// What an expression stands for; it must have been evaluated or be a leaf.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Value, KernelError> {
        if let Some(value) = self.values[handle.index()] {
            return Ok(value);
        }
        let value = self.leaf(handle)?;
        self.values[handle.index()] = Some(value);
        Ok(value)
    }

    /// The registers of a value.
    pub(super) fn register(&mut self, handle: Handle<Expression>) -> Result<Reg, KernelError> {
        match self.value(handle)? {
            Value::Registers(register) => Ok(register),
            Value::Pointer(_) => Err(self.unsupported("a pointer as a value", self.span(handle))),
        }
    }

    pub(super) fn set(&mut self, handle: Handle<Expression>, value: Value) {
        self.values[handle.index()] = Some(value);
    }

    pub(super) fn unsupported(&self, feature: &str, span: Span) -> KernelError {
        self.shared.unsupported(Unsupported(feature.into()), span)
    }

    /// The registers of an expression that is a constant.
    pub(super) fn constant(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Option<Reg>, KernelError> {
        let shared = &self.shared;
        shared
            .constants
            .register(shared.module, &self.function.expressions, handle)
            .map_err(|e| shared.unsupported(e, span))
    }

    /// Expressions that exist without being evaluated.
    fn leaf(&mut self, handle: Handle<Expression>) -> Result<Value, KernelError> {
        let span = self.span(handle);
        if let Some(register) = self.constant(handle, span)? {
            return Ok(Value::Registers(register));
        }
        match self.function.expressions[handle] {
            Expression::FunctionArgument(index) => {
                let register = self.arguments[index as usize];
                Ok(match self.inner(handle).pointer_space() {
                    None => Value::Registers(register),
                    // Only pointers to function and private variables are arguments in WGSL.
                    Some(_) => Value::Pointer(Address {
                        space: Space::Registers,
                        dynamic: register,
                        offset: 0,
                    }),
                })
            }
            Expression::GlobalVariable(variable) => self
                .shared
                .globals
                .address(variable)
                .map(Value::Pointer)
                .ok_or_else(|| self.unsupported("this use of a global variable", span)),
            Expression::LocalVariable(variable) => Ok(Value::Pointer(Address {
                space: Space::Registers,
                dynamic: ZERO,
                offset: self.locals[variable.index()],
            })),
            Expression::Override(_) => Err(KernelError::Unresolved(
                "an override is left in the program".into(),
            )),
            Expression::Constant(_) => {
                Err(self.unsupported("a constant expression that is not folded", span))
            }
            // Validation lets nothing else be used before it is evaluated.
            _ => Err(self.unsupported("an expression used before it is evaluated", span)),
        }
    }

    /// Fills the registers of a variable.
    fn initialise(&mut self, dst: Reg, n: u32, init: Option<Reg>) {
        let instr = match init {
            Some(src) => Instr::Copy { dst, src, n },
            None => Instr::Zero { dst, n },
        };
        self.push(instr, Span::UNDEFINED);
    }

    /// The registers of an argument of the entry point, filled from builtin values.
    fn builtin_argument(&mut self, argument: &naga::FunctionArgument) -> Result<Reg, KernelError> {
        let types = &self.shared.module.types;
        let span = types.get_span(argument.ty);
        if let Some(binding) = &argument.binding {
            return self.builtin(binding, span);
        }
        let TypeInner::Struct { members, .. } = &types[argument.ty].inner else {
            return Err(self.unsupported("this entry point argument", span));
        };
        let words = self.words(&types[argument.ty].inner, span)?;
        let register = self.alloc(words, span)?;
        let mut dst = register;
        for member in members {
            let Some(binding) = &member.binding else {
                return Err(self.unsupported("this entry point argument", span));
            };
            let src = self.builtin(binding, span)?;
            let n = self.words(&types[member.ty].inner, span)?;
            self.push(Instr::Copy { dst, src, n }, span);
            dst += n;
        }
        Ok(register)
    }

    fn builtin(&self, binding: &Binding, span: Span) -> Result<Reg, KernelError> {
        Ok(match binding {
            Binding::BuiltIn(BuiltIn::GlobalInvocationId) => builtin::GLOBAL_INVOCATION_ID,
            Binding::BuiltIn(BuiltIn::LocalInvocationId) => builtin::LOCAL_INVOCATION_ID,
            Binding::BuiltIn(BuiltIn::LocalInvocationIndex) => builtin::LOCAL_INVOCATION_INDEX,
            Binding::BuiltIn(BuiltIn::WorkGroupId) => builtin::WORKGROUP_ID,
            Binding::BuiltIn(BuiltIn::WorkGroupSize) => builtin::WORKGROUP_SIZE,
            Binding::BuiltIn(BuiltIn::NumWorkGroups) => builtin::NUM_WORKGROUPS,
            Binding::BuiltIn(
                BuiltIn::NumSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupInvocationId,
            ) => return Err(self.unsupported("a subgroup builtin", span)),
            _ => return Err(self.unsupported("this entry point argument", span)),
        })
    }

    fn body(&mut self) -> Result<(), KernelError> {
        for (handle, variable) in self.function.local_variables.iter() {
            let span = self.function.local_variables.get_span(handle);
            let words = self.words(self.shared.layout.inner(variable.ty), span)?;
            let register = self.alloc(words, span)?;
            self.locals.push(register);
            let init = match variable.init {
                Some(init) => Some(self.register(init)?),
                None => None,
            };
            self.initialise(register, words, init);
        }
        self.block(&self.function.body)?;
        // A function whose last statement is not `return` ends here.
        self.finish(self.last_span);
        Ok(())
    }

    /// Ends the invocation or goes back to the caller.
    fn finish(&mut self, span: Span) {
        let instr = match self.link {
            Some(link) => Instr::Return { link },
            None => Instr::End,
        };
        self.push(instr, span);
    }

    fn block(&mut self, block: &'a Block) -> Result<(), KernelError> {
        for (statement, &span) in block.span_iter() {
            let span = if span.is_defined() {
                span
            } else {
                self.last_span
            };
            self.last_span = span;
            self.statement(statement, span)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement, span: Span) -> Result<(), KernelError> {
        match statement {
            Statement::Emit(range) => {
                let end = range.clone().last().map_or(0, |handle| handle.index() + 1);
                for handle in range.clone() {
                    self.evaluate(handle, end)?;
                }
                Ok(())
            }
            Statement::Block(block) => self.block(block),
            Statement::If {
                condition,
                accept,
                reject,
            } => self.if_statement(*condition, accept, reject, span),
            Statement::Switch { selector, cases } => self.switch(*selector, cases, span),
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.loop_statement(body, continuing, *break_if, span),
            Statement::Break => {
                let jump = self.push(Instr::Jump { to: 0 }, span);
                if let Some(innermost) = self.breakables.last_mut() {
                    innermost.breaks.push(jump);
                }
                Ok(())
            }
            Statement::Continue => {
                let jump = self.push(Instr::Jump { to: 0 }, span);
                let mut loops = self.breakables.iter_mut().rev();
                if let Some(continues) = loops.find_map(|b| b.continues.as_mut()) {
                    continues.push(jump);
                }
                Ok(())
            }
            Statement::Return { value } => {
                if let (Some(value), Some(_)) = (value, self.link) {
                    let n = self.words(self.inner(*value), span)?;
                    let (dst, src) = (self.result, self.register(*value)?);
                    self.push(Instr::Copy { dst, src, n }, span);
                }
                self.finish(span);
                Ok(())
            }
            Statement::Store { pointer, value } => self.store_statement(*pointer, *value, span),
            Statement::ControlBarrier(barrier) => self.barrier(*barrier, span),
            // Invocations of a workgroup take turns on one thread: memory is always in order.
            Statement::MemoryBarrier(_) => Ok(()),
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(*pointer, *fun, *value, *result, span),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.uniform_load(*pointer, *result, span)
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result, span),
            Statement::Kill => Err(self.unsupported("discard", span)),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                Err(self.unsupported("a texture", span))
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => {
                Err(self.unsupported("a subgroup operation", span))
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                Err(self.unsupported("ray tracing", span))
            }
            Statement::CooperativeStore { .. } => {
                Err(self.unsupported("a cooperative matrix", span))
            }
        }
    }

    fn if_statement(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
        span: Span,
    ) -> Result<(), KernelError> {
        let condition = self.register(condition)?;
        let to_reject = self.push(Instr::JumpUnless { condition, to: 0 }, span);
        self.block(accept)?;
        if reject.is_empty() {
            self.shared.land(to_reject);
            return Ok(());
        }
        let to_end = self.push(Instr::Jump { to: 0 }, span);
        self.shared.land(to_reject);
        self.block(reject)?;
        self.shared.land(to_end);
        Ok(())
    }

    fn switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
        span: Span,
    ) -> Result<(), KernelError> {
        let selector = self.register(selector)?;
        let table = self.shared.code.switches.len() as u32;
        self.shared.code.switches.push(SwitchTable::default());
        self.push(Instr::Switch { selector, table }, span);
        self.breakables.push(Breakable {
            breaks: Vec::new(),
            continues: None,
        });
        let mut targets = SwitchTable::default();
        let mut default = None;
        for case in cases {
            let here = self.shared.pc();
            match case.value {
                SwitchValue::I32(value) => targets.cases.push((value as u32, here)),
                SwitchValue::U32(value) => targets.cases.push((value, here)),
                SwitchValue::Default => default = Some(here),
            }
            self.block(&case.body)?;
            if !case.fall_through {
                let jump = self.push(Instr::Jump { to: 0 }, span);
                if let Some(innermost) = self.breakables.last_mut() {
                    innermost.breaks.push(jump);
                }
            }
        }
        targets.default = default.unwrap_or(self.shared.pc());
        targets.cases.sort_unstable();
        self.shared.code.switches[table as usize] = targets;
        self.leave();
        Ok(())
    }

    fn loop_statement(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let start = self.shared.pc();
        self.breakables.push(Breakable {
            breaks: Vec::new(),
            continues: Some(Vec::new()),
        });
        self.block(body)?;
        let continues = self.breakables.last_mut().and_then(|b| b.continues.take());
        for jump in continues.into_iter().flatten() {
            self.shared.land(jump);
        }
        self.block(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.register(condition)?;
            let jump = self.push(Instr::JumpIf { condition, to: 0 }, span);
            if let Some(innermost) = self.breakables.last_mut() {
                innermost.breaks.push(jump);
            }
        }
        self.push(Instr::LoopBack { to: start }, span);
        self.leave();
        Ok(())
    }

    /// Ends the innermost statement that can be broken out of, here.
    fn leave(&mut self) {
        for jump in self.breakables.pop().into_iter().flat_map(|b| b.breaks) {
            self.shared.land(jump);
        }
    }

    fn store_statement(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let to = self.address(pointer)?;
        let src = self.register(value)?;
        let inner = self.inner(value);
        // A value that is only stored can be computed where it goes.
        if to.space == Space::Registers && to.dynamic == ZERO && self.uses.count(value) == 1 {
            let n = self.words(inner, span)?;
            if let Some(last) = self.shared.code.instrs.last_mut()
                && last.retarget(src, n, to.offset)
            {
                return Ok(());
            }
        }
        self.store(to, src, inner, span)
    }

    fn barrier(&mut self, barrier: Barrier, span: Span) -> Result<(), KernelError> {
        if barrier.contains(Barrier::SUB_GROUP) {
            return Err(self.unsupported("a subgroup barrier", span));
        }
        self.push(Instr::Barrier, span);
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let at = self.address(pointer)?;
        let (words, scalar) = match *self.inner(value) {
            TypeInner::Scalar(scalar) => (1, scalar),
            _ => return Err(self.unsupported("this atomic operation", span)),
        };
        crate::layout::check_scalar(scalar).map_err(|e| self.shared.unsupported(e, span))?;
        let signed = match scalar.kind {
            ScalarKind::Sint => true,
            ScalarKind::Uint => false,
            ScalarKind::Float if matches!(function, AtomicFunction::Exchange { compare: None }) => {
                false
            }
            _ => return Err(self.unsupported("an atomic operation on f32", span)),
        };
        let mut compare = ZERO;
        let op = match function {
            AtomicFunction::Add => Atomic::Add,
            AtomicFunction::Subtract => Atomic::Sub,
            AtomicFunction::And => Atomic::And,
            AtomicFunction::ExclusiveOr => Atomic::Xor,
            AtomicFunction::InclusiveOr => Atomic::Or,
            AtomicFunction::Min if signed => Atomic::MinI32,
            AtomicFunction::Min => Atomic::MinU32,
            AtomicFunction::Max if signed => Atomic::MaxI32,
            AtomicFunction::Max => Atomic::MaxU32,
            AtomicFunction::Exchange { compare: None } => Atomic::Exchange,
            AtomicFunction::Exchange {
                compare: Some(expected),
            } => {
                compare = self.register(expected)?;
                Atomic::CompareExchange
            }
        };
        let value = self.register(value)?;
        let results = words + u32::from(op == Atomic::CompareExchange);
        let dst = self.alloc(results, span)?;
        self.push(
            Instr::Atomic {
                op,
                dst,
                at,
                value,
                compare,
            },
            span,
        );
        if let Some(result) = result {
            self.set(result, Value::Registers(dst));
        }
        Ok(())
    }

    /// A barrier, a read and a barrier: nobody writes before everybody has read.
    fn uniform_load(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
        span: Span,
    ) -> Result<(), KernelError> {
        let from = self.address(pointer)?;
        let inner = self.inner(result);
        let words = self.words(inner, span)?;
        let dst = self.alloc(words, span)?;
        self.push(Instr::Barrier, span);
        self.load(dst, from, inner, span)?;
        self.push(Instr::Barrier, span);
        self.set(result, Value::Registers(dst));
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let callee = self.shared.callees[&function].clone();
        for (&argument, &dst) in arguments.iter().zip(&callee.arguments) {
            match self.value(argument)? {
                Value::Registers(src) => {
                    let n = self.words(self.inner(argument), span)?;
                    self.push(Instr::Copy { dst, src, n }, span);
                }
                Value::Pointer(address) => {
                    self.push(
                        Instr::Offset {
                            dst,
                            base: address.dynamic,
                            by: address.offset,
                        },
                        span,
                    );
                }
            }
        }
        self.push(
            Instr::Call {
                to: callee.entry,
                link: callee.link,
            },
            span,
        );
        if let Some(result) = result {
            let n = self.words(self.inner(result), span)?;
            let dst = self.alloc(n, span)?;
            let src = callee.result;
            self.push(Instr::Copy { dst, src, n }, span);
            self.set(result, Value::Registers(dst));
        }
        Ok(())
    }
}
