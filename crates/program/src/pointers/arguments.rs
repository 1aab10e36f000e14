//! Specializes a function for its pointer arguments into shared memory.
//!
//! In: a function and the access chain of each of its pointer parameters. Out: the function without those parameters,
//! with a new parameter at the end for each dynamic index. What always holds: expressions keep their order and their
//! spans; new expressions come first and are emitted at the start of the body.

use std::collections::HashMap;

use naga::{Arena, Expression, Function, FunctionArgument, Handle, Module, Range, Span, Statement};

use super::{AccessChain, ChainStep, is_shared};
use crate::operands;

/// Maps expressions of the old arena to the new one.
type HandleMap = HashMap<Handle<Expression>, Handle<Expression>>;

/// The function specialized for these access chains.
pub(super) fn replaced(module: &Module, function: &Function, chains: &[AccessChain]) -> Function {
    let mut code = function.clone();
    if chains.is_empty() {
        return code;
    }
    let mut prefix = SpecializedPrologue::default();
    let old_arguments = std::mem::take(&mut code.arguments);
    let (pointers, kept): (Vec<_>, Vec<_>) = old_arguments
        .into_iter()
        .enumerate()
        .partition(|(_, argument)| is_shared(module, argument));
    let mut numbers = HashMap::new();
    for (number, argument) in kept {
        numbers.insert(number as u32, code.arguments.len() as u32);
        code.arguments.push(argument);
    }
    for ((_, pointer), chain) in pointers.iter().zip(chains) {
        prefix.add_leaves(pointer, chain, &mut code.arguments);
    }
    let emitted_from = prefix.expressions.len() as u32;
    let bases: HashMap<u32, _> = pointers
        .iter()
        .zip(chains)
        .enumerate()
        .map(|(at, ((number, _), chain))| (*number as u32, prefix.add_accesses(at, chain)))
        .collect();
    let emitted = Range::from_index_range(
        emitted_from..prefix.expressions.len() as u32,
        &prefix.expressions,
    );
    let moved = move_expressions(&mut code, prefix.expressions, &bases, &numbers);
    move_uses(&mut code, &moved, &bases, emitted);
    code
}

/// The new expressions at the start of a specialized function.
#[derive(Default)]
struct SpecializedPrologue {
    expressions: Arena<Expression>,
    /// For each pointer, its variable and its indices as parameters.
    leaves: Vec<(Handle<Expression>, Vec<Handle<Expression>>)>,
}

impl SpecializedPrologue {
    /// Adds expressions that are not emitted: the variable, and a parameter for each dynamic index.
    fn add_leaves(
        &mut self,
        pointer: &FunctionArgument,
        chain: &AccessChain,
        arguments: &mut Vec<FunctionArgument>,
    ) {
        let variable = Expression::GlobalVariable(chain.variable);
        let variable = self.expressions.append(variable, Span::UNDEFINED);
        let mut indices = Vec::new();
        for step in &chain.steps {
            let ChainStep::Index(ty) = *step else {
                continue;
            };
            let number = arguments.len() as u32;
            let argument = Expression::FunctionArgument(number);
            indices.push(self.expressions.append(argument, Span::UNDEFINED));
            let name = pointer.name.as_deref().unwrap_or("pointer");
            arguments.push(FunctionArgument {
                name: Some(format!("{name}_index")),
                ty,
                binding: None,
            });
        }
        self.leaves.push((variable, indices));
    }

    /// Adds the access chain from the variable, and returns its last access.
    fn add_accesses(&mut self, pointer: usize, chain: &AccessChain) -> Handle<Expression> {
        let (variable, indices) = self.leaves[pointer].clone();
        let mut indices = indices.into_iter();
        let mut base = variable;
        for step in &chain.steps {
            let access = match *step {
                ChainStep::Known(index) => Some(Expression::AccessIndex { base, index }),
                ChainStep::Index(_) => indices
                    .next()
                    .map(|index| Expression::Access { base, index }),
            };
            if let Some(access) = access {
                base = self.expressions.append(access, Span::UNDEFINED);
            }
        }
        base
    }
}

/// Appends the function's expressions to the prefix; replaces pointer parameters and renumbers the others.
fn move_expressions(
    code: &mut Function,
    prefix: Arena<Expression>,
    bases: &HashMap<u32, Handle<Expression>>,
    numbers: &HashMap<u32, u32>,
) -> HandleMap {
    let old = std::mem::replace(&mut code.expressions, prefix);
    let mut moved = HandleMap::new();
    for (handle, expression) in old.iter() {
        let mut copy = expression.clone();
        if let Expression::FunctionArgument(number) = &mut copy {
            if let Some(base) = bases.get(number) {
                moved.insert(handle, *base);
                continue;
            }
            *number = numbers[number];
        }
        operands::of_expression_mut(&mut copy, |operand| *operand = moved[operand]);
        moved.insert(handle, code.expressions.append(copy, old.get_span(handle)));
    }
    moved
}

/// Updates statements, names and local variables to the new expressions.
fn move_uses(
    code: &mut Function,
    moved: &HandleMap,
    bases: &HashMap<u32, Handle<Expression>>,
    emitted: Range<Expression>,
) {
    for (_, local) in code.local_variables.iter_mut() {
        local.init.iter_mut().for_each(|init| *init = moved[init]);
    }
    // The name belongs to the removed pointer parameter.
    let is_base = |handle: &Handle<Expression>| bases.values().any(|base| base == handle);
    let names = std::mem::take(&mut code.named_expressions).into_iter();
    code.named_expressions = names
        .map(|(handle, name)| (moved[&handle], name))
        .filter(|(handle, _)| !is_base(handle))
        .collect();
    operands::all_of_block_mut(
        &mut code.body,
        &mut |operand| *operand = moved[operand],
        &mut |range| {
            if let Some((first, last)) = range.first_and_last() {
                *range = Range::new_from_bounds(moved[&first], moved[&last]);
            }
        },
    );
    if emitted.first_and_last().is_some() {
        let body = std::mem::take(&mut code.body);
        code.body.push(Statement::Emit(emitted), Span::UNDEFINED);
        code.body.extend_block(body);
    }
}
