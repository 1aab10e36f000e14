//! Operands of naga's expressions and statements, and the results and nested blocks of statements.
//!
//! In: an expression or a statement, and a visitor. What always holds: each operand is visited once, in the order of
//! WGSL text; the shared and the mutable walk are generated from one macro, so they agree. Nested blocks, emitted
//! ranges and results of statements are not operands.

use naga::{
    AtomicFunction, Block, Expression, GatherMode, Handle, ImageQuery, Range, RayPipelineFunction,
    RayQueryFunction, SampleLevel, Statement,
};

type Operand = Handle<Expression>;

/// Defines the operand walks over shared or mutable references.
macro_rules! walks {
    ($expression_name:ident, $statement_name:ident, $($mutable:tt)?) => {
        /// Visits the operands of an expression.
        pub fn $expression_name(
            expression: &$($mutable)? Expression,
            mut visit: impl FnMut(&$($mutable)? Operand),
        ) {
            match expression {
                Expression::Compose { components, .. } => {
                    for component in components {
                        visit(component);
                    }
                }
                Expression::Access { base: first, index: second }
                | Expression::Binary { left: first, right: second, .. } => {
                    visit(first);
                    visit(second);
                }
                Expression::AccessIndex { base: only, .. }
                | Expression::Splat { value: only, .. }
                | Expression::Swizzle { vector: only, .. }
                | Expression::Load { pointer: only }
                | Expression::Unary { expr: only, .. }
                | Expression::Derivative { expr: only, .. }
                | Expression::As { expr: only, .. }
                | Expression::ArrayLength(only)
                | Expression::Relational { argument: only, .. }
                | Expression::RayQueryVertexPositions { query: only, .. }
                | Expression::RayQueryGetIntersection { query: only, .. } => visit(only),
                Expression::ImageSample {
                    image,
                    sampler,
                    coordinate,
                    array_index,
                    offset,
                    level,
                    depth_ref,
                    gather: _,
                    clamp_to_edge: _,
                } => {
                    [image, sampler, coordinate].into_iter().for_each(&mut visit);
                    [array_index, depth_ref].into_iter().flatten().for_each(&mut visit);
                    match level {
                        SampleLevel::Auto | SampleLevel::Zero => {}
                        SampleLevel::Exact(value) | SampleLevel::Bias(value) => visit(value),
                        SampleLevel::Gradient { x, y } => {
                            visit(x);
                            visit(y);
                        }
                    }
                    offset.into_iter().for_each(visit);
                }
                Expression::ImageLoad {
                    image,
                    coordinate,
                    array_index,
                    sample,
                    level,
                } => {
                    [image, coordinate].into_iter().for_each(&mut visit);
                    [array_index, sample, level].into_iter().flatten().for_each(visit);
                }
                Expression::ImageQuery { image, query } => {
                    visit(image);
                    if let ImageQuery::Size { level: Some(level) } = query {
                        visit(level);
                    }
                }
                Expression::Select {
                    condition,
                    accept,
                    reject,
                } => {
                    visit(reject);
                    visit(accept);
                    visit(condition);
                }
                Expression::Math {
                    arg,
                    arg1,
                    arg2,
                    arg3,
                    ..
                } => {
                    visit(arg);
                    for more in [arg1, arg2, arg3] {
                        let Some(more) = more else { break };
                        visit(more);
                    }
                }
                Expression::CooperativeLoad { data, .. } => {
                    visit(&$($mutable)? data.pointer);
                    visit(&$($mutable)? data.stride);
                }
                Expression::CooperativeMultiplyAdd { a, b, c } => {
                    [a, b, c].into_iter().for_each(visit);
                }
                Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::Override(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_)
                | Expression::GlobalVariable(_)
                | Expression::LocalVariable(_)
                | Expression::CallResult(_)
                | Expression::AtomicResult { .. }
                | Expression::WorkGroupUniformLoadResult { .. }
                | Expression::RayQueryProceedResult
                | Expression::SubgroupBallotResult
                | Expression::SubgroupOperationResult { .. } => {}
            }
        }

        /// Visits the operands of a statement itself, without those of nested blocks. The `break_if` condition of a
        /// loop is not visited, because it belongs to the end of the loop.
        pub fn $statement_name(
            statement: &$($mutable)? Statement,
            mut visit: impl FnMut(&$($mutable)? Operand),
        ) {
            match statement {
                Statement::If { condition: only, .. }
                | Statement::Switch { selector: only, .. }
                | Statement::WorkGroupUniformLoad { pointer: only, .. }
                | Statement::SubgroupCollectiveOperation { argument: only, .. } => visit(only),
                Statement::Return { value: perhaps }
                | Statement::SubgroupBallot { predicate: perhaps, .. } => {
                    if let Some(only) = perhaps {
                        visit(only);
                    }
                }
                Statement::Store { pointer, value } => {
                    visit(pointer);
                    visit(value);
                }
                Statement::ImageStore {
                    image,
                    coordinate,
                    array_index,
                    value,
                } => {
                    [image, coordinate].into_iter().for_each(&mut visit);
                    array_index.into_iter().for_each(&mut visit);
                    visit(value);
                }
                Statement::Atomic {
                    pointer,
                    fun,
                    value,
                    ..
                } => {
                    visit(pointer);
                    if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                        visit(compare);
                    }
                    visit(value);
                }
                Statement::ImageAtomic {
                    image,
                    coordinate,
                    array_index,
                    fun,
                    value,
                } => {
                    [image, coordinate].into_iter().for_each(&mut visit);
                    array_index.into_iter().for_each(&mut visit);
                    if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                        visit(compare);
                    }
                    visit(value);
                }
                Statement::Call { arguments, .. } => {
                    for argument in arguments {
                        visit(argument);
                    }
                }
                Statement::RayQuery { query, fun } => {
                    visit(query);
                    match fun {
                        RayQueryFunction::Initialize {
                            acceleration_structure,
                            descriptor,
                        } => {
                            visit(acceleration_structure);
                            visit(descriptor);
                        }
                        RayQueryFunction::GenerateIntersection { hit_t } => visit(hit_t),
                        RayQueryFunction::Proceed { .. }
                        | RayQueryFunction::ConfirmIntersection
                        | RayQueryFunction::Terminate => {}
                    }
                }
                Statement::RayPipelineFunction(RayPipelineFunction::TraceRay {
                    acceleration_structure,
                    descriptor,
                    payload,
                }) => [acceleration_structure, descriptor, payload].into_iter().for_each(visit),
                Statement::SubgroupGather { mode, argument, .. } => {
                    visit(argument);
                    match mode {
                        GatherMode::Broadcast(index)
                        | GatherMode::Shuffle(index)
                        | GatherMode::ShuffleDown(index)
                        | GatherMode::ShuffleUp(index)
                        | GatherMode::ShuffleXor(index)
                        | GatherMode::QuadBroadcast(index) => visit(index),
                        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
                    }
                }
                Statement::CooperativeStore { target, data } => {
                    visit(target);
                    visit(&$($mutable)? data.pointer);
                    visit(&$($mutable)? data.stride);
                }
                Statement::Emit(_)
                | Statement::Block(_)
                | Statement::Loop { .. }
                | Statement::Break
                | Statement::Continue
                | Statement::Kill
                | Statement::ControlBarrier(_)
                | Statement::MemoryBarrier(_) => {}
            }
        }
    };
}

