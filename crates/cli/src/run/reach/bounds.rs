//! Upper bounds of the indices with which a function accesses a runtime-sized array, by interval analysis. See the
//! parent module.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    ArraySize, BinaryOperator, Binding, Expression, Function, GlobalVariable, Handle, Literal,
    LocalVariable, MathFunction, Module, Scalar, ScalarKind, Type, TypeInner,
};

use super::grid::Grid;
use super::statements::Statements;

/// Upper bounds of components of expressions; `None` if unbounded.
type Known = HashMap<(Handle<Expression>, usize), Option<u64>>;

/// The analysis of one function.
pub(super) struct Bounds<'a> {
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
    /// The types of its expressions.
    pub(super) info: &'a FunctionInfo,
    pub(super) statements: &'a Statements,
    pub(super) grid: &'a Grid,
    /// Memoised bounds: expressions form a graph with shared subexpressions.
    pub(super) known: RefCell<Known>,
}

impl Bounds<'_> {
    /// The number of elements of a variable's runtime-sized array that are accessed.
    pub(super) fn length(&self, variable: Handle<GlobalVariable>, ty: Handle<Type>) -> Option<u64> {
        let arrays = self.arrays(variable, ty)?;
        if arrays
            .iter()
            .any(|array| self.statements.escaped.contains(array))
        {
            return None;
        }
        if self.grid.workgroups.contains(&0) {
            return Some(0);
        }
        let mut length = None;
        for (_, expression) in self.function.expressions.iter() {
            let reached = match expression {
                Expression::Access { base, index } if arrays.contains(base) => {
                    self.most(*index, 0, &mut Vec::new())?.checked_add(1)?
                }
                Expression::AccessIndex { base, index } if arrays.contains(base) => {
                    u64::from(*index) + 1
                }
                _ => continue,
            };
            length = Some(reached.max(length.unwrap_or(0)));
        }
        length
    }

    /// The expressions that point to the array: the variable, or the last member of a struct. `None` if the type has
    /// no such array, or if a struct that contains one is passed on as a whole.
    fn arrays(
        &self,
        variable: Handle<GlobalVariable>,
        ty: Handle<Type>,
    ) -> Option<HashSet<Handle<Expression>>> {
        let expressions = || self.function.expressions.iter();
        let variables = expressions()
            .filter(|(_, it)| matches!(it, Expression::GlobalVariable(of) if *of == variable));
        let variables: HashSet<_> = variables.map(|(handle, _)| handle).collect();
        match &self.module.types[ty].inner {
            TypeInner::Array {
                size: ArraySize::Dynamic,
                ..
            } => Some(variables),
            TypeInner::Struct { members, .. } => {
                let last = members.len().checked_sub(1)?;
                let inner = &self.module.types[members[last].ty].inner;
                let ArraySize::Dynamic = (match inner {
                    TypeInner::Array { size, .. } => *size,
                    _ => return None,
                }) else {
                    return None;
                };
                if variables
                    .iter()
                    .any(|it| self.statements.escaped.contains(it))
                {
                    return None;
                }
                let arrays = expressions().filter(|(_, it)| {
                    matches!(it, Expression::AccessIndex { base, index }
                        if variables.contains(base) && *index as usize == last)
                });
                Some(arrays.map(|(handle, _)| handle).collect())
            }
            _ => None,
        }
    }

    /// An upper bound of a component of an integer expression; `None` if it is unknown, may wrap around or may be
    /// negative. `within` are the variables whose bounds are being computed.
    fn most(
        &self,
        expression: Handle<Expression>,
        component: usize,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        let key = (expression, component);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let is_integer = self.scalar(expression).is_some_and(is_integer);
        let most = is_integer.then(|| self.computed(expression, component, within));
        // As i32, larger values are negative; sums of u32 wrap around.
        let most = most.flatten();
        let most = most.filter(|most| *most <= i32::MAX as u64);
        self.known.borrow_mut().insert(key, most);
        most
    }

    fn computed(
        &self,
        expression: Handle<Expression>,
        component: usize,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        Some(match &self.function.expressions[expression] {
            Expression::Literal(literal) => unsigned(*literal)?,
            Expression::Constant(constant) => {
                self.constant(self.module.constants[*constant].init, component)?
            }
            Expression::ZeroValue(_) => 0,
            Expression::Splat { value, .. } => self.most(*value, 0, within)?,
            Expression::Swizzle {
                vector, pattern, ..
            } => self.most(*vector, *pattern.get(component)? as usize, within)?,
            Expression::Compose { components, .. } => {
                let (part, component) = self.part(components, component)?;
                self.most(part, component, within)?
            }
            Expression::AccessIndex { base, index } => {
                self.element(*base, *index, component, within)?
            }
            Expression::FunctionArgument(index) => self.argument(*index, None, component)?,
            Expression::Load { pointer } => self.loaded(*pointer, component, within)?,
            Expression::As {
                expr,
                kind: ScalarKind::Uint | ScalarKind::Sint,
                convert: Some(4),
            } => self.most(*expr, component, within)?,
            Expression::Binary { op, left, right } => {
                self.binary(*op, *left, *right, component, within)?
            }
            Expression::Math {
                fun: MathFunction::Min,
                arg,
                arg1: Some(other),
                ..
            } => {
                let bounds = [*arg, *other].map(|it| self.most(it, component, within));
                // The minimum with a possibly negative value may be negative.
                if self.is_signed(expression) {
                    bounds[0]?.min(bounds[1]?)
                } else {
                    bounds.into_iter().flatten().min()?
                }
            }
            Expression::Math {
                fun: MathFunction::Max,
                arg,
                arg1: Some(other),
                ..
            } => {
                let first = self.most(*arg, component, within)?;
                first.max(self.most(*other, component, within)?)
            }
            _ => return None,
        })
    }

    fn binary(
        &self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        component: usize,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        let first = self.most(left, component, within);
        let second = self.most(right, component, within);
        match op {
            BinaryOperator::Add => first?.checked_add(second?),
            BinaryOperator::Multiply => first?.checked_mul(second?),
            // For a non-negative divisor the quotient is at most the dividend; for a negative one it is negative.
            BinaryOperator::Divide => {
                if self.is_signed(right) {
                    second?;
                }
                Some(first? / self.literal(right, component).unwrap_or(1).max(1))
            }
            // A remainder is bounded exactly only for a literal divisor. A remainder by zero is the dividend or zero.
            BinaryOperator::Modulo => match (first, self.literal(right, component)) {
                (Some(first), Some(divisor @ 1..)) => Some(first.min(divisor - 1)),
                (first, _) => first,
            },
            BinaryOperator::ShiftLeft => {
                let distance = self.literal(right, component)?;
                let factor = (distance < 32).then(|| 1 << distance)?;
                first?.checked_mul(factor)
            }
            BinaryOperator::ShiftRight => {
                Some(first? >> self.literal(right, component).filter(|it| *it < 32)?)
            }
            BinaryOperator::And => match (first, second) {
                (Some(first), Some(second)) => Some(first.min(second)),
                (one, other) => one.or(other),
            },
            // No bit above the highest bit of both operands is set.
            BinaryOperator::InclusiveOr | BinaryOperator::ExclusiveOr => {
                let both = first? | second?;
                Some(both.checked_add(1)?.next_power_of_two() - 1)
            }
            _ => None,
        }
    }

    /// The value of a constant expression.
    fn literal(&self, expression: Handle<Expression>, component: usize) -> Option<u64> {
        match &self.function.expressions[expression] {
            Expression::Literal(literal) => unsigned(*literal),
            Expression::Constant(constant) => {
                self.constant(self.module.constants[*constant].init, component)
            }
            Expression::Splat { value, .. } => self.literal(*value, 0),
            Expression::Compose { components, .. } => {
                let (part, component) = self.part(components, component)?;
                self.literal(part, component)
            }
            _ => None,
        }
    }

    fn constant(&self, expression: Handle<Expression>, component: usize) -> Option<u64> {
        match &self.module.global_expressions[expression] {
            Expression::Literal(literal) => unsigned(*literal),
            Expression::Constant(constant) => {
                self.constant(self.module.constants[*constant].init, component)
            }
            Expression::ZeroValue(_) => Some(0),
            Expression::Splat { value, .. } => self.constant(*value, 0),
            // Other vectors are composed of vectors.
            Expression::Compose { ty, components } => match self.module.types[*ty].inner {
                TypeInner::Vector { size, .. } if components.len() == size as usize => {
                    self.constant(*components.get(component)?, 0)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The scalar type of a scalar or a vector.
    fn scalar(&self, expression: Handle<Expression>) -> Option<Scalar> {
        match *self.info[expression].ty.inner_with(&self.module.types) {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => Some(scalar),
            _ => None,
        }
    }

    fn is_signed(&self, expression: Handle<Expression>) -> bool {
        let scalar = self.scalar(expression);
        scalar.is_none_or(|scalar| scalar.kind != ScalarKind::Uint)
    }

    /// The scalar or vector that provides a vector's component, and the component within it.
    fn part(
        &self,
        parts: &[Handle<Expression>],
        mut component: usize,
    ) -> Option<(Handle<Expression>, usize)> {
        for &part in parts {
            let width = match self.info[part].ty.inner_with(&self.module.types) {
                TypeInner::Scalar(_) => 1,
                TypeInner::Vector { size, .. } => *size as usize,
                _ => return None,
            };
            if component < width {
                return Some((part, component));
            }
            component -= width;
        }
        None
    }

    /// A component of a vector, or a component of a member of an argument.
    fn element(
        &self,
        base: Handle<Expression>,
        index: u32,
        component: usize,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        match (&self.function.expressions[base], self.scalar(base)) {
            (_, Some(_)) => self.most(base, index as usize, within),
            (Expression::FunctionArgument(argument), None) => {
                self.argument(*argument, Some(index), component)
            }
            _ => None,
        }
    }

    /// A component of an argument, or of a member of it, that is a builtin.
    fn argument(&self, index: u32, member: Option<u32>, component: usize) -> Option<u64> {
        let argument = self.function.arguments.get(index as usize)?;
        let binding = match (member, &self.module.types[argument.ty].inner) {
            (None, _) => argument.binding.as_ref()?,
            (Some(member), TypeInner::Struct { members, .. }) => {
                members.get(member as usize)?.binding.as_ref()?
            }
            _ => return None,
        };
        match binding {
            Binding::BuiltIn(builtin) => self.grid.most(*builtin, component),
            Binding::Location { .. } => None,
        }
    }

    /// A component of a local variable that is only stored to as a whole or by component. Its initial value is zero.
    fn loaded(
        &self,
        pointer: Handle<Expression>,
        component: usize,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        let expressions = &self.function.expressions;
        let (variable, component) = match &expressions[pointer] {
            Expression::LocalVariable(variable) => (*variable, component),
            Expression::AccessIndex { base, index } => match expressions[*base] {
                Expression::LocalVariable(variable) if self.is_vector(variable) => {
                    (variable, *index as usize)
                }
                _ => return None,
            },
            _ => return None,
        };
        // A variable that depends on itself, such as a loop counter, has no bound here.
        if within.contains(&variable) || self.is_changed_in_parts(variable) {
            return None;
        }
        within.push(variable);
        let init = self.function.local_variables[variable].init;
        let stored = self.statements.stores.iter().filter(|(pointer, _)| {
            matches!(expressions[*pointer], Expression::LocalVariable(of) if of == variable)
        });
        let mut values = stored.map(|(_, value)| *value).chain(init);
        let most = values.try_fold(0, |most, value| {
            Some(self.most(value, component, within)?.max(most))
        });
        within.pop();
        most
    }

    fn is_vector(&self, variable: Handle<LocalVariable>) -> bool {
        let ty = self.function.local_variables[variable].ty;
        matches!(self.module.types[ty].inner, TypeInner::Vector { .. })
    }

    /// Whether a pointer to a variable, or into it, is stored through or passed on.
    fn is_changed_in_parts(&self, variable: Handle<LocalVariable>) -> bool {
        let expressions = &self.function.expressions;
        let is_part = |mut pointer: Handle<Expression>| {
            let mut is_whole = true;
            loop {
                match &expressions[pointer] {
                    Expression::LocalVariable(of) => return (*of == variable).then_some(is_whole),
                    Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                        (pointer, is_whole) = (*base, false);
                    }
                    _ => return None,
                }
            }
        };
        let mut stores = self
            .statements
            .stores
            .iter()
            .map(|(pointer, _)| is_part(*pointer) == Some(false));
        let mut escaped = self.statements.escaped.iter();
        stores.any(|store| store) || escaped.any(|escaped| is_part(*escaped).is_some())
    }
}

/// Whether this is `u32` or `i32`.
fn is_integer(scalar: Scalar) -> bool {
    scalar == Scalar::U32 || scalar == Scalar::I32
}

fn unsigned(literal: Literal) -> Option<u64> {
    match literal {
        Literal::U32(value) => Some(value.into()),
        Literal::I32(value) => value.try_into().ok(),
        _ => None,
    }
}
