//! The expressions that expressions and statements refer to.
//!
//! In: an expression or a statement and something to do with each handle in it. What always holds:
//! every handle of an expression is visited once, blocks inside of statements are visited too, and
//! ranges of emitted expressions are left to the caller.

use anywarp_program::naga::{
    AtomicFunction, Block, Expression, GatherMode, Handle, ImageQuery, Range, RayPipelineFunction,
    RayQueryFunction, SampleLevel, Statement,
};

type Operand = Handle<Expression>;

/// Visits the operands of an expression.
pub(super) fn of_expression(expression: &mut Expression, visit: &mut impl FnMut(&mut Operand)) {
    match expression {
        Expression::Compose { components, .. } => components.iter_mut().for_each(visit),
        Expression::Access { base, index } => {
            visit(base);
            visit(index);
        }
        Expression::AccessIndex { base, .. } => visit(base),
        Expression::Splat { value, .. } => visit(value),
        Expression::Swizzle { vector, .. } => visit(vector),
        Expression::Load { pointer } => visit(pointer),
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
            [image, sampler, coordinate]
                .into_iter()
                .for_each(&mut *visit);
            [array_index, offset, depth_ref]
                .into_iter()
                .flatten()
                .for_each(&mut *visit);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => visit(level),
                SampleLevel::Gradient { x, y } => {
                    visit(x);
                    visit(y);
                }
            }
        }
        Expression::ImageLoad {
            image,
            coordinate,
            array_index,
            sample,
            level,
        } => {
            [image, coordinate].into_iter().for_each(&mut *visit);
            [array_index, sample, level]
                .into_iter()
                .flatten()
                .for_each(visit);
        }
        Expression::ImageQuery { image, query } => {
            visit(image);
            if let ImageQuery::Size { level: Some(level) } = query {
                visit(level);
            }
        }
        Expression::Unary { expr, .. }
        | Expression::Derivative { expr, .. }
        | Expression::As { expr, .. }
        | Expression::ArrayLength(expr) => visit(expr),
        Expression::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Expression::Select {
            condition,
            accept,
            reject,
        } => {
            [condition, accept, reject].into_iter().for_each(visit);
        }
        Expression::Relational { argument, .. } => visit(argument),
        Expression::Math {
            arg,
            arg1,
            arg2,
            arg3,
            ..
        } => {
            visit(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(visit);
        }
        Expression::RayQueryGetIntersection { query, .. }
        | Expression::RayQueryVertexPositions { query, .. } => visit(query),
        Expression::CooperativeLoad { data, .. } => {
            visit(&mut data.pointer);
            visit(&mut data.stride);
        }
        Expression::CooperativeMultiplyAdd { a, b, c } => [a, b, c].into_iter().for_each(visit),
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

/// Visits the operands of every statement of a block, and each statement after its operands.
pub(super) fn of_block(
    block: &mut Block,
    visit: &mut impl FnMut(&mut Operand),
    emitted: &mut impl FnMut(&mut Range<Expression>),
) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Emit(range) => emitted(range),
            Statement::Block(inner) => of_block(inner, visit, emitted),
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                visit(condition);
                of_block(accept, visit, emitted);
                of_block(reject, visit, emitted);
            }
            Statement::Switch { selector, cases } => {
                visit(selector);
                for case in cases {
                    of_block(&mut case.body, visit, emitted);
                }
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => {
                of_block(body, visit, emitted);
                of_block(continuing, visit, emitted);
                break_if.iter_mut().for_each(&mut *visit);
            }
            other => of_statement(other, visit),
        }
    }
}

/// Visits the operands of a statement without blocks.
fn of_statement(statement: &mut Statement, visit: &mut impl FnMut(&mut Operand)) {
    match statement {
        Statement::Return { value } => value.iter_mut().for_each(visit),
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
            [image, coordinate, value].into_iter().for_each(&mut *visit);
            array_index.iter_mut().for_each(visit);
        }
        Statement::Atomic {
            pointer,
            fun,
            value,
            result,
        } => {
            visit(pointer);
            of_atomic(fun, visit);
            visit(value);
            result.iter_mut().for_each(visit);
        }
        Statement::ImageAtomic {
            image,
            coordinate,
            array_index,
            fun,
            value,
        } => {
            [image, coordinate, value].into_iter().for_each(&mut *visit);
            array_index.iter_mut().for_each(&mut *visit);
            of_atomic(fun, visit);
        }
        Statement::WorkGroupUniformLoad { pointer, result } => {
            visit(pointer);
            visit(result);
        }
        Statement::Call {
            arguments,
            result,
            function: _,
        } => {
            arguments.iter_mut().for_each(&mut *visit);
            result.iter_mut().for_each(visit);
        }
        Statement::SubgroupBallot { result, predicate } => {
            visit(result);
            predicate.iter_mut().for_each(visit);
        }
        Statement::SubgroupCollectiveOperation {
            argument, result, ..
        } => {
            visit(argument);
            visit(result);
        }
        Statement::SubgroupGather {
            mode,
            argument,
            result,
        } => {
            of_gather(mode, visit);
            visit(argument);
            visit(result);
        }
        Statement::RayQuery { query, fun } => {
            visit(query);
            of_ray_query(fun, visit);
        }
        Statement::RayPipelineFunction(fun) => {
            let RayPipelineFunction::TraceRay {
                acceleration_structure,
                descriptor,
                payload,
            } = fun;
            [acceleration_structure, descriptor, payload]
                .into_iter()
                .for_each(visit);
        }
        Statement::CooperativeStore { target, data } => {
            visit(target);
            visit(&mut data.pointer);
            visit(&mut data.stride);
        }
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::If { .. }
        | Statement::Switch { .. }
        | Statement::Loop { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_) => {}
    }
}

fn of_atomic(fun: &mut AtomicFunction, visit: &mut impl FnMut(&mut Operand)) {
    if let AtomicFunction::Exchange {
        compare: Some(compare),
    } = fun
    {
        visit(compare);
    }
}

fn of_gather(mode: &mut GatherMode, visit: &mut impl FnMut(&mut Operand)) {
    match mode {
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
        GatherMode::Broadcast(index)
        | GatherMode::Shuffle(index)
        | GatherMode::ShuffleDown(index)
        | GatherMode::ShuffleUp(index)
        | GatherMode::ShuffleXor(index)
        | GatherMode::QuadBroadcast(index) => visit(index),
    }
}

fn of_ray_query(fun: &mut RayQueryFunction, visit: &mut impl FnMut(&mut Operand)) {
    match fun {
        RayQueryFunction::Initialize {
            acceleration_structure,
            descriptor,
        } => {
            visit(acceleration_structure);
            visit(descriptor);
        }
        RayQueryFunction::Proceed { result } => visit(result),
        RayQueryFunction::GenerateIntersection { hit_t } => visit(hit_t),
        RayQueryFunction::ConfirmIntersection | RayQueryFunction::Terminate => {}
    }
}
