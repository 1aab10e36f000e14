//! The expressions that an expression or a statement is made of, in the order of the text.

use anywarp_program::naga::{
    AtomicFunction, Expression, GatherMode, Handle, ImageQuery, RayPipelineFunction,
    RayQueryFunction, SampleLevel, Statement,
};

/// Calls `visit` for each operand of an expression.
pub(super) fn of_expression(expression: &Expression, mut visit: impl FnMut(Handle<Expression>)) {
    match *expression {
        Expression::Compose { ref components, .. } => components.iter().for_each(|c| visit(*c)),
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
            ..
        } => {
            visit(image);
            visit(sampler);
            visit(coordinate);
            array_index.map(&mut visit);
            depth_ref.map(&mut visit);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(value) | SampleLevel::Bias(value) => visit(value),
                SampleLevel::Gradient { x, y } => {
                    visit(x);
                    visit(y);
                }
            }
            offset.map(visit);
        }
        Expression::ImageLoad {
            image,
            coordinate,
            array_index,
            sample,
            level,
        } => {
            visit(image);
            visit(coordinate);
            array_index.map(&mut visit);
            sample.or(level).map(visit);
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
        | Expression::ArrayLength(expr)
        | Expression::Relational { argument: expr, .. }
        | Expression::RayQueryVertexPositions { query: expr, .. }
        | Expression::RayQueryGetIntersection { query: expr, .. } => visit(expr),
        Expression::Binary { left, right, .. } => {
            visit(left);
            visit(right);
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
        } => [Some(arg), arg1, arg2, arg3]
            .into_iter()
            .flatten()
            .for_each(visit),
        Expression::CooperativeLoad { ref data, .. } => {
            visit(data.pointer);
            visit(data.stride);
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

/// Calls `visit` for each operand of a statement itself, not of the blocks in it. A loop's
/// condition is not among them, for it belongs to the end of the loop.
pub(super) fn of_statement(statement: &Statement, mut visit: impl FnMut(Handle<Expression>)) {
    match *statement {
        Statement::If { condition, .. } => visit(condition),
        Statement::Switch { selector, .. } => visit(selector),
        Statement::Return { value } => {
            value.map(visit);
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
        } => [Some(image), Some(coordinate), array_index, Some(value)]
            .into_iter()
            .flatten()
            .for_each(visit),
        Statement::Atomic {
            pointer,
            ref fun,
            value,
            ..
        } => {
            visit(pointer);
            if let AtomicFunction::Exchange {
                compare: Some(compare),
            } = *fun
            {
                visit(compare);
            }
            visit(value);
        }
        Statement::ImageAtomic {
            image,
            coordinate,
            array_index,
            value,
            ..
        } => [Some(image), Some(coordinate), array_index, Some(value)]
            .into_iter()
            .flatten()
            .for_each(visit),
        Statement::WorkGroupUniformLoad { pointer, .. } => visit(pointer),
        Statement::Call { ref arguments, .. } => arguments.iter().for_each(|a| visit(*a)),
        Statement::RayQuery { query, ref fun } => {
            visit(query);
            match *fun {
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
        }) => [acceleration_structure, descriptor, payload]
            .into_iter()
            .for_each(visit),
        Statement::SubgroupBallot { predicate, .. } => {
            predicate.map(visit);
        }
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
        Statement::SubgroupCollectiveOperation { argument, .. } => visit(argument),
        Statement::CooperativeStore { target, ref data } => {
            [target, data.pointer, data.stride]
                .into_iter()
                .for_each(visit);
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

/// The expression that stands for what a statement gives.
pub(super) fn result_of(statement: &Statement) -> Option<Handle<Expression>> {
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
