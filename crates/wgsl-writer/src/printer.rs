//! Writes expressions.
//!
//! In: an expression of a function or of the module. Out: its text, with parentheses only where the grammar requires
//! them. A pointer is written as a reference where it is loaded or stored through, and as `&reference` where it is a
//! value. Expressions bound to a `let` are written as its name. What always holds: the plan of `let`s bounds the depth
//! of all other expressions, so recursion is bounded.

use std::fmt::Write;

use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    AddressSpace, Arena, BinaryOperator, Expression, FastHashMap, Handle, LocalVariable, Override,
    RelationalFunction, Scalar, ScalarKind, Statement, Type, TypeInner, UnaryOperator,
};

use super::context::{Context, DeclarationName};
use super::extension::Extension;
use super::literal;
use super::name::Name;
use super::polyfill::Polyfill;
use super::precedence::{self, Precedence, Slot};
use crate::WriteError;

pub(super) type Result<T = ()> = std::result::Result<T, WriteError>;

/// Maximal depth of initial values at module scope, where no `let` can split them.
const MAX_MODULE_DEPTH: usize = 256;

/// The bits of a float without its sign, and those of infinity.
const MAGNITUDE: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;

/// Bytes between two updates of the shared meter, to avoid contention.
const COUNTED_BYTES: usize = 64 << 10;

pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Writes the expressions of one arena.
pub(super) struct Printer<'c, 'a> {
    pub(super) cx: &'c Context<'a>,
    pub(super) place: DeclarationName<'c>,
    pub(super) out: String,
    pub(super) arena: &'a Arena<Expression>,
    pub(super) info: Option<&'a FunctionInfo>,
    /// For each expression, the index of its `let` in `lets`, counted from 1; 0 if it is not bound.
    pub(super) bound: Vec<u32>,
    lets: Vec<Name>,
    /// The local variables of the function.
    pub(super) variables: Option<&'a Arena<LocalVariable>>,
    pub(super) locals: Vec<Option<Name>>,
    pub(super) arguments: Vec<Name>,
    /// For an operator, the operand that is written as a name in that operator only.
    pub(super) hidden: FastHashMap<Handle<Expression>, (Handle<Expression>, Name)>,
    /// Calls that are written where their result is used.
    pub(super) effects: FastHashMap<Handle<Expression>, &'a Statement>,
    depth: usize,
    /// Expressions since the last meter update, and the text length at that time.
    steps: u64,
    counted: usize,
}

/// Appends a module-scope expression.
pub(super) fn append<'c, 'a>(
    cx: &'c Context<'a>,
    place: DeclarationName<'c>,
    out: &mut String,
    write: impl FnOnce(&mut Printer<'c, 'a>) -> Result,
) -> Result {
    let mut printer = Printer::of_module(cx, place, std::mem::take(out));
    let written = write(&mut printer).and_then(|()| printer.count());
    *out = printer.out;
    written
}

impl<'c, 'a> Printer<'c, 'a> {
    /// A printer of module-scope expressions that appends to `out`.
    pub(super) fn of_module(cx: &'c Context<'a>, place: DeclarationName<'c>, out: String) -> Self {
        Self {
            cx,
            place,
            counted: out.len(),
            steps: 0,
            out,
            arena: &cx.module.global_expressions,
            info: None,
            bound: Vec::new(),
            lets: Vec::new(),
            variables: None,
            locals: Vec::new(),
            arguments: Vec::new(),
            hidden: FastHashMap::default(),
            effects: FastHashMap::default(),
            depth: 0,
        }
    }

    /// Updates the meter every [`COUNTED_BYTES`] bytes.
    pub(super) fn check(&mut self) -> Result {
        match self.out.len() >= self.counted + COUNTED_BYTES {
            true => self.count(),
            false => Ok(()),
        }
    }

    /// Updates the meter.
    pub(super) fn count(&mut self) -> Result {
        let bytes = self.out.len().saturating_sub(self.counted);
        self.counted = self.out.len();
        self.cx
            .spend(std::mem::take(&mut self.steps), bytes, self.place)
    }