walks!(of_expression, of_statement,);
walks!(of_expression_mut, of_statement_mut, mut);

/// Whether an expression has no operands.
pub fn is_leaf(expression: &Expression) -> bool {
    let mut is_leaf = true;
    of_expression(expression, |_| is_leaf = false);
    is_leaf
}

/// The expression that represents the result of a statement.
pub fn result_of(statement: &Statement) -> Option<Operand> {
    match *statement {
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => result,
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. }
        | Statement::RayQuery {
            fun: RayQueryFunction::Proceed { result },
            ..
        } => Some(result),
        _ => None,
    }
}

/// The same, mutable.
fn result_of_mut(statement: &mut Statement) -> Option<&mut Operand> {
    match statement {
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => result.as_mut(),
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. }
        | Statement::RayQuery {
            fun: RayQueryFunction::Proceed { result },
            ..
        } => Some(result),
        _ => None,
    }
}

/// The nested blocks of a statement, in the order of the text, without the blocks inside them.
/// [`walk::statements`](crate::walk::statements) visits all.
pub fn blocks_of(statement: &Statement) -> impl DoubleEndedIterator<Item = &Block> {
    let (first, second, cases) = match statement {
        Statement::Block(block) => (Some(block), None, &[][..]),
        Statement::If { accept, reject, .. } => (Some(accept), Some(reject), &[][..]),
        Statement::Switch { cases, .. } => (None, None, &cases[..]),
        Statement::Loop {
            body, continuing, ..
        } => (Some(body), Some(continuing), &[][..]),
        _ => (None, None, &[][..]),
    };
    let cases = cases.iter().map(|case| &case.body);
    first.into_iter().chain(second).chain(cases)
}

/// The nested blocks of a statement, mutable.
pub fn blocks_of_mut(statement: &mut Statement) -> impl Iterator<Item = &mut Block> {
    let (first, second, cases) = match statement {
        Statement::Block(block) => (Some(block), None, &mut [][..]),
        Statement::If { accept, reject, .. } => (Some(accept), Some(reject), &mut [][..]),
        Statement::Switch { cases, .. } => (None, None, &mut cases[..]),
        Statement::Loop {
            body, continuing, ..
        } => (Some(body), Some(continuing), &mut [][..]),
        _ => (None, None, &mut [][..]),
    };
    let cases = cases.iter_mut().map(|case| &mut case.body);
    first.into_iter().chain(second).chain(cases)
}

/// Visits all handles and all emitted ranges of a block, nested blocks included.
pub fn all_of_block_mut(
    block: &mut Block,
    visit: &mut impl FnMut(&mut Operand),
    emitted: &mut impl FnMut(&mut Range<Expression>),
) {
    for statement in block.iter_mut() {
        if let Statement::Emit(range) = statement {
            emitted(range);
        }
        of_statement_mut(statement, &mut *visit);
        result_of_mut(statement).map(&mut *visit);
        for inner in blocks_of_mut(statement) {
            all_of_block_mut(inner, visit, emitted);
        }
        if let Statement::Loop {
            break_if: Some(condition),
            ..
        } = statement
        {
            visit(condition);
        }
    }
}
