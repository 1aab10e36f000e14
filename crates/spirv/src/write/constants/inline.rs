//! Replaces overrides in functions by loads of marked variables.
//!
//! In: a module whose functions use overrides. Out: the same with an empty override arena. Each function begins with
//! loads of the variables that mark the specialization constants it needs, followed by the expressions computed from
//! them. Variables whose initial value depends on an override are set there too: global variables in each entry point,
//! local variables in their function.

use std::collections::{HashMap, HashSet};

use anywarp_program::naga::{
    Arena, Block, Expression, Function, GlobalVariable, Handle, Module, Override, Range, Span,
    Statement,
};

use super::{Lowering, dependent};
use anywarp_program::operands;

/// Removes all overrides and their uses from a module.
pub(super) fn all(module: &mut Module, lowerings: &HashMap<Handle<Override>, Lowering>) {
    let dependent = dependent(module);
    let mut set_late = Vec::new();
    for (handle, variable) in module.global_variables.iter_mut() {
        if let Some(init) = variable.init.take_if(|init| dependent.contains(init)) {
            set_late.push((handle, init));
        }
    }
    let globals = &module.global_expressions;
    for (_, function) in module.functions.iter_mut() {
        in_function(function, globals, lowerings, &[]);
    }
    for entry in &mut module.entry_points {
        in_function(&mut entry.function, globals, lowerings, &set_late);
    }
    drop_overrides(module, &dependent);
}

/// Unused expressions must stay valid.
fn drop_overrides(module: &mut Module, dependent: &HashSet<Handle<Expression>>) {
    let mut old = module.global_expressions.take();
    let mut places = HashMap::new();
    for (handle, expression, span) in old.drain() {
        if dependent.contains(&handle) {
            continue;
        }
        let mut expression = expression;
        operands::of_expression_mut(&mut expression, |handle| {
            if let Some(place) = places.get(handle) {
                *handle = *place;
            }
        });
        places.insert(handle, module.global_expressions.append(expression, span));
    }
    let moved = |handle: &mut Handle<Expression>| {
        if let Some(place) = places.get(handle) {
            *handle = *place;
        }
    };
    module
        .constants
        .iter_mut()
        .for_each(|(_, constant)| moved(&mut constant.init));
    module
        .global_variables
        .iter_mut()
        .for_each(|(_, global_variable)| global_variable.init.iter_mut().for_each(moved));
    module.overrides.clear();
}

/// A function being rewritten.
struct OverrideInlining<'a> {
    globals: &'a Arena<Expression>,
    lowerings: &'a HashMap<Handle<Override>, Lowering>,
    expressions: Arena<Expression>,
    start: Block,
    /// The value of each override loaded so far.
    values: HashMap<Handle<Override>, Handle<Expression>>,
}

fn in_function(
    function: &mut Function,
    globals: &Arena<Expression>,
    lowerings: &HashMap<Handle<Override>, Lowering>,
    set_late: &[(Handle<GlobalVariable>, Handle<Expression>)],
) {
    let is_override = |expression: &Expression| matches!(expression, Expression::Override(_));
    if set_late.is_empty()
        && !function
            .expressions
            .iter()
            .any(|(_, expression)| is_override(expression))
    {
        return;
    }
    let mut inlined = OverrideInlining {
        globals,
        lowerings,
        expressions: Arena::new(),
        start: Block::new(),
        values: HashMap::new(),
    };
    for (variable, init) in set_late {
        let value = inlined.global(*init);
        inlined.set(Expression::GlobalVariable(*variable), value);
    }
    inlined.set_locals(function);
    inlined.body(function);
}

