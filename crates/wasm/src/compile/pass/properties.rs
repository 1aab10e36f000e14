//! Property tests: each pass keeps what random functions do, and leaves them valid.

use super::random::{machine, random_function};
use super::{clean, optimize};
use crate::compile::ir::evaluate::{End, evaluate};
use crate::compile::ir::{Function, verify};

const STEPS: usize = 20_000;
const SEEDS: u64 = 400;

/// The pass keeps what random functions do, and changes some of them.
fn check(name: &str, pass: impl Fn(&mut Function) -> bool) {
    let seeds = std::env::var("PASS_SEEDS").ok();
    let seeds = seeds.and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    let (mut changes, mut runs) = (0, 0);
    for seed in 0..seeds {
        let original = random_function(seed);
        if let Err(error) = verify(&original) {
            panic!("seed {seed}: {error}\n{original}");
        }
        let mut changed = original.clone();
        changes += u64::from(pass(&mut changed));
        if let Err(error) = verify(&changed) {
            panic!("{name}, seed {seed}: {error}\n{original}\n{changed}");
        }
        for input in 0..3 {
            let (mut before, mut after) = (machine(input), machine(input));
            let expected = evaluate(&original, &mut before, STEPS);
            if expected == End::OutOfSteps {
                continue;
            }
            runs += 1;
            let found = evaluate(&changed, &mut after, 4 * STEPS);
            assert!(
                (&expected, &before) == (&found, &after),
                "{name}, seed {seed}, input {input}: {expected:?} {found:?}\n{original}\n{changed}"
            );
        }
    }
    assert!(runs > 2 * seeds, "{name}: {runs} of {seeds} functions end");
    assert!(changes > seeds / 100, "{name} changes {changes} of {seeds}");
}

#[test]
fn clean_up_passes_keep_what_functions_do() {
    check("fold", super::fold::run);
    check("gvn", super::gvn::run);
    check("dead_code", super::dead_code::run);
    check("prune_params", super::prune_params::run);
    check("simplify_cfg", super::simplify_cfg::run);
    check("checks", super::checks::run);
    check("clean", |function| {
        clean(function);
        true
    });
}

#[test]
fn loop_passes_keep_what_functions_do() {
    check("merge_loops", |function| {
        clean(function);
        super::merge_loops::run(function)
    });
    check("preheaders", |function| {
        clean(function);
        super::preheaders::run(function)
    });
    check("induction", |function| {
        super::preheaders::run(function);
        super::induction::run(function)
    });
    check("counted_loops", |function| {
        super::preheaders::run(function);
        super::induction::run(function);
        clean(function);
        super::preheaders::run(function);
        super::counted_loops::run(function)
    });
    check("hoist_checks", |function| {
        clean(function);
        super::preheaders::run(function);
        super::induction::run(function);
        clean(function);
        super::preheaders::run(function);
        super::counted_loops::run(function);
        clean(function);
        super::preheaders::run(function);
        super::hoist_checks::run(function)
    });
    check("single_latch", super::single_latch::run);
    check("optimize", |function| {
        optimize(function);
        true
    });
}
