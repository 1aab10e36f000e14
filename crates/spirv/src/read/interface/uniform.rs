//! Makes workgroup-uniform builtins provably uniform.
//!
//! WGSL requires barriers in uniform control flow, and its uniformity analysis treats every private variable as
//! non-uniform. So in modules with barriers, the workgroup id and the number of workgroups are passed from the wrapper
//! to the inner function and its callees as parameters, which copy them to local variables. In: the translated naga
//! module. Pseudo-inputs that the module writes, or passes by pointer, are left unchanged.

use crate::maps::HashMap;
use std::collections::BTreeSet;

use anywarp_program::naga::{
    self, Binding, Block, Expression, Function, FunctionArgument, GlobalVariable, Handle, Span,
    Statement,
};
use anywarp_program::{operands, walk};

type Variable = Handle<GlobalVariable>;

/// Passes uniform builtins as parameters, in modules with barriers.
pub(in crate::read) fn pass_uniform_builtins(module: &mut naga::Module) {
    let mut has_barrier = false;
    let mut calls: HashMap<Handle<Function>, BTreeSet<Handle<Function>>> = HashMap::default();
    for (handle, function) in module.functions.iter() {
        let calls = calls.entry(handle).or_default();
        for statement in walk::statements(&function.body) {
            match statement {
                Statement::ControlBarrier(_)
                | Statement::MemoryBarrier(_)
                | Statement::WorkGroupUniformLoad { .. } => has_barrier = true,
                Statement::Call { function, .. } => {
                    calls.insert(*function);
                }
                _ => {}
            }
        }
    }
    if !has_barrier {
        return;
    }
    let candidates = candidates(module);
    if candidates.is_empty() {
        return;
    }
    // Callees precede their callers in naga's arena.
    let mut needs: HashMap<Handle<Function>, BTreeSet<Variable>> = HashMap::default();
    for (handle, function) in module.functions.iter() {
        let mut own: BTreeSet<_> = globals(function).map(|(_, variable)| variable).collect();
        own.retain(|variable| candidates.contains(variable));
        for callee in &calls[&handle] {
            own.extend(needs.get(callee).into_iter().flatten());
        }
        needs.insert(handle, own);
    }
    for (handle, needed) in &needs {
        let variables = &module.global_variables;
        let parameters = needed
            .iter()
            .map(|builtin| (*builtin, &variables[*builtin]));
        add_parameters(&mut module.functions[*handle], parameters, &needs);
    }
    for entry_point in &mut module.entry_points {
        let stored = stored(&entry_point.function);
        add_arguments(&mut entry_point.function.body, &needs, &stored);
    }
}

/// Private variables that wrappers initialize with uniform builtins, and that are only read otherwise.
fn candidates(module: &naga::Module) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    for entry_point in &module.entry_points {
        let function = &entry_point.function;
        for (variable, value) in stored(function) {
            let mut value = value;
            // The integers may be bitcast to another signedness.
            while let Expression::As { expr, .. } = function.expressions[value] {
                value = expr;
            }
            let Expression::FunctionArgument(index) = function.expressions[value] else {
                continue;
            };
            let binding = &function.arguments[index as usize].binding;
            if let Some(Binding::BuiltIn(
                naga::BuiltIn::WorkGroupId | naga::BuiltIn::NumWorkGroups,
            )) = binding
            {
                found.insert(variable);
            }
        }
    }
    // A variable that some wrapper does not initialize has no value to pass.
    for entry_point in &module.entry_points {
        let stored = stored(&entry_point.function);
        found.retain(|variable| stored.contains_key(variable));
    }
    for (_, function) in module.functions.iter() {
        let mut roots: HashMap<Handle<Expression>, Variable> = HashMap::default();
        for (handle, expression) in function.expressions.iter() {
            let root = match expression {
                Expression::GlobalVariable(variable) => Some(*variable),
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                    roots.get(base).copied()
                }
                _ => None,
            };
            roots.extend(root.map(|root| (handle, root)));
        }
        let mut drop = |pointer: &Handle<Expression>| {
            if let Some(root) = roots.get(pointer) {
                found.remove(root);
            }
        };
        for statement in walk::statements(&function.body) {
            match statement {
                Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => {
                    drop(pointer);
                }
                Statement::Call { arguments, .. } => arguments.iter().for_each(&mut drop),
                _ => {}
            }
        }
    }
    found
}

/// The global variable expressions of a function, with their variables.
fn globals(function: &Function) -> impl Iterator<Item = (Handle<Expression>, Variable)> {
    let named = function.expressions.iter();
    named.filter_map(|(handle, expression)| match expression {
        Expression::GlobalVariable(variable) => Some((handle, *variable)),
        _ => None,
    })
}

/// The values that a wrapper stores to whole variables before its first call.
fn stored(wrapper: &Function) -> HashMap<Variable, Handle<Expression>> {
    let mut stored = HashMap::default();
    for statement in wrapper.body.iter() {
        match statement {
            Statement::Store { pointer, value } => {
                if let Expression::GlobalVariable(variable) = wrapper.expressions[*pointer] {
                    stored.insert(variable, *value);
                }
            }
            Statement::Call { .. } => break,
            _ => {}
        }
    }
    stored
}

/// Adds these parameters to a function, and replaces its uses of the module's variables.
fn add_parameters<'a>(
    function: &mut Function,
    parameters: impl Iterator<Item = (Variable, &'a GlobalVariable)>,
    needs: &HashMap<Handle<Function>, BTreeSet<Variable>>,
) {
    let mut taken = HashMap::default();
    let named: HashMap<_, Vec<_>> =
        globals(function).fold(HashMap::default(), |mut all, (at, builtin)| {
            all.entry(builtin).or_insert_with(Vec::new).push(at);
            all
        });
    let mut begin = Block::new();
    for (variable, declared) in parameters {
        let index = function.arguments.len() as u32;
        function.arguments.push(FunctionArgument {
            name: declared.name.clone(),
            ty: declared.ty,
            binding: None,
        });
        let argument = Expression::FunctionArgument(index);
        let argument = function.expressions.append(argument, Span::UNDEFINED);
        taken.insert(variable, argument);
        let Some(named) = named.get(&variable) else {
            continue;
        };
        let local = naga::LocalVariable {
            name: declared.name.clone(),
            ty: declared.ty,
            init: None,
        };
        let local = function.local_variables.append(local, Span::UNDEFINED);
        for at in named {
            function.expressions[*at] = Expression::LocalVariable(local);
        }
        let pointer = Expression::LocalVariable(local);
        let pointer = function.expressions.append(pointer, Span::UNDEFINED);
        let store = Statement::Store {
            pointer,
            value: argument,
        };
        begin.push(store, Span::UNDEFINED);
    }
    add_arguments(&mut function.body, needs, &taken);
    begin.append(&mut function.body);
    function.body = begin;
}

/// Adds the arguments for the new parameters to all calls in a block.
fn add_arguments(
    block: &mut Block,
    needs: &HashMap<Handle<Function>, BTreeSet<Variable>>,
    values: &HashMap<Variable, Handle<Expression>>,
) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Call {
                function,
                arguments,
                ..
            } => {
                let needed = needs.get(function).into_iter().flatten();
                arguments.extend(needed.filter_map(|variable| values.get(variable)));
            }
            other => {
                operands::blocks_of_mut(other)
                    .for_each(|block| add_arguments(block, needs, values));
            }
        }
    }
}
