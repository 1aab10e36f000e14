//! Translates one function: its frame, arguments and variables, and the values of its expressions.

use naga::valid::FunctionInfo;
use naga::{Binding, BuiltIn, EntryPoint, Expression, Function, Handle, Span, TypeInner};

use super::control_flow::Breakable;
use super::uses::Uses;
use super::{Callee, Translator};
use crate::KernelError;
use crate::bytecode::texture::TextureRef;
use crate::bytecode::{Address, FunctionCode, Instr, Pc, Reg, Space, ZERO, builtin};
use crate::layout::{MAX_WORDS, Unsupported};

/// The value of an expression during translation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// A value in registers, from this one on.
    Registers(Reg),
    /// A pointer.
    Pointer(Address),
    /// A texture.
    Texture(TextureRef),
    /// An array of textures, by its index among the arrays.
    TextureArray(u16),
    /// An array of buffers, by its index among the arrays.
    BufferArray(u16),
}

/// The state of one function during translation.
pub(super) struct FunctionTranslator<'a, 's> {
    pub(super) shared: &'s mut Translator<'a>,
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) uses: Uses,
    values: Vec<Option<Operand>>,
    arguments: Vec<Reg>,
    locals: Vec<Reg>,
    /// The register of the return address; `None` in an entry point.
    pub(super) link: Option<Reg>,
    pub(super) result: Reg,
    next: Reg,
    pub(super) breakables: Vec<Breakable>,
    /// The enclosing loop, if iterations are counted.
    pub(super) innermost_loop: Option<u32>,
    /// The last source position, for statements without one.
    pub(super) last_span: Span,
}

/// Translates a function that is called; its frame begins at or above `base`.
pub(super) fn translate_function(
    shared: &mut Translator<'_>,
    handle: Handle<Function>,
    base: Reg,
) -> Result<Callee, KernelError> {
    let module = shared.module;
    let function = &module.functions[handle];
    let info = &shared.program.info()[handle];
    let entry = shared.label();
    let mut translator = FunctionTranslator::new(shared, function, info, base)?;
    let span = module.functions.get_span(handle);
    let link = translator.alloc(1, span)?;
    translator.link = Some(link);
    translator.begin(entry);
    if let Some(result) = &function.result {
        let words = translator.words(&module.types[result.ty].inner, span)?;
        translator.result = translator.alloc(words, span)?;
    }
    for argument in &function.arguments {
        let words = translator.words(&module.types[argument.ty].inner, span)?;
        let register = translator.alloc(words, span)?;
        translator.arguments.push(register);
    }
    translator.body()?;
    Ok(Callee {
        entry,
        link,
        arguments: translator.arguments,
        result: translator.result,
        frame_end: translator.next,
    })
}

/// Translates the entry point and returns the address of its first instruction.
pub(super) fn translate_entry_point(
    shared: &mut Translator<'_>,
    entry_point: &EntryPoint,
    index: usize,
    base: Reg,
) -> Result<Pc, KernelError> {
    let module = shared.module;
    let function = &module.entry_points[index].function;
    let info = shared.program.info().get_entry_point(index);
    let start = shared.label();
    let privates = shared.globals.privates.clone();
    let mut translator = FunctionTranslator::new(shared, function, info, base)?;
    translator.begin(start);
    for private in privates {
        translator.initialise(private.register, private.words, private.init);
    }
    for argument in &entry_point.function.arguments {
        let register = translator.builtin_argument(argument)?;
        translator.arguments.push(register);
    }
    translator.body()?;
    Ok(start)
}

