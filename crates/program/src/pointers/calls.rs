//! Rewrites calls that pass pointers into shared memory to pass indices.
//!
//! In: a function without such pointer parameters. Out: its calls without pointer arguments, and the variant of the
//! callee that each call needs. What always holds: an argument has the type of its parameter; naga's validator cannot
//! check this, because it never sees the parameter.

use std::collections::HashMap;
use std::ops::Range;

use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution};
use naga::{
    Block, Expression, Function, Handle, Literal, Module, Scalar, Span, Statement, TypeInner,
};

use super::{AccessChain, ChainStep, IndexTypes, Refusal, SpecializedFunction, Variant, shared};
use crate::operands;

/// Removes pointer arguments into shared memory from the calls of a function.
pub(super) fn specialized(
    module: &Module,
    mut code: Function,
    index_types: &IndexTypes,
) -> Result<SpecializedFunction, Refusal> {
    let mut body = std::mem::take(&mut code.body);
    let mut caller = CallRewriter {
        module,
        code: &mut code,
        index_types,
        literals: HashMap::new(),
        typifier: Typifier::new(),
        calls: Vec::new(),
    };
    caller.block(&mut body)?;
    let calls = caller.calls;
    code.body = body;
    Ok(SpecializedFunction { code, calls })
}

/// Sets the callees of calls to the functions made from their variants.
pub(super) fn linked(
    specialized: SpecializedFunction,
    handles: &HashMap<Variant, Handle<Function>>,
) -> Function {
    let SpecializedFunction { mut code, calls } = specialized;
    let mut calls = calls.iter().map(|variant| handles.get(variant));
    let mut body = std::mem::take(&mut code.body);
    link(&mut body, &mut code, &mut calls);
    code.body = body;
    code
}

fn link<'a>(
    block: &mut Block,
    code: &mut Function,
    calls: &mut impl Iterator<Item = Option<&'a Handle<Function>>>,
) {
    for statement in block.iter_mut() {
        if let Statement::Call {
            function, result, ..
        } = statement
            && let Some(Some(variant)) = calls.next()
        {
            *function = *variant;
            if let Some(result) = result {
                code.expressions[*result] = Expression::CallResult(*variant);
            }
        }
        for inner in operands::blocks_of_mut(statement) {
            link(inner, code, calls);
        }
    }
}

struct CallRewriter<'a> {
    module: &'a Module,
    /// The function, without its body.
    code: &'a mut Function,
    index_types: &'a IndexTypes,
    /// Literals of constant indices that calls pass.
    literals: HashMap<u32, Handle<Expression>>,
    typifier: Typifier,
    calls: Vec<Variant>,
}

impl CallRewriter<'_> {
    fn block(&mut self, block: &mut Block) -> Result<(), Refusal> {
        for (statement, span) in block.span_iter_mut() {
            let place = span.and_then(|span| span.to_range());
            if let Statement::Call {
                function,
                arguments,
                ..
            } = statement
            {
                let chains = self.call(*function, arguments, place)?;
                self.calls.push(Variant {
                    function: *function,
                    chains,
                });
            }
            for inner in operands::blocks_of_mut(statement) {
                self.block(inner)?;
            }
        }
        Ok(())
    }

    /// Replaces the pointer arguments of a call by indices, and returns their access chains.
    fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &mut Vec<Handle<Expression>>,
        call: Option<Range<usize>>,
    ) -> Result<Vec<AccessChain>, Refusal> {
        let function = &self.module.functions[callee];
        let pointers: Vec<usize> = shared(self.module, function).collect();
        if pointers.is_empty() || arguments.len() != function.arguments.len() {
            // naga reports a wrong number of arguments.
            return if pointers.is_empty() {
                Ok(Vec::new())
            } else {
                Err(Refusal::Unknown)
            };
        }
        let mut chains = Vec::new();
        let mut indices = Vec::new();
        for number in &pointers {
            let argument = arguments[*number];
            let required = function.arguments[*number].ty;
            let found = self.type_of(argument)?;
            let wanted = TypeResolution::Handle(required);
            if !self.module.compare_types(&found, &wanted) {
                return Err(Refusal::ArgumentType {
                    place: self.code.expressions.get_span(argument).to_range().or(call),
                    function: function.name.clone().unwrap_or_default(),
                    argument: *number,
                    required,
                });
            }
            chains.push(self.chain(argument, &mut indices)?);
        }
        let mut number = 0;
        arguments.retain(|_| {
            number += 1;
            !pointers.contains(&(number - 1))
        });
        arguments.extend(indices);
        Ok(chains)
    }

    /// The access chain of a pointer; appends its indices.
    fn chain(
        &mut self,
        pointer: Handle<Expression>,
        indices: &mut Vec<Handle<Expression>>,
    ) -> Result<AccessChain, Refusal> {
        let mut steps = Vec::new();
        let mut path = Vec::new();
        let mut at = pointer;
        let variable = loop {
            at = match self.code.expressions[at] {
                Expression::GlobalVariable(variable) => break variable,
                Expression::AccessIndex { base, index } => {
                    // All elements of an array share one variant, because there may be many.
                    if self.is_array(base)? {
                        steps.push(ChainStep::Index(self.index_types.u32));
                        path.push(self.literal(index));
                    } else {
                        steps.push(ChainStep::Known(index));
                    }
                    base
                }
                Expression::Access { base, index } => {
                    steps.push(ChainStep::Index(self.index_type(index)?));
                    path.push(index);
                    base
                }
                _ => return Err(Refusal::Unknown),
            };
        };
        // Collected from the part to the variable; reversed.
        steps.reverse();
        indices.extend(path.into_iter().rev());
        Ok(AccessChain { variable, steps })
    }

    fn is_array(&mut self, pointer: Handle<Expression>) -> Result<bool, Refusal> {
        let types = &self.module.types;
        Ok(match *self.type_of(pointer)?.inner_with(types) {
            TypeInner::Pointer { base, .. } => matches!(types[base].inner, TypeInner::Array { .. }),
            _ => false,
        })
    }

    fn literal(&mut self, index: u32) -> Handle<Expression> {
        let literal = Expression::Literal(Literal::U32(index));
        let expressions = &mut self.code.expressions;
        let new = || expressions.append(literal, Span::UNDEFINED);
        *self.literals.entry(index).or_insert_with(new)
    }

    fn index_type(&mut self, index: Handle<Expression>) -> Result<Handle<naga::Type>, Refusal> {
        match *self.type_of(index)?.inner_with(&self.module.types) {
            TypeInner::Scalar(Scalar::I32) => Ok(self.index_types.i32),
            TypeInner::Scalar(Scalar::U32) => Ok(self.index_types.u32),
            _ => Err(Refusal::Unknown),
        }
    }

    fn type_of(&mut self, expression: Handle<Expression>) -> Result<TypeResolution, Refusal> {
        let context = ResolveContext::with_locals(
            self.module,
            &self.code.local_variables,
            &self.code.arguments,
        );
        self.typifier
            .grow(expression, &self.code.expressions, &context)
            .map_err(|_| Refusal::Unknown)?;
        Ok(self.typifier[expression].clone())
    }
}
