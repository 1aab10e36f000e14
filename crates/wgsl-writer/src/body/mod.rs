//! Writes function bodies.
//!
//! In: a function and the text of its signature. Out: its body. All decisions come first, each in a module of its own:
//! which expressions are bound to names ([`let_plan`], [`evaluation_order`], [`constant_hiding`]), where variables are
//! declared ([`local_scopes`]), which loops lack an exit ([`behavior`]). Then [`statement`] and [`loops`] write the
//! text.

mod behavior;
mod constant_hiding;
mod evaluation_order;
mod implied_jump;
mod let_plan;
mod local_scopes;
mod loop_numbers;
mod loops;
mod statement;

use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    Arena, Block, Expression, FastIndexMap, FunctionArgument, FunctionResult, Handle,
    LocalVariable, Type, TypeInner,
};

use super::context::{Context, DeclarationName};
use super::literal;
use super::name::{Name, UsedNames};
use super::printer::{Printer, Result};
use anywarp_program::operands;
use behavior::FunctionBehavior;
use let_plan::LetPlan;
use local_scopes::LocalScopes;

/// A function whose expressions and body may have been replaced by a pass.
#[derive(Clone, Copy)]
pub(super) struct FunctionView<'a> {
    pub(super) arguments: &'a [FunctionArgument],
    pub(super) result: Option<&'a FunctionResult>,
    pub(super) local_variables: &'a Arena<LocalVariable>,
    pub(super) named_expressions: &'a FastIndexMap<Handle<Expression>, String>,
    pub(super) expressions: &'a Arena<Expression>,
    pub(super) body: &'a Block,
}

/// Tables reused from function to function, so that their cost does not depend on unused expressions.
#[derive(Debug, Default)]
pub(super) struct ReusedTables {
    plan: LetPlan,
    /// `Printer::bound`; all zero between functions.
    bound: Vec<u32>,
}

/// The writer of a function body.
pub(super) struct Body<'c, 'a> {
    printer: Printer<'c, 'a>,
    function: FunctionView<'a>,
    plan: LetPlan,
    locals: LocalScopes,
    flow: FunctionBehavior,
    taken: UsedNames,
    /// The names declared in each open block scope.
    scopes: Vec<Vec<Name>>,
    indent: usize,
    temporaries: u32,
    /// Bytes of text in copies of fallthrough cases.
    repeated: usize,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Makes all decisions about a function. Its parameters are named when this returns.
    pub(super) fn new(
        cx: &'c Context<'a>,
        place: DeclarationName<'c>,
        function: FunctionView<'a>,
        info: &'a FunctionInfo,
        out: String,
        tables: ReusedTables,
    ) -> Self {
        let ReusedTables {
            mut plan,
            mut bound,
        } = tables;
        plan.decide(cx, function, info);
        if bound.len() < function.expressions.len() {
            bound.resize(function.expressions.len(), 0);
        }
        let locals = LocalScopes::new(function, &plan);
        let mut printer = Printer::of_module(cx, place, out);
        printer.arena = function.expressions;
        printer.info = Some(info);
        printer.bound = bound;
        printer.variables = Some(function.local_variables);
        printer.locals = vec![None; function.local_variables.len()];
        let mut body = Self {
            printer,
            function,
            flow: FunctionBehavior::new(function.body),
            locals,
            taken: UsedNames::default(),
            scopes: vec![Vec::new()],
            indent: 1,
            temporaries: 0,
            repeated: 0,
            plan,
        };
        body.take_module_names();
        for argument in function.arguments {
            let name = body.declare(argument.name.as_deref(), "parameter");
            body.printer.arguments.push(name);
        }
        body
    }

    /// The names of the parameters.
    pub(super) fn parameters(&self) -> &[Name] {
        &self.printer.arguments
    }

    /// The text so far, to which the caller writes the signature.
    pub(super) fn out(&mut self) -> &mut String {
        &mut self.printer.out
    }

    /// Writes the body with its braces.
    pub(super) fn write(mut self) -> Result<(String, ReusedTables)> {
        self.printer.push("{\n");
        self.hidden_constants()?;
        self.block(self.function.body)?;
        self.final_return()?;
        self.printer.push("}\n");
        self.printer.count()?;
        let mut plan = self.plan;
        let mut bound = self.printer.bound;
        for expression in &plan.ordered {
            bound[expression.index()] = 0;
        }
        plan.forget();
        Ok((self.printer.out, ReusedTables { plan, bound }))
    }