impl<'a, 's> FunctionTranslator<'a, 's> {
    fn new(
        shared: &'s mut Translator<'a>,
        function: &'a Function,
        info: &'a FunctionInfo,
        base: Reg,
    ) -> Result<Self, KernelError> {
        let work = shared.meter.tick(function.expressions.len() as u64);
        work.map_err(|limit| super::over_budget(function.name.as_deref(), limit))?;
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
            innermost_loop: None,
            last_span: Span::UNDEFINED,
            shared,
        })
    }

    /// Records where the function's code begins.
    fn begin(&mut self, start: Pc) {
        let link = self.link;
        let functions = &mut self.shared.code.functions;
        functions.push(FunctionCode { start, link });
    }

    pub(super) fn push(&mut self, instr: Instr, span: Span) -> Pc {
        self.shared.push(instr, span)
    }

    /// Allocates `n` registers of the frame.
    pub(super) fn alloc(&mut self, n: u32, span: Span) -> Result<Reg, KernelError> {
        let register = self.next;
        let end = u64::from(register) + u64::from(n);
        if end > MAX_WORDS {
            let limit = MAX_WORDS * 4;
            let feature = format!("values of more than {limit} bytes in one invocation");
            return Err(self.unsupported(&feature, span));
        }
        self.next = end as Reg;
        self.shared.code.registers = self.shared.code.registers.max(self.next);
        Ok(register)
    }

    pub(super) fn words(&self, inner: &TypeInner, span: Span) -> Result<u32, KernelError> {
        self.shared
            .layout
            .words(inner)
            .map_err(|e| self.shared.unsupported(e, span))
    }

    /// The inner type of an expression.
    pub(super) fn inner(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.shared.module.types)
    }

    pub(super) fn span(&self, handle: Handle<Expression>) -> Span {
        self.function.expressions.get_span(handle)
    }

    /// The value of an expression, which must have been evaluated or be a leaf.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Operand, KernelError> {
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
            Operand::Registers(register) => Ok(register),
            Operand::Pointer(_) => Err(self.unsupported("a pointer as a value", self.span(handle))),
            Operand::Texture(_) | Operand::TextureArray(_) | Operand::BufferArray(_) => {
                Err(self.unsupported("a resource as a value", self.span(handle)))
            }
        }
    }

    pub(super) fn set(&mut self, handle: Handle<Expression>, value: Operand) {
        self.values[handle.index()] = Some(value);
    }

    pub(super) fn unsupported(&self, feature: &str, span: Span) -> KernelError {
        self.shared.unsupported(Unsupported(feature.into()), span)
    }

    /// The registers of a constant expression.
    pub(super) fn constant(
        &self,
        handle: Handle<Expression>,
        span: Span,
    ) -> Result<Option<Reg>, KernelError> {
        let shared = &self.shared;
        shared
            .constants
            .register(shared.layout, &self.function.expressions, handle)
            .map_err(|e| shared.unsupported(e, span))
    }

    /// The value of an expression that needs no evaluation.
    fn leaf(&mut self, handle: Handle<Expression>) -> Result<Operand, KernelError> {
        let span = self.span(handle);
        if let Some(register) = self.constant(handle, span)? {
            return Ok(Operand::Registers(register));
        }
        match self.function.expressions[handle] {
            Expression::FunctionArgument(index) => {
                let register = self.arguments[index as usize];
                if matches!(self.inner(handle), TypeInner::Image { .. }) {
                    return Ok(Operand::Texture(TextureRef::Register(register)));
                }
                Ok(match self.inner(handle).pointer_space() {
                    None => Operand::Registers(register),
                    // Only pointers to function and private variables are arguments in WGSL.
                    Some(_) => Operand::Pointer(Address {
                        space: Space::Registers,
                        dynamic: register,
                        offset: 0,
                    }),
                })
            }
            Expression::GlobalVariable(variable) => self
                .shared
                .globals
                .value(variable)
                .ok_or_else(|| self.unsupported("this use of a global variable", span)),
            Expression::LocalVariable(variable) => Ok(Operand::Pointer(Address {
                space: Space::Registers,
                dynamic: ZERO,
                offset: self.locals[variable.index()],
            })),
            Expression::Override(left) => {
                let name = self.shared.module.overrides[left].name.as_deref();
                Err(KernelError::Unresolved(format!(
                    "`{}`",
                    name.unwrap_or("unnamed override")
                )))
            }
            Expression::Constant(_) => {
                Err(self.unsupported("a constant expression that is not folded", span))
            }
            // Validation ensures that all others are evaluated before use.
            _ => Err(self.unsupported("an expression used before it is evaluated", span)),
        }
    }

    /// Initialises a variable.
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

    fn builtin(&mut self, binding: &Binding, span: Span) -> Result<Reg, KernelError> {
        let register = match binding {
            Binding::BuiltIn(BuiltIn::GlobalInvocationId) => builtin::GLOBAL_INVOCATION_ID,
            Binding::BuiltIn(BuiltIn::LocalInvocationId) => builtin::LOCAL_INVOCATION_ID,
            Binding::BuiltIn(BuiltIn::LocalInvocationIndex) => builtin::LOCAL_INVOCATION_INDEX,
            Binding::BuiltIn(BuiltIn::WorkGroupId) => builtin::WORKGROUP_ID,
            Binding::BuiltIn(BuiltIn::WorkGroupSize) => builtin::WORKGROUP_SIZE,
            Binding::BuiltIn(BuiltIn::NumWorkGroups) => builtin::NUM_WORKGROUPS,
            Binding::BuiltIn(BuiltIn::SubgroupSize) => builtin::SUBGROUP_SIZE,
            Binding::BuiltIn(BuiltIn::SubgroupId) => builtin::SUBGROUP_ID,
            Binding::BuiltIn(BuiltIn::SubgroupInvocationId) => builtin::SUBGROUP_INVOCATION_ID,
            Binding::BuiltIn(BuiltIn::NumSubgroups) => builtin::NUM_SUBGROUPS,
            _ => return Err(self.unsupported("this entry point argument", span)),
        };
        self.shared.code.has_subgroup_ids |= register >= builtin::SUBGROUP_SIZE;
        Ok(register)
    }

    fn body(&mut self) -> Result<(), KernelError> {
        for (handle, variable) in self.function.local_variables.iter() {
            let span = self.function.local_variables.get_span(handle);
            let inner = self.shared.layout.inner(variable.ty);
            let named = |error| about(variable.name.as_deref(), error);
            let words = self.words(inner, span).map_err(named)?;
            let register = self.alloc(words, span).map_err(named)?;
            self.locals.push(register);
            let init = match variable.init {
                Some(init) => Some(self.register(init)?),
                None => None,
            };
            self.initialise(register, words, init);
        }
        self.block(&self.function.body)?;
        // Implicit `return` at the end of a function.
        self.finish(self.last_span);
        Ok(())
    }

    /// Ends the invocation, or returns to the caller.
    pub(super) fn finish(&mut self, span: Span) {
        let instr = match self.link {
            Some(link) => Instr::Return { link },
            None => Instr::End,
        };
        self.push(instr, span);
    }
}

/// Adds the name of the variable that is not supported.
fn about(name: Option<&str>, error: KernelError) -> KernelError {
    match (name, error) {
        (Some(name), KernelError::Unsupported { feature, location }) => KernelError::Unsupported {
            feature: format!("`{name}`: {feature}"),
            location,
        },
        (_, error) => error,
    }
}