impl OverrideInlining<'_> {
    /// Adds an expression evaluated at the start of the function.
    fn compute(&mut self, expression: Expression) -> Handle<Expression> {
        let is_emitted = !expression.needs_pre_emit();
        let handle = self.expressions.append(expression, Span::UNDEFINED);
        if is_emitted {
            let range = Range::new_from_bounds(handle, handle);
            self.start.push(Statement::Emit(range), Span::UNDEFINED);
        }
        handle
    }

    fn set(&mut self, variable: Expression, value: Handle<Expression>) {
        let pointer = self.compute(variable);
        self.start
            .push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }

    /// The value of an override.
    fn value(&mut self, handle: Handle<Override>) -> Option<Handle<Expression>> {
        if let Some(value) = self.values.get(&handle) {
            return Some(*value);
        }
        let value = match *self.lowerings.get(&handle)? {
            Lowering::Constant(_, marker) => {
                let pointer = self.compute(Expression::GlobalVariable(marker));
                self.compute(Expression::Load { pointer })
            }
            Lowering::Expression(init) => self.global(init),
        };
        self.values.insert(handle, value);
        Some(value)
    }

    /// A global expression, evaluated in this function.
    fn global(&mut self, root: Handle<Expression>) -> Handle<Expression> {
        self.copy(self.globals, root)
    }

    /// Copies an expression of an arena with its operands, evaluated at the start of the function.
    fn copy(&mut self, arena: &Arena<Expression>, root: Handle<Expression>) -> Handle<Expression> {
        let mut needed = HashSet::from([root]);
        let mut stack = vec![root];
        while let Some(handle) = stack.pop() {
            operands::of_expression(&arena[handle], |operand| {
                if needed.insert(*operand) {
                    stack.push(*operand);
                }
            });
        }
        let mut needed: Vec<_> = needed.into_iter().collect();
        needed.sort_unstable();
        let mut places = HashMap::new();
        let mut last = root;
        for handle in needed {
            let mut expression = arena[handle].clone();
            let value = match expression {
                Expression::Override(declaration) => self.value(declaration),
                _ => None,
            };
            last = value.unwrap_or_else(|| {
                operands::of_expression_mut(&mut expression, |operand| {
                    if let Some(place) = places.get(operand) {
                        *operand = *place;
                    }
                });
                self.compute(expression)
            });
            places.insert(handle, last);
        }
        last
    }

    /// Initial values of local variables must be constant, so dependent ones are stored instead.
    fn set_locals(&mut self, function: &mut Function) {
        let mut dependent = HashSet::new();
        for (handle, expression) in function.expressions.iter() {
            let mut depends = matches!(expression, Expression::Override(_));
            operands::of_expression(expression, |operand| {
                depends |= dependent.contains(operand);
            });
            if depends {
                dependent.insert(handle);
            }
        }
        for (handle, variable) in function.local_variables.iter_mut() {
            if let Some(init) = variable.init.take_if(|init| dependent.contains(init)) {
                let value = self.copy(&function.expressions, init);
                self.set(Expression::LocalVariable(handle), value);
            }
        }
    }

    /// Appends the original expressions and body after the new start of the function.
    fn body(mut self, function: &mut Function) {
        let mut places = HashMap::new();
        for (handle, mut expression, span) in function.expressions.take().drain() {
            let value = match expression {
                Expression::Override(declaration) => self.value(declaration),
                _ => None,
            };
            let place = value.unwrap_or_else(|| {
                operands::of_expression_mut(&mut expression, |operand| move_to(operand, &places));
                self.expressions.append(expression, span)
            });
            places.insert(handle, place);
        }
        let mut body = std::mem::take(&mut function.body);
        operands::all_of_block_mut(
            &mut body,
            &mut |operand| move_to(operand, &places),
            &mut |range| {
                let bounds = range.clone().next().zip(range.clone().last());
                if let Some((mut first, mut last)) = bounds {
                    move_to(&mut first, &places);
                    move_to(&mut last, &places);
                    *range = Range::new_from_bounds(first, last);
                }
            },
        );
        for (_, variable) in function.local_variables.iter_mut() {
            variable
                .init
                .iter_mut()
                .for_each(|init| move_to(init, &places));
        }
        function.named_expressions = function
            .named_expressions
            .drain(..)
            .map(|(mut handle, name)| {
                move_to(&mut handle, &places);
                (handle, name)
            })
            .collect();
        self.start.append(&mut body);
        function.body = self.start;
        function.expressions = self.expressions;
    }
}

fn move_to(
    handle: &mut Handle<Expression>,
    places: &HashMap<Handle<Expression>, Handle<Expression>>,
) {
    if let Some(place) = places.get(handle) {
        *handle = *place;
    }
}
