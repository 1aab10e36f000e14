//! Shared code of the tests of single passes.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::Function;
use anywarp_lanes::verify::verify;

/// Runs a function for the last of three workgroups of one subgroup, which must finish. Returns the memory after it.
fn evaluate(function: &Function, mut memory: Memory) -> Memory {
    let run = WorkgroupInputs {
        workgroup_id: [2, 0, 0],
        workgroup_count: [3, 1, 1],
        is_cancelled: false,
    };
    let evaluator = Evaluator::new(function).unwrap();
    let outcome = evaluator.run_workgroup(&run, 1, &mut memory, &mut 100_000);
    outcome.unwrap_or_else(|error| panic!("{error}\n{function}"));
    memory
}

/// Checks that a pass preserves the behavior of a function on some memory; returns whether it changed the function.
pub(crate) fn is_changed(before: &Function, memory: &Memory, pass: fn(&mut Function)) -> bool {
    let mut after = before.clone();
    pass(&mut after);
    verify(&after).unwrap_or_else(|error| panic!("{error}\n{after}"));
    let [one, other] = [before, &after].map(|function| evaluate(function, memory.clone()));
    assert!(one == other, "{before}\nbecame\n{after}");
    after != *before
}
