//! The size of runtime-sized arrays that follows from the grid.
//!
//! In: a specialised program, an entry point and the workgroups of its grid. Out: for each runtime-sized array
//! that can be decided the number of elements that the grid reaches: one more than the largest index.
//! The algorithm is interval analysis with upper bounds alone, over unsigned expressions: builtins that place an
//! invocation in the grid, constants, sums, products, quotients, remainders, minima, shifts and bit masks.
//!
//! What always holds: with the size found, no access of the shader is out of bounds. An array of which one
//! access cannot be bounded (an index that is loaded, counted in a loop or subtracted), or which is passed to a
//! function or used in one, is left out.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use anywarp_program::Program;
use anywarp_program::naga::{
    ArraySize, BinaryOperator, Binding, Block, BuiltIn, EntryPoint, Expression, Function,
    GlobalVariable, Handle, Literal, LocalVariable, MathFunction, Module, ScalarKind, ShaderStage,
    Statement, Type, TypeInner,
};

use crate::specs::Slot;

/// Elements of each runtime-sized array that the grid reaches.
pub(super) fn lengths(program: &Program, entry: &str, workgroups: [u32; 3]) -> BTreeMap<Slot, u64> {
    let module = program.module();
    let is_entry = |it: &EntryPoint| it.stage == ShaderStage::Compute && it.name == entry;
    let Some(index) = module.entry_points.iter().position(is_entry) else {
        return BTreeMap::new();
    };
    let point = &module.entry_points[index];
    let grid = Grid {
        workgroups: workgroups.map(u64::from),
        size: point.workgroup_size.map(u64::from),
    };
    let used = |variable: Handle<GlobalVariable>| {
        let info = program.info();
        let is_elsewhere =
            |(function, _): (Handle<Function>, _)| !info[function][variable].is_empty();
        !info.get_entry_point(index)[variable].is_empty()
            && !module.functions.iter().any(is_elsewhere)
    };
    let statements = Statements::of(&point.function);
    let mut lengths = BTreeMap::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(place) = variable.binding.filter(|_| used(handle)) else {
            continue;
        };
        let bounds = Bounds {
            module,
            function: &point.function,
            statements: &statements,
            grid: &grid,
            known: RefCell::default(),
        };
        if let Some(length) = bounds.length(handle, variable.ty) {
            let (group, binding) = (place.group, place.binding);
            lengths.insert(Slot { group, binding }, length);
        }
    }
    lengths
}

struct Grid {
    workgroups: [u64; 3],
    size: [u64; 3],
}

impl Grid {
    /// The largest value of a component of a builtin; nothing in an empty grid.
    fn most(&self, builtin: BuiltIn, component: usize) -> Option<u64> {
        let count = *self.workgroups.get(component)?;
        let size = *self.size.get(component)?;
        let whole = self
            .size
            .iter()
            .fold(1, |all: u64, it| all.saturating_mul(*it));
        match builtin {
            BuiltIn::GlobalInvocationId => (count * size).checked_sub(1),
            BuiltIn::WorkGroupId => count.checked_sub(1),
            BuiltIn::LocalInvocationId => size.checked_sub(1),
            BuiltIn::LocalInvocationIndex if component == 0 => whole.checked_sub(1),
            BuiltIn::NumWorkGroups => Some(count),
            _ => None,
        }
    }
}

/// What the statements of a function do with pointers.
#[derive(Default)]
struct Statements {
    stores: Vec<(Handle<Expression>, Handle<Expression>)>,
    /// Expressions that are passed to functions or change in ways that are not followed.
    escaped: HashSet<Handle<Expression>>,
}

