//! A check for all engines: broadcasts from a lane that no subgroup, or no quad, has.
//!
//! In: a program and an entry point. Out: [`KernelError::NoSuchLane`] for the first such broadcast in a function that
//! the entry point can reach. WGSL rejects a constant lane that no device can have; naga does not check it.

use anywarp_program::{Program, walk};
use naga::{EntryPoint, Expression, Function, GatherMode, Handle, Literal, Module, Statement};

use crate::{KernelError, SubgroupSize};

/// Lanes of a quad.
const QUAD: u32 = 4;

pub(crate) fn check(program: &Program, entry_point: &EntryPoint) -> Result<(), KernelError> {
    let module = program.module();
    let reachable = walk::reachable(module, &entry_point.function).into_iter();
    let callees = reachable.map(|handle| &module.functions[handle]);
    for function in callees.chain([&entry_point.function]) {
        check_function(program, function)?;
    }
    Ok(())
}

fn check_function(program: &Program, function: &Function) -> Result<(), KernelError> {
    for statement in walk::statements(&function.body) {
        let Statement::SubgroupGather { mode, .. } = *statement else {
            continue;
        };
        let (handle, end, name) = match mode {
            GatherMode::Broadcast(lane) => (lane, SubgroupSize::MAX, "subgroupBroadcast"),
            GatherMode::QuadBroadcast(lane) => (lane, QUAD, "quadBroadcast"),
            _ => continue,
        };
        let span = function.expressions.get_span(handle);
        if let Some(lane) = constant(program.module(), function, handle)
            && lane >= end
        {
            return Err(KernelError::NoSuchLane {
                function: name,
                lane,
                end,
                location: program.locate(span).map(Box::new),
            });
        }
    }
    Ok(())
}

/// The value of a literal or a named constant, as a word.
fn constant(module: &Module, function: &Function, handle: Handle<Expression>) -> Option<u32> {
    let expression = match function.expressions[handle] {
        Expression::Constant(constant) => {
            &module.global_expressions[module.constants[constant].init]
        }
        ref other => other,
    };
    match *expression {
        Expression::Literal(Literal::U32(lane)) => Some(lane),
        Expression::Literal(Literal::I32(lane)) => Some(lane.cast_unsigned()),
        _ => None,
    }
}