    /// Reserves the module-scope names that the body uses, so that local names do not shadow them.
    fn take_module_names(&mut self) {
        let cx = self.printer.cx;
        let has_polyfills = !cx.names.polyfills.is_empty();
        let function = self.function;
        for at in 0..self.plan.composed.len() {
            let handle = self.plan.composed[at];
            if let Expression::Compose { ty, .. } | Expression::ZeroValue(ty) =
                function.expressions[handle]
                && self.plan.is_mentioned(handle)
            {
                self.take_type(ty);
            }
        }
        for handle in self.plan.ordered.iter().filter(|_| has_polyfills) {
            if !self.plan.is_mentioned(*handle) {
                continue;
            }
            let polyfill = self.printer.polyfill(*handle);
            if let Some(name) = polyfill.and_then(|polyfill| cx.names.polyfills.get(&polyfill)) {
                self.taken.insert(name);
            }
        }
        for at in 0..self.plan.leaves.len() {
            let handle = self.plan.leaves[at];
            if self.plan.is_mentioned(handle) {
                self.take_mentioned(&function.expressions[handle]);
            }
        }
        for (_, local) in self.function.local_variables.iter() {
            self.take_type(local.ty);
        }
        if let Some(result) = self.function.result {
            self.take_type(result.ty);
        }
        for function in &self.plan.calls {
            self.taken.insert(&cx.names.functions[function.index()]);
        }
    }

    fn take_mentioned(&mut self, expression: &Expression) {
        let cx = self.printer.cx;
        let mut anonymous = None;
        match *expression {
            Expression::GlobalVariable(handle) => {
                self.taken.insert(&cx.names.globals[handle.index()]);
            }
            Expression::Constant(handle) => match &cx.names.constants[handle.index()] {
                Some(name) => self.taken.insert(name),
                None => anonymous = Some(cx.module.constants[handle].init),
            },
            Expression::Override(handle) => match &cx.names.overrides[handle.index()] {
                Some(name) => self.taken.insert(name),
                None => anonymous = cx.module.overrides[handle].init,
            },
            Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => self.take_type(ty),
            _ => {}
        }
        if let Some(init) = anonymous {
            let expressions = &cx.module.global_expressions;
            let mut open = vec![init];
            // Large parts used several times have names, so only small parts are visited repeatedly.
            while let Some(handle) = open.pop() {
                if let Some(name) = cx.names.shared.name(handle) {
                    self.taken.insert(name);
                    continue;
                }
                self.take_mentioned(&expressions[handle]);
                operands::of_expression(&expressions[handle], |&used| open.push(used));
            }
        }
    }

    fn take_type(&mut self, ty: Handle<Type>) {
        let cx = self.printer.cx;
        match cx.module.types[ty].inner {
            TypeInner::Struct { .. } => {
                if let Some(name) = &cx.names.types[ty.index()] {
                    self.taken.insert(name);
                }
            }
            TypeInner::Array { base, stride, .. } => {
                if let Some((name, _)) = cx.names.wrappers.get(&(base, stride)) {
                    self.taken.insert(name);
                }
                self.take_type(base);
            }
            TypeInner::Pointer { base, .. } => self.take_type(base),
            _ => {}
        }
    }

    /// Declares a name in the innermost scope, as close as possible to the wanted one.
    fn declare(&mut self, wanted: Option<&str>, fallback: &str) -> Name {
        let name = self
            .taken
            .pick(wanted, fallback, &self.printer.cx.predeclared);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        name
    }

    /// Declares a name for an expression: the source's name, or a numbered one.
    fn declare_expression(&mut self, expression: Handle<Expression>) -> Name {
        match self.function.named_expressions.get(&expression) {
            Some(name) => self.declare(Some(name), "value"),
            None => {
                self.temporaries += 1;
                let mut wanted = String::from("e");
                literal::push_u32(self.temporaries, &mut wanted);
                self.declare(Some(&wanted), "value")
            }
        }
    }

    fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
        self.indent += 1;
    }

    fn close_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.taken.remove(&name);
        }
        self.indent -= 1;
    }
}