impl Statements {
    fn of(function: &Function) -> Self {
        let mut found = Self::default();
        // Not by recursion, because blocks may nest deeply.
        let mut waiting: Vec<&Block> = vec![&function.body];
        while let Some(block) = waiting.pop() {
            for statement in block {
                match statement {
                    Statement::Block(inner) => waiting.push(inner),
                    Statement::If { accept, reject, .. } => waiting.extend([accept, reject]),
                    Statement::Switch { cases, .. } => {
                        waiting.extend(cases.iter().map(|case| &case.body));
                    }
                    Statement::Loop {
                        body, continuing, ..
                    } => waiting.extend([body, continuing]),
                    Statement::Store { pointer, value } => found.stores.push((*pointer, *value)),
                    Statement::Call { arguments, .. } => found.escaped.extend(arguments),
                    Statement::Atomic { pointer, .. }
                    | Statement::WorkGroupUniformLoad { pointer, .. } => {
                        found.escaped.insert(*pointer);
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

struct Bounds<'a> {
    module: &'a Module,
    function: &'a Function,
    statements: &'a Statements,
    grid: &'a Grid,
    /// Bounds of components so far, since expressions may share parts many times over.
    known: RefCell<HashMap<(Handle<Expression>, usize), Option<u64>>>,
}

impl Bounds<'_> {
    /// The elements of a variable's runtime-sized array that are reached.
    fn length(&self, variable: Handle<GlobalVariable>, ty: Handle<Type>) -> Option<u64> {
        let arrays = self.arrays(variable, ty)?;
        if arrays.iter().any(|it| self.statements.escaped.contains(it)) {
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

    /// Expressions that point to the array: the variable, or the last member of a struct. Nothing where the
    /// type has no such array, or where a struct with one is passed on as a whole.
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

    /// The largest value that a component of an unsigned expression can have; nothing if it is not known, or
    /// could wrap around. `within` are the variables whose values are being bounded.
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
        let most = self.computed(expression, component, within);
        // As i32 larger values are negative, and sums of u32 wrap around.
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
                self.most(*components.get(component)?, 0, within)?
            }
            Expression::AccessIndex { base, index } => self.element(*base, *index, within)?,
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
                bounds.into_iter().flatten().min()?
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
            // A quotient is not larger than its dividend, whatever the divisor.
            BinaryOperator::Divide => {
                Some(first? / self.literal(right, component).unwrap_or(1).max(1))
            }
            // Of a remainder only the literal divisor is known exactly. By zero it is the dividend or zero.
            BinaryOperator::Modulo => match (first, self.literal(right, component)) {
                (Some(first), Some(divisor @ 1..)) => Some(first.min(divisor - 1)),
                (first, _) => first,
            },
            BinaryOperator::ShiftLeft => {
                let distance = self.literal(right, component)?;
                (distance < 32).then(|| first.map(|it| it << distance))?
            }
            BinaryOperator::ShiftRight => {
                Some(first? >> self.literal(right, component).filter(|it| *it < 32)?)
            }
            BinaryOperator::And => match (first, second) {
                (Some(first), Some(second)) => Some(first.min(second)),
                (one, other) => one.or(other),
            },
            // No bit is set above the highest of both.
            BinaryOperator::InclusiveOr | BinaryOperator::ExclusiveOr => {
                let both = first? | second?;
                Some(both.checked_add(1)?.next_power_of_two() - 1)
            }
            _ => None,
        }
    }

    /// The value of an expression that is always the same.
    fn literal(&self, expression: Handle<Expression>, component: usize) -> Option<u64> {
        match &self.function.expressions[expression] {
            Expression::Literal(literal) => unsigned(*literal),
            Expression::Constant(constant) => {
                self.constant(self.module.constants[*constant].init, component)
            }
            Expression::Splat { value, .. } => self.literal(*value, 0),
            Expression::Compose { components, .. } => self.literal(*components.get(component)?, 0),
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
            Expression::Compose { components, .. } => self.constant(*components.get(component)?, 0),
            _ => None,
        }
    }

    /// A component of a vector, or of a vector that is a member of an argument.
    fn element(
        &self,
        base: Handle<Expression>,
        index: u32,
        within: &mut Vec<Handle<LocalVariable>>,
    ) -> Option<u64> {
        let expressions = &self.function.expressions;
        match &expressions[base] {
            Expression::AccessIndex {
                base: outer,
                index: member,
            } => match expressions[*outer] {
                Expression::FunctionArgument(argument) => {
                    self.argument(argument, Some(*member), index as usize)
                }
                _ => None,
            },
            Expression::FunctionArgument(argument) => {
                // Either a component of a vector or a scalar member of a struct.
                let vector = self.argument(*argument, None, index as usize);
                vector.or_else(|| self.argument(*argument, Some(index), 0))
            }
            _ => self.most(base, index as usize, within),
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

    /// A local variable that is only ever stored to as a whole, or a component of it. It begins as zeros.
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
                Expression::LocalVariable(variable) => (variable, *index as usize),
                _ => return None,
            },
            _ => return None,
        };
        // A variable whose value depends on itself, as a loop's counter does, has no bound here.
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
        let stores = self.statements.stores.iter();
        let mut stores = stores.map(|(pointer, _)| is_part(*pointer) == Some(false));
        let mut escaped = self.statements.escaped.iter();
        stores.any(|it| it) || escaped.any(|it| is_part(*it).is_some())
    }
}

fn unsigned(literal: Literal) -> Option<u64> {
    match literal {
        Literal::U32(value) => Some(value.into()),
        Literal::I32(value) => value.try_into().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of `out` that a body reaches on a grid of 3 by 2 workgroups of 8 by 4 invocations.
    fn length(body: &str) -> Option<u64> {
        let text = format!(
            "const WIDTH = 24u;
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> other: array<u32, 4>;
            fn helper(i: u32) {{ other[0] = i; }}
            @compute @workgroup_size(8, 4)
            fn main(
                @builtin(global_invocation_id) id: vec3u,
                @builtin(workgroup_id) group: vec3u,
                @builtin(num_workgroups) groups: vec3u,
                @builtin(local_invocation_index) local: u32,
            ) {{ {body} }}"
        );
        let program = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
        let slot = Slot {
            group: 0,
            binding: 0,
        };
        lengths(&program, "main", [3, 2, 1]).get(&slot).copied()
    }

    #[test]
    fn indices_are_bounded_by_the_grid() {
        for (body, expected) in [
            ("out[id.x] = 1u;", 24),
            ("if id.x < arrayLength(&out) { out[id.x] = 1u; }", 24),
            (
                "if id.x >= arrayLength(&out) { return; } out[id.x] += 1u;",
                24,
            ),
            ("out[id.y] = 1u;", 8),
            ("let i = id.y * WIDTH + id.x; out[i] = 1u;", 192),
            ("out[id.y * (groups.x * 8u) + id.x] = 1u;", 192),
            ("var i = id.x; out[i] = 1u;", 24),
            ("var i: u32; if id.y > 1u { i = id.x; } out[i] = 1u;", 24),
            ("out[i32(id.x)] = 1u;", 24),
            ("out[2u * id.x] = 1u; out[2u * id.x + 1u] = 2u;", 48),
            ("out[id.x % 5u] = 1u; out[7] = 2u;", 8),
            ("out[local] = group.x;", 32),
            ("out[id.xy.y] = 1u;", 8),
            ("out[id.x / 2u] = 1u;", 12),
            ("out[id.x >> 1u] = out[id.x & 3u];", 12),
            ("out[min(id.x, 9u)] = 1u;", 10),
            ("let p = vec2u(id.y, id.x); out[p.y] = 1u;", 24),
            ("helper(id.x); out[id.x] = other[id.y];", 24),
        ] {
            assert_eq!(length(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn what_cannot_be_bounded_is_not_guessed() {
        for body in [
            "out[id.x - 1u] = 1u;",
            "out[other[0]] = 1u;",
            "for (var i = 0u; i < 4u; i++) { out[i] = 1u; }",
            "out[id.x] = 1u; out[other[1]] = 2u;",
            "var i = id.x; i = i * 2u; out[i] = 1u;",
            "out[id.x * 4000000000u] = 1u;",
            "out[id.x << other[0]] = 1u;",
            "other[0] = arrayLength(&out);",
            "var v = id; v.x = other[0]; out[v.x] = 1u;",
        ] {
            assert_eq!(length(body), None, "{body}");
        }
    }

    #[test]
    fn members_arguments_in_structs_and_functions() {
        let found = |text: &str| {
            let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
            lengths(&program, "main", [5, 1, 1]).into_values().next()
        };
        let items = "struct Items { count: u32, list: array<vec4f> }
            @group(0) @binding(0) var<storage, read_write> items: Items;
            struct In { @builtin(global_invocation_id) id: vec3u }
            @compute @workgroup_size(2) fn main(in: In) { items.list[in.id.x].y = f32(items.count); }";
        assert_eq!(found(items), Some(10));
        let called = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            fn put(i: u32) { out[i] = 1u; }
            @compute @workgroup_size(2)
            fn main(@builtin(global_invocation_id) id: vec3u) { put(id.x); out[id.x] = 2u; }";
        assert_eq!(found(called), None);
        let empty = Program::from_wgsl(items).unwrap();
        let reached = lengths(&empty, "main", [5, 0, 1]).into_values().next();
        assert_eq!(reached, Some(0));
    }
}
