//! Copy-in/copy-out for pointer arguments to parts of variables.
//!
//! SPIR-V functions accept only pointers to whole variables, and naga's writer panics on others. In: a module. Out: the
//! same, with a variable for each such argument, filled before the call and copied back after it. What always holds:
//! the program's behavior does not change, because WGSL forbids aliased pointers into the memory that a function
//! accesses, and memory in these address spaces belongs to a single invocation.

use std::collections::HashMap;

use anywarp_program::naga::{
    AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, LocalVariable,
    Module, Range, Span, Statement, Type, TypeInner,
};

/// For each function, the pointee type and address space of its pointer parameters.
type Signatures = HashMap<Handle<Function>, Vec<Option<(Handle<Type>, AddressSpace)>>>;

/// Introduces variables for calls that need them.
pub(super) fn copy(module: &mut Module) {
    let pointer = |ty: Handle<Type>| match module.types[ty].inner {
        TypeInner::Pointer { base, space } => Some((base, space)),
        _ => None,
    };
    let signatures: Signatures = module
        .functions
        .iter()
        .map(|(handle, function)| {
            (
                handle,
                function
                    .arguments
                    .iter()
                    .map(|argument| pointer(argument.ty))
                    .collect(),
            )
        })
        .collect();
    if signatures.values().flatten().all(Option::is_none) {
        return;
    }
    let globals = &mut module.global_variables;
    for (_, function) in module.functions.iter_mut() {
        CopyInCopyOut {
            signatures: &signatures,
            globals,
        }
        .in_function(function);
    }
    for entry in &mut module.entry_points {
        CopyInCopyOut {
            signatures: &signatures,
            globals,
        }
        .in_function(&mut entry.function);
    }
}

struct CopyInCopyOut<'a> {
    signatures: &'a Signatures,
    globals: &'a mut Arena<GlobalVariable>,
}

impl CopyInCopyOut<'_> {
    fn in_function(&mut self, function: &mut Function) {
        let body = std::mem::take(&mut function.body);
        function.body = self.in_block(body, function);
    }

    fn in_block(&mut self, block: Block, function: &mut Function) -> Block {
        let mut result = Block::with_capacity(block.len());
        for (statement, span) in block.span_into_iter() {
            match statement {
                Statement::Call {
                    function: callee,
                    arguments,
                    result: value,
                } => {
                    self.call(callee, arguments, value, span, function, &mut result);
                }
                Statement::Block(inner) => {
                    let inner = self.in_block(inner, function);
                    result.push(Statement::Block(inner), span);
                }
                Statement::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let accept = self.in_block(accept, function);
                    let reject = self.in_block(reject, function);
                    result.push(
                        Statement::If {
                            condition,
                            accept,
                            reject,
                        },
                        span,
                    );
                }
                Statement::Switch {
                    selector,
                    mut cases,
                } => {
                    for case in &mut cases {
                        case.body = self.in_block(std::mem::take(&mut case.body), function);
                    }
                    result.push(Statement::Switch { selector, cases }, span);
                }
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let body = self.in_block(body, function);
                    let continuing = self.in_block(continuing, function);
                    result.push(
                        Statement::Loop {
                            body,
                            continuing,
                            break_if,
                        },
                        span,
                    );
                }
                other => result.push(other, span),
            }
        }
        result
    }

    fn call(
        &mut self,
        callee: Handle<Function>,
        mut arguments: Vec<Handle<Expression>>,
        value: Option<Handle<Expression>>,
        span: Span,
        function: &mut Function,
        block: &mut Block,
    ) {
        let mut copies = Vec::new();
        let signature = self.signatures.get(&callee).map_or(&[][..], Vec::as_slice);
        for (argument, wanted) in arguments.iter_mut().zip(signature) {
            let Some((ty, space)) = *wanted else { continue };
            let is_part = matches!(
                function.expressions[*argument],
                Expression::Access { .. } | Expression::AccessIndex { .. }
            );
            let Some(whole) = is_part
                .then(|| self.variable(ty, space, function))
                .flatten()
            else {
                continue;
            };
            copies.push((*argument, whole));
            *argument = whole;
        }
        for (part, whole) in &copies {
            assign(*whole, *part, function, block);
        }
        block.push(
            Statement::Call {
                function: callee,
                arguments,
                result: value,
            },
            span,
        );
        for (part, whole) in &copies {
            assign(*part, *whole, function, block);
        }
    }

    /// A pointer to a new variable; `None` in address spaces that other invocations can observe.
    fn variable(
        &mut self,
        ty: Handle<Type>,
        space: AddressSpace,
        function: &mut Function,
    ) -> Option<Handle<Expression>> {
        let pointer = match space {
            AddressSpace::Function => {
                let variable = LocalVariable {
                    name: None,
                    ty,
                    init: None,
                };
                let variable = function.local_variables.append(variable, Span::UNDEFINED);
                Expression::LocalVariable(variable)
            }
            AddressSpace::Private => {
                let variable = GlobalVariable {
                    name: None,
                    space,
                    binding: None,
                    ty,
                    init: None,
                    memory_decorations: Default::default(),
                };
                Expression::GlobalVariable(self.globals.append(variable, Span::UNDEFINED))
            }
            _ => return None,
        };
        Some(function.expressions.append(pointer, Span::UNDEFINED))
    }
}

fn assign(
    to: Handle<Expression>,
    from: Handle<Expression>,
    function: &mut Function,
    block: &mut Block,
) {
    let load = Expression::Load { pointer: from };
    let value = function.expressions.append(load, Span::UNDEFINED);
    block.push(
        Statement::Emit(Range::new_from_bounds(value, value)),
        Span::UNDEFINED,
    );
    block.push(Statement::Store { pointer: to, value }, Span::UNDEFINED);
}
