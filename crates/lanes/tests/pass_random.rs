//! Random functions give the same results before and after each pass, and after the whole pipeline.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{CallOutcome, Function, Op, Type};
use anywarp_lanes::pass::alias::BufferAliasing;
use anywarp_lanes::pass::{self, PassOptions, Subgroups, polls};
use anywarp_lanes::random;
use anywarp_lanes::verify::verify;

/// The number of random functions; `ANYWARP_SEEDS` overrides it.
fn seeds() -> u64 {
    let asked = std::env::var("ANYWARP_SEEDS").ok();
    asked.map_or(400, |text| text.parse().expect("a number of seeds"))
}

const SUBGROUPS: u32 = 3;

fn evaluate(function: &Function, seed: u64, subgroups: u32) -> (CallOutcome, Memory) {
    let mut memory = random::memory(seed);
    let run = WorkgroupInputs {
        workgroup_id: [seed as u32 % 5, 1, 2],
        workgroup_count: [5, 2, 3],
        is_cancelled: false,
    };
    let outcome = Evaluator::new(function)
        .and_then(|evaluator| {
            evaluator.run_workgroup(&run, subgroups, &mut memory, &mut 10_000_000)
        })
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
    (outcome, memory)
}

/// Runs a pass on random functions of several sizes.
fn compare(pass: impl Fn(&mut Function)) {
    let has_changed = compare_after(|_| {}, pass);
    let seeds = seeds();
    assert!(
        has_changed > seeds / 8,
        "only {has_changed} of {seeds} were changed"
    );
}

/// The same after other passes. Returns the number of functions that the pass changed.
fn compare_after(prepare: impl Fn(&mut Function), pass: impl Fn(&mut Function)) -> u64 {
    compare_calls(prepare, |function| {
        pass(function);
        SUBGROUPS
    })
}

/// The same with a pass that returns the number of calls of a workgroup, each for one or more subgroups.
fn compare_calls(prepare: impl Fn(&mut Function), pass: impl Fn(&mut Function) -> u32) -> u64 {
    let mut has_changed = 0;
    let seeds = seeds();
    for seed in 0..seeds {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let mut before = random::function(seed, lanes, 20 + seed as usize % 150);
        prepare(&mut before);
        let mut after = before.clone();
        let calls = pass(&mut after);
        verify(&after).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{before}\n{after}"));
        let expected = evaluate(&before, seed, SUBGROUPS);
        let found = evaluate(&after, seed, calls);
        assert!(expected == found, "seed {seed}:\n{before}\nbecame\n{after}");
        has_changed += u64::from(before != after);
    }
    has_changed
}

#[test]
fn parameters() {
    compare(pass::constant_phis::run);
}

#[test]
fn dead_code() {
    compare(pass::dead_code::run);
}

#[test]
fn fold() {
    compare(pass::fold::run);
}

#[test]
fn gvn() {
    compare(|function| pass::gvn::run(function, BufferAliasing::Any));
}

#[test]
fn gvn_with_separate_buffers() {
    compare(|function| pass::gvn::run(function, BufferAliasing::None));
    compare(|function| pass::gvn::run(function, BufferAliasing::Written));
}

#[test]
fn barriers() {
    compare(pass::barrier_split::run);
}

#[test]
fn fuse() {
    compare(pass::fuse::run);
}

/// Loads every row that is stored without a limit, and stores it again.
fn echo(function: &mut Function) {
    for number in 0..function.blocks.len() {
        let mut insts = Vec::new();
        for inst in std::mem::take(&mut function.blocks[number].insts) {
            insts.push(inst.clone());
            let Op::StoreRow(row) = inst.op else { continue };
            if row.is_limited {
                continue;
            }
            let loaded = function.add_value(Type::Lanes);
            let mut load = inst.clone();
            load.op = Op::LoadRow(row);
            load.operands.remove(2);
            load.result = Some(loaded);
            let mut store = inst;
            store.operands[2] = loaded;
            insts.extend([load, store]);
        }
        function.blocks[number].insts = insts;
    }
}

#[test]
fn loads() {
    let changed = compare_after(echo, |function| {
        pass::load_forwarding::run(function, BufferAliasing::Any);
    });
    assert!(changed > seeds() / 8, "only {changed} were changed");
}

#[test]
fn masks() {
    compare(pass::masks::run);
}

#[test]
fn polls() {
    compare(polls::run);
}

