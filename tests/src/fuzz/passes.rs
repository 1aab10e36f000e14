//! Fuzz target: random functions of the vector IR before and after each pass.
//!
//! In: a seed. Each pass of the pipeline runs alone on the function, and then all of them in order; after each one
//! `verify` must accept the function, and `evaluate` must give the same memory and outcome as before. The bounds
//! verifier must accept the result of all passes.

use anywarp_lanes::bounds;
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{CallOutcome, Function};
use anywarp_lanes::pass::{self, PassOptions, Subgroups, polls};
use anywarp_lanes::random;
use anywarp_program::work::Meter;

use super::stages::Stages;
use super::targets::seed;
use super::verdict::Verdict;

const SUBGROUPS: u32 = 3;

/// The step limit of `evaluate`; every random function needs far fewer.
const BUDGET: u64 = 10_000_000;

type Seen = (CallOutcome, Memory);

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    let seed = seed(input);
    let function = function(seed);
    stages.run("passes", || {
        check(seed, &function).err().unwrap_or(Verdict::Accepted)
    })
}

fn function(seed: u64) -> Function {
    let lanes = if seed.is_multiple_of(2) { 16 } else { 8 };
    random::function(seed, lanes, 20 + (seed >> 8) as usize % 150)
}

fn passes(seed: u64) -> PassOptions {
    PassOptions {
        subgroups: Subgroups::Called(SUBGROUPS),
        fills_lines: seed & 2 != 0,
        ..PassOptions::default()
    }
}

fn check(seed: u64, function: &Function) -> Result<(), Verdict> {
    let expected = evaluate(function, seed, "generator", Subgroups::Called(SUBGROUPS))?;
    for (place, name) in pass::names().enumerate() {
        let (mut alone, mut passes) = (function.clone(), passes(seed));
        pass::run_one(place, &mut alone, &mut passes);
        compare(&expected, &alone, seed, name, passes.subgroups)?;
    }
    let (mut all, mut passes) = (function.clone(), passes(seed));
    for (place, name) in pass::names().enumerate() {
        pass::run_one(place, &mut all, &mut passes);
        compare(&expected, &all, seed, name, passes.subgroups)?;
    }
    polls::run(&mut all);
    compare(&expected, &all, seed, "polls", passes.subgroups)?;
    bounds::check(&all, &[], &random::extents(SUBGROUPS), &Meter::unlimited())
        .map_err(|error| Verdict::wrong("bounds", format!("{error} in\n{all}")))
}

fn compare(
    expected: &Seen,
    function: &Function,
    seed: u64,
    pass: &str,
    subgroups: Subgroups,
) -> Result<(), Verdict> {
    if evaluate(function, seed, pass, subgroups)? == *expected {
        Ok(())
    } else {
        Err(Verdict::wrong(
            pass,
            format!("another result of\n{function}"),
        ))
    }
}

fn evaluate(
    function: &Function,
    seed: u64,
    after: &str,
    subgroups: Subgroups,
) -> Result<Seen, Verdict> {
    let mut memory = random::memory(seed);
    let run = WorkgroupInputs {
        workgroup_id: [seed as u32 % 5, 1, 2],
        workgroup_count: [5, 2, 3],
        is_cancelled: false,
    };
    let calls = match subgroups {
        Subgroups::Looped(_) => 1,
        _ => SUBGROUPS,
    };
    let outcome = Evaluator::new(function)
        .and_then(|evaluator| evaluator.run_workgroup(&run, calls, &mut memory, &mut { BUDGET }))
        .map_err(|error| Verdict::wrong(after, format!("{error} in\n{function}")))?;
    Ok((outcome, memory))
}

pub(crate) fn describe(input: &[u8]) -> String {
    function(seed(input)).to_string()
}
