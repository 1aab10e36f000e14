//! Random functions: they are valid, survive printing and parsing, and terminate.

use anywarp_lanes::evaluate::{Evaluator, WorkgroupInputs};
use anywarp_lanes::ir::CallOutcome;
use anywarp_lanes::random;
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;

#[test]
fn random_functions_come_back_from_text() {
    for seed in 0..1000 {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let function = random::function(seed, lanes, 60);
        verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        let text = function.to_string();
        let again = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(again == function, "seed {seed}:\n{text}");
    }
}

#[test]
fn random_functions_run() {
    let mut has_changed = 0;
    for seed in 0..500 {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let function = random::function(seed, lanes, 100);
        let mut memory = random::memory(seed);
        let before = memory.clone();
        let outcome = Evaluator::new(&function)
            .unwrap()
            .run_workgroup(&WorkgroupInputs::default(), 2, &mut memory, &mut 1_000_000)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        assert_eq!(outcome, CallOutcome::FINISHED, "seed {seed}");
        has_changed += u32::from(memory != before);
    }
    assert!(has_changed > 450, "only {has_changed} of 500 did anything");
}