    /// The text, including the text it was created with.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// The type of an expression.
    pub(super) fn inner(&self, expression: Handle<Expression>) -> &'a TypeInner {
        let types = &self.cx.module.types;
        match self.info {
            Some(info) => info[expression].ty.inner_with(types),
            None => self.cx.info[expression].inner_with(types),
        }
    }

    /// The pointee type of a pointer, if its root variable gives it: faster than the type table of the function, which
    /// is large and rarely in cache.
    pub(super) fn place_type(&self, pointer: Handle<Expression>) -> Option<Handle<Type>> {
        let types = &self.cx.module.types;
        match self.arena[pointer] {
            Expression::LocalVariable(handle) => Some(self.variables?[handle].ty),
            Expression::GlobalVariable(handle) => Some(self.cx.module.global_variables[handle].ty),
            Expression::Access { base, .. } => match types[self.place_type(base)?].inner {
                TypeInner::Array { base, .. } => Some(base),
                _ => None,
            },
            Expression::AccessIndex { base, index } => match types[self.place_type(base)?].inner {
                TypeInner::Array { base, .. } => Some(base),
                TypeInner::Struct { ref members, .. } => Some(members[index as usize].ty),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn type_handle(&self, expression: Handle<Expression>) -> Option<Handle<Type>> {
        match self.info {
            Some(info) => info[expression].ty.handle(),
            None => self.cx.info[expression].handle(),
        }
    }

    /// The polyfill that an expression calls, if any.
    pub(super) fn polyfill(&self, expression: Handle<Expression>) -> Option<Polyfill> {
        Polyfill::of(self.cx.module, self.info?, self.arena, expression)
    }

    pub(super) fn unsupported(&self, what: &str) -> WriteError {
        self.cx.unsupported(what, self.place)
    }

    pub(super) fn naga_only(&self, what: &str) -> Result {
        self.cx.naga_only(what, self.place)
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn spell(&mut self, ty: Handle<Type>) -> Result {
        self.cx.spell(ty, self.place, &mut self.out)
    }

    /// The name that an expression is bound to.
    pub(super) fn name_of(&self, expression: Handle<Expression>) -> Option<&Name> {
        let number = *self.bound.get(expression.index())?;
        self.lets.get((number as usize).checked_sub(1)?)
    }

    /// Writes the expression as a name from here on.
    pub(super) fn bind(&mut self, expression: Handle<Expression>, name: Name) {
        self.lets.push(name);
        self.bound[expression.index()] = self.lets.len() as u32;
    }

    /// Writes the expression inline from here on.
    pub(super) fn unbind(&mut self, expression: Handle<Expression>) {
        self.bound[expression.index()] = 0;
    }

    /// Whether an expression is written as a reference, so that its pointer needs `&`.
    pub(super) fn is_reference(&self, expression: Handle<Expression>) -> bool {
        if self.name_of(expression).is_some() {
            return false;
        }
        match self.arena[expression] {
            Expression::LocalVariable(_) => true,
            Expression::GlobalVariable(handle) => {
                self.cx.module.global_variables[handle].space != AddressSpace::Handle
            }
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.starts_from_pointer(base)
            }
            _ => false,
        }
    }

    /// Whether the root of an expression is a pointer. Most expression kinds decide that without a look at the type
    /// table.
    fn starts_from_pointer(&self, mut expression: Handle<Expression>) -> bool {
        loop {
            expression = match self.arena[expression] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
                Expression::LocalVariable(_) => return true,
                Expression::GlobalVariable(handle) => {
                    return self.cx.module.global_variables[handle].space != AddressSpace::Handle;
                }
                Expression::Load { .. } => return false,
                _ => return self.inner(expression).pointer_space().is_some(),
            };
        }
    }

    /// Whether a pointer points to an atomic.
    pub(super) fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        let types = &self.cx.module.types;
        self.cx.has_atomics && self.inner(pointer).is_atomic_pointer(types)
    }

    /// The operand of a bitcast to the same type.
    fn same(&self, expression: Handle<Expression>) -> Option<Handle<Expression>> {
        match self.arena[expression] {
            Expression::As {
                expr,
                kind,
                convert: None,
            } if self.inner(expr).scalar_kind() == Some(kind) => Some(expr),
            _ => None,
        }
    }

    /// The name of a shared part of a constant.
    fn shared_name(&self, expression: Handle<Expression>) -> Option<&'c Name> {
        match self.info {
            Some(_) => None,
            None => self.cx.names.shared.name(expression),
        }
    }

    fn level(&self, expression: Handle<Expression>) -> Precedence {
        if self.name_of(expression).is_some() || self.shared_name(expression).is_some() {
            return Precedence::Primary;
        }
        if let Some(same) = self.same(expression) {
            return self.level(same);
        }
        match self.arena[expression] {
            Expression::Literal(literal) if literal::is_negative(literal) => Precedence::Unary,
            Expression::As { .. }
                if literal::recast(self.arena, expression).is_some_and(literal::is_negative) =>
            {
                Precedence::Unary
            }
            Expression::Binary { op, .. } => precedence::of_operator(op).0,
            Expression::Unary { .. } => Precedence::Unary,
            Expression::Load { pointer } => match self.is_atomic(pointer) {
                false if !self.is_reference(pointer) => Precedence::Unary,
                _ => Precedence::Primary,
            },
            Expression::Relational {
                fun: RelationalFunction::IsNan | RelationalFunction::IsInf,
                ..
            } => Precedence::Relational,
            Expression::Constant(handle) if self.cx.names.constants[handle.index()].is_none() => {
                self.module_level(self.cx.module.constants[handle].init)
            }
            Expression::Override(handle) if self.cx.names.overrides[handle.index()].is_none() => {
                self.cx.module.overrides[handle]
                    .init
                    .map_or(Precedence::Primary, |init| self.module_level(init))
            }
            _ if self.is_reference(expression) => Precedence::Unary,
            _ => Precedence::Primary,
        }
    }

    /// The precedence of a module-scope expression.
    fn module_level(&self, expression: Handle<Expression>) -> Precedence {
        match self.cx.module.global_expressions[expression] {
            // The common cases need no printer.
            Expression::Literal(literal) if !literal::is_negative(literal) => Precedence::Primary,
            Expression::Compose { .. } | Expression::Splat { .. } | Expression::ZeroValue(_) => {
                Precedence::Primary
            }
            _ => Printer::of_module(self.cx, self.place, String::new()).level(expression),
        }
    }

    /// Appends an expression, with parentheses if the slot requires them.
    pub(super) fn expression(&mut self, expression: Handle<Expression>, slot: Slot) -> Result {
        if slot.takes(self.level(expression)) {
            return self.bare(expression);
        }
        self.out.push('(');
        self.bare(expression)?;
        self.out.push(')');
        Ok(())
    }

    /// Appends an expression in a position that accepts any.
    pub(super) fn any(&mut self, expression: Handle<Expression>) -> Result {
        self.bare(expression)
    }

    /// Appends the name that an expression is bound to; `false` if there is none.
    pub(super) fn name(&mut self, expression: Handle<Expression>) -> bool {
        match self.bound.get(expression.index()) {
            None | Some(0) => false,
            Some(number) => {
                self.out.push_str(&self.lets[*number as usize - 1]);
                true
            }
        }
    }

    fn bare(&mut self, expression: Handle<Expression>) -> Result {
        self.steps += 1;
        self.check()?;
        if let Some(name) = self.shared_name(expression) {
            self.out.push_str(name);
            return Ok(());
        }
        if !self.cx.copied_structs.is_empty()
            && let Some(name) = self.name_of(expression).cloned()
            && let Some(ty) = self.type_handle(expression)
            && self.cx.is_copied(&self.arena[expression], Some(ty))
        {
            return self.copy(ty, &name);
        }
        if self.name(expression) {
            return Ok(());
        }
        if self.info.is_none() && self.depth > MAX_MODULE_DEPTH {
            return Err(WriteError::TooDeep {
                place: self.place.to_string(),
                limit: MAX_MODULE_DEPTH,
            });
        }
        self.depth += 1;
        if self.is_reference(expression) {
            self.out.push('&');
            self.reference(expression)?;
        } else if !self.hidden.is_empty()
            && let Some((operand, name)) = self.hidden.get(&expression)
        {
            let (operand, name) = (*operand, name.clone());
            let before = self.bound[operand.index()];
            self.bind(operand, name);
            self.unbound(expression)?;
            self.bound[operand.index()] = before;
        } else {
            self.unbound(expression)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Appends a module-scope expression in full, even if it has a name.
    pub(super) fn in_full(&mut self, expression: Handle<Expression>) -> Result {
        self.unbound(expression)
    }

    /// Copies the result of a builtin function into a structure declared in the text, member by member.
    fn copy(&mut self, ty: Handle<Type>, name: &str) -> Result {
        self.spell(ty)?;
        let cx = self.cx;
        let members = &cx.names.members[ty.index()];
        for (index, member) in members.iter().enumerate() {
            self.push(if index == 0 { "(" } else { ", " });
            let _ = write!(self.out, "{name}.{member}");
        }
        self.push(")");
        Ok(())
    }

    fn unbound(&mut self, expression: Handle<Expression>) -> Result {
        match self.arena[expression] {
            Expression::Literal(value) => {
                let scalar = value.scalar();
                self.note_scalar(scalar)?;
                match literal::push(value, &mut self.out) {
                    true => Ok(()),
                    false => Err(self.unsupported("a number without a concrete type")),
                }
            }
            Expression::Constant(handle) => match &self.cx.names.constants[handle.index()] {
                Some(name) => {
                    self.out.push_str(name);
                    Ok(())
                }
                None => self.of_module_scope(self.cx.module.constants[handle].init, Slot::ANY),
            },
            Expression::Override(handle) => self.override_value(handle, Slot::ANY),
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ty, ref components } => self.compose(ty, components),
            Expression::Splat { value, .. } => {
                self.spell_value_type(expression)?;
                self.call("", &[value])
            }
            Expression::Access { .. } | Expression::AccessIndex { .. } => self.path(expression),
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => {
                self.expression(vector, Slot::PRIMARY)?;
                self.out.push('.');
                for component in &pattern[..size as usize] {
                    self.out.push(COMPONENTS[*component as usize]);
                }
                Ok(())
            }
            Expression::FunctionArgument(index) => {
                self.out.push_str(&self.arguments[index as usize]);
                Ok(())
            }
            Expression::GlobalVariable(handle) => {
                self.out.push_str(&self.cx.names.globals[handle.index()]);
                Ok(())
            }
            Expression::LocalVariable(handle) => self.local(handle.index()),
            Expression::Load { pointer } => {
                if self.is_atomic(pointer) {
                    self.call("atomicLoad", &[pointer])
                } else {
                    self.reference(pointer)
                }
            }
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => {
                let (_, left_slot, right_slot) = precedence::of_operator(op);
                self.expression(left, left_slot)?;
                self.out.push(' ');
                self.out.push_str(precedence::sign(op));
                self.out.push(' ');
                self.expression(right, right_slot)
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.call("select", &[reject, accept, condition]),
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::As { expr, convert, .. } => {
                if let Some(literal) = literal::recast(self.arena, expression) {
                    literal::push(literal, &mut self.out);
                    return Ok(());
                }
                if let Some(same) = self.same(expression) {
                    return self.bare(same);
                }
                if convert.is_none() {
                    self.push("bitcast<");
                    self.spell_value_type(expression)?;
                    self.push(">");
                } else {
                    self.spell_value_type(expression)?;
                }
                self.call("", &[expr])
            }
            _ => self.builtin(expression),
        }
    }

    /// Records the extension that a literal's type needs.
    fn note_scalar(&self, scalar: Scalar) -> Result {
        match (scalar.kind, scalar.width) {
            (_, 8) => self.naga_only("64-bit numbers"),
            (ScalarKind::Float, 2) => {
                self.cx.enable(Extension::F16);
                Ok(())
            }
            (_, 2) => {
                self.cx.enable(Extension::Int16);
                self.naga_only("16-bit integers")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn local(&mut self, index: usize) -> Result {
        match self.locals.get(index) {
            Some(Some(name)) => {
                self.out.push_str(name);
                Ok(())
            }
            _ => Err(self.unsupported("a variable before it is declared")),
        }
    }

    /// Appends the type of a value as a constructor name.
    pub(super) fn spell_value_type(&mut self, expression: Handle<Expression>) -> Result {
        match self.type_handle(expression) {
            Some(handle) => self.spell(handle),
            None => {
                let inner = self.inner(expression);
                self.cx.spell_inner(inner, self.place, &mut self.out)
            }
        }
    }

    /// Appends a module-scope expression with this printer: a function may use thousands.
    fn of_module_scope(&mut self, expression: Handle<Expression>, slot: Slot) -> Result {
        let arena = std::mem::replace(&mut self.arena, &self.cx.module.global_expressions);
        let info = self.info.take();
        // Module-scope expressions are neither bound nor hidden.
        let bound = std::mem::take(&mut self.bound);
        let hidden = std::mem::take(&mut self.hidden);
        let depth = self.depth;
        self.depth = if info.is_none() { depth } else { 0 };
        let written = self.expression(expression, slot);
        self.depth = depth;
        (self.arena, self.info, self.bound, self.hidden) = (arena, info, bound, hidden);
        written
    }

    fn override_value(&mut self, handle: Handle<Override>, slot: Slot) -> Result {
        match (
            &self.cx.names.overrides[handle.index()],
            self.cx.module.overrides[handle].init,
        ) {
            (Some(name), _) => {
                self.out.push_str(name);
                Ok(())
            }
            (None, Some(init)) => self.of_module_scope(init, slot),
            (None, None) => Err(self.unsupported("an override without name, number and value")),
        }
    }

    /// Appends an override as the last item of a template list.
    pub(super) fn override_in_list(&mut self, handle: Handle<Override>) -> Result {
        self.override_value(handle, Slot::TEMPLATE)
    }

    /// Appends the zero value of a type.
    pub(super) fn zero(&mut self, ty: Handle<Type>) -> Result {
        if let TypeInner::Scalar(scalar) = self.cx.module.types[ty].inner
            && let Some(zero) = literal::zero(scalar)
        {
            self.note_scalar(scalar)?;
            self.push(zero);
            return Ok(());
        }
        self.spell(ty)?;
        self.push("()");
        Ok(())
    }

    fn compose(&mut self, ty: Handle<Type>, components: &[Handle<Expression>]) -> Result {
        self.spell(ty)?;
        let inner = &self.cx.module.types[ty].inner;
        if let TypeInner::Array { base, stride, .. } = *inner
            && self.cx.layouts.is_wrapped(inner)
        {
            let wrapper = self.cx.names.wrappers[&(base, stride)].0.clone();
            self.out.push('(');
            for (index, component) in components.iter().enumerate() {
                if index > 0 {
                    self.push(", ");
                }
                self.call(&wrapper, &[*component])?;
            }
            self.out.push(')');
            return Ok(());
        }
        if self.cx.names.paddings.contains_key(&ty) {
            let layout = self.cx.layouts.of_struct(ty);
            let is_half = layout.is_some_and(|layout| layout.is_half);
            self.push(if is_half { "(0.0h, " } else { "(0u, " });
            return self.arguments_then_close(components);
        }
        self.call("", components)
    }

    fn unary(&mut self, op: UnaryOperator, operand: Handle<Expression>) -> Result {
        self.push(match op {
            UnaryOperator::Negate => "-",
            UnaryOperator::LogicalNot => "!",
            UnaryOperator::BitwiseNot => "~",
        });
        let before = self.out.len();
        self.expression(operand, Slot::UNARY)?;
        // `--` would be one token.
        if op == UnaryOperator::Negate && self.out[before..].starts_with('-') {
            self.out.insert(before, '(');
            self.out.push(')');
        }
        Ok(())
    }

    /// WGSL has no test for infinities and NaN, so the bits are compared.
    fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Result {
        let sign = match fun {
            RelationalFunction::All => return self.call("all", &[argument]),
            RelationalFunction::Any => return self.call("any", &[argument]),
            RelationalFunction::IsNan => ">",
            RelationalFunction::IsInf => "==",
        };
        let (size, width) = match *self.inner(argument) {
            TypeInner::Scalar(scalar) => (None, scalar.width),
            TypeInner::Vector { size, scalar } => (Some(size as u8), scalar.width),
            _ => return Err(self.unsupported("a test for NaN of something that is no number")),
        };
        if width == 8 {
            return Err(self.unsupported("a test for NaN of 64-bit numbers"));
        }
        let (bits, open, close) = match size {
            Some(size) => (format!("vec{size}<u32>"), format!("vec{size}<u32>("), ")"),
            None => ("u32".into(), String::new(), ""),
        };
        let _ = write!(self.out, "(bitcast<{bits}>(");
        if width == 2 {
            let widened = size.map_or("f32".into(), |size| format!("vec{size}<f32>"));
            self.call(&widened, &[argument])?;
        } else {
            self.any(argument)?;
        }
        let _ = write!(
            self.out,
            ") & {open}{MAGNITUDE}u{close}) {sign} {open}{INFINITY}u{close}"
        );
        Ok(())
    }

    /// Appends a call with its arguments.
    pub(super) fn call(&mut self, name: &str, arguments: &[Handle<Expression>]) -> Result {
        self.out.push_str(name);
        self.out.push('(');
        self.arguments_then_close(arguments)
    }

    /// Appends arguments and the closing parenthesis.
    ///
    /// `f(a < b, c > d)` would be parsed as a template list: arguments other than the last get parentheses if they are
    /// such comparisons.
    pub(super) fn arguments_then_close(&mut self, arguments: &[Handle<Expression>]) -> Result {
        for (index, argument) in arguments.iter().enumerate() {
            let last = index + 1 == arguments.len();
            let opens = !last
                && self.name_of(*argument).is_none()
                && matches!(
                    self.arena[*argument],
                    Expression::Binary {
                        op: BinaryOperator::Less,
                        ..
                    }
                );
            self.push(if opens { "(" } else { "" });
            self.any(*argument)?;
            self.push(if opens { ")" } else { "" });
            self.push(if last { "" } else { ", " });
        }
        self.out.push(')');
        Ok(())
    }
}