/// No step is more expensive than a scattered access to two words by 16 lanes.
const HEAVIEST: u64 = 2048;

/// Places polls for several budgets after all passes, and cancels the runs in the middle.
#[test]
fn no_path_between_polls_exceeds_the_budget() {
    let (mut polled, mut silent) = (0, 0);
    for seed in 0..seeds() / 2 {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let (function, callees) = random::functions(seed, lanes, 20 + seed as usize % 150);
        for budget in [1, HEAVIEST, 20_000] {
            let (mut function, mut callees) = (function.clone(), callees.clone());
            let mut all: Vec<_> = callees.iter_mut().map(Some).collect();
            pass::run_kernel(&mut function, &mut all, &PassOptions::default());
            let mut known = Vec::new();
            for callee in &mut callees {
                known.push(polls::run_with(callee, &known, budget));
            }
            let stretches = polls::run_with(&mut function, &known, budget);
            verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
            let all: Vec<_> = callees.iter().map(Some).collect();
            let longest = polls::check::longest_unpolled_path(&function, &all)
                .unwrap_or_else(|| panic!("seed {seed}: no bound\n{function}"));
            assert!(
                longest <= budget.max(HEAVIEST) && stretches.longest() <= budget.max(HEAVIEST),
                "seed {seed}: {longest} for {budget}\n{function}"
            );
            let polls = function.to_string().contains("poll");
            *if polls { &mut polled } else { &mut silent } += 1;
            cancel_in_the_middle(&function, &callees, seed, longest);
        }
    }
    assert!(polled.min(silent) > seeds() / 8, "{polled}, {silent}");
}

/// Cancels runs of a function at several times: none continues for longer than its longest path without a poll.
fn cancel_in_the_middle(function: &Function, callees: &[Function], seed: u64, longest: u64) {
    const ALL: u64 = 100_000_000;
    let evaluator = Evaluator::with_callees(function, callees).unwrap();
    let steps = |cancelled_after: u64| {
        let mut left = ALL;
        let evaluator = evaluator.cancel_when_below(ALL.saturating_sub(cancelled_after));
        let memory = &mut random::memory(seed);
        let outcome =
            evaluator.run_workgroup(&WorkgroupInputs::default(), SUBGROUPS, memory, &mut left);
        outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        ALL - left
    };
    let all = steps(ALL);
    for part in 0..5 {
        let cancelled_after = all * part / 5;
        let done = steps(cancelled_after);
        assert!(
            done <= cancelled_after + 1 + longest,
            "seed {seed}: {done} steps, cancelled after {cancelled_after}, longest {longest}\n{function}"
        );
    }
}

#[test]
fn ranges() {
    compare(|function| pass::range_check_elimination::run(function, Some(SUBGROUPS)));
}

#[test]
fn rotate() {
    compare(pass::loop_rotate::run);
}

#[test]
fn conditions() {
    compare(pass::condition_propagation::run);
}

#[test]
fn edges() {
    compare(pass::critical_edges::run);
}

#[test]
fn straighten() {
    compare(|function| {
        pass::loop_rotate::run(function);
        pass::critical_edges::run(function);
        pass::simplify_cfg::run(function);
    });
}

#[test]
fn strides() {
    compare_after(|_| {}, pass::stride_specialization::run);
}

#[test]
fn sums() {
    compare_after(|_| {}, pass::reassociate::run);
}

#[test]
fn unroll() {
    compare(|function| {
        pass::loop_rotate::run(function);
        pass::simplify_cfg::run(function);
        pass::loop_unroll::run(function);
    });
}

#[test]
fn phases() {
    let changed = compare_calls(
        |_| {},
        |function| {
            if pass::subgroup_loops::run(function, SUBGROUPS, BufferAliasing::Any) {
                1
            } else {
                SUBGROUPS
            }
        },
    );
    assert!(changed > seeds() / 8, "only {changed} were changed");
}

#[test]
fn all() {
    let passes = PassOptions {
        subgroups: Subgroups::Called(SUBGROUPS),
        fills_lines: true,
        ..PassOptions::default()
    };
    let changed = compare_calls(
        |_| {},
        |function| match pass::run(function, &passes) {
            Subgroups::Looped(_) => 1,
            _ => SUBGROUPS,
        },
    );
    assert!(changed > seeds() / 8, "only {changed} were changed");
}
