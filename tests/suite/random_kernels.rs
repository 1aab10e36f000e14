//! Differential testing: random kernels on every executor, for a fixed set of seeds or those in `ANYWARP_SEEDS`.
//!
//! `ANYWARP_SEEDS=0..5000 cargo test -p anywarp-tests --test it random_kernels::` runs more of them; the binary
//! `random_kernels` does the same with a watchdog. A failing kernel is reduced and printed.

use std::ops::Range;
use std::time::{Duration, Instant};

use anywarp_tests::random_kernels::{GeneratorOptions, Kernel, Verdict, compare, minimise};
use anywarp_tests::{
    Dispatch, Executor, ExecutorName, Interpreter, Memory, RunError, adapter, code,
    code_with_calls, lavapipe, report_skip,
};

/// The time limit for reducing a kernel.
const CUTTING: Duration = Duration::from_secs(120);

/// The usual seeds, or those of the environment.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("ANYWARP_SEEDS") else {
        return usual;
    };
    let bounds = text.split_once("..");
    let bounds = bounds.and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    bounds.unwrap_or_else(|| panic!("ANYWARP_SEEDS is FIRST..END, not `{text}`"))
}

/// A kernel reduced to a small one for which the executor is still wrong.
fn small(kernel: &Kernel, verdict: &Verdict, executor: &dyn Executor) -> Kernel {
    let mut same = |kernel: &Kernel| compare(kernel, &Interpreter, executor).is_like(verdict);
    minimise(kernel, &mut same, Instant::now() + CUTTING)
}

fn check(seeds: Range<u64>, executor: &dyn Executor, options: &GeneratorOptions) {
    for seed in seeds {
        let kernel = Kernel::generate(seed, options);
        let verdict = compare(&kernel, &Interpreter, executor);
        assert!(
            verdict == Verdict::Agrees,
            "seed {seed} on {}: {verdict}\n{}",
            executor.name(),
            small(&kernel, &verdict, executor).wgsl()
        );
    }
}

#[test]
fn adapter_agrees_with_the_interpreter() {
    let adapter = adapter();
    check(seeds(0..400), &adapter, &GeneratorOptions::default());
    check(seeds(0..200), &adapter, &GeneratorOptions::all_of(&adapter));
}

/// None of these is interpreted by the executor under test.
#[test]
fn machine_code_agrees_with_the_interpreter() {
    let executors = code();
    if executors.is_empty() {
        report_skip("random kernels as machine code: this machine has no AVX2");
    }
    for executor in executors {
        check(seeds(0..300), &executor, &GeneratorOptions::vector_code());
    }
}

/// The same, with every function called that can be.
#[test]
fn machine_code_with_calls_agrees_with_the_interpreter() {
    for executor in code_with_calls() {
        check(seeds(0..300), &executor, &GeneratorOptions::vector_code());
    }
}

#[test]
fn lavapipe_agrees_with_the_interpreter() {
    match lavapipe() {
        Some(lavapipe) => {
            check(seeds(0..70), &lavapipe, &GeneratorOptions::default());
            check(
                seeds(0..50),
                &lavapipe,
                &GeneratorOptions::all_of(&lavapipe),
            );
        }
        None => report_skip("random kernels on lavapipe: no Vulkan adapter named llvmpipe"),
    }
}

/// An executor with a fault: it misreads one piece of WGSL as another.
struct Faulty {
    reads: &'static str,
    as_if: &'static str,
}

impl Executor for Faulty {
    fn name(&self) -> ExecutorName {
        ExecutorName::Interpreter
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let mut dispatch = dispatch.clone();
        dispatch.wgsl = dispatch.wgsl.replace(self.reads, self.as_if);
        Interpreter.run(&dispatch)
    }
}

/// Faults of many kinds are found by one of the first kernels, and reduced to a small one.
#[test]
fn faults_are_found_and_cut_down() {
    for (reads, as_if) in [
        (" >> ", " << "),
        ("continue;", ""),
        ("break;", ""),
        ("return;", ""),
        (" >= ", " > "),
        ("atomicMax(&counters", "atomicMin(&counters"),
        ("firstLeadingBit(", "firstTrailingBit("),
        ("++;", "--;"),
        (" && ", " || "),
        ("ceil(", "floor("),
        ("let level = level_", "let level = 0u * level_"),
        (
            "{ textureStore(",
            "{ if value.x == value.x { return; } textureStore(",
        ),
        ("textureNumLayers(", "1u + textureNumLevels("),
    ] {
        let fault = Faulty { reads, as_if };
        let found = (0..400).find_map(|seed| {
            let kernel = Kernel::generate(seed, &GeneratorOptions::default());
            let verdict = compare(&kernel, &Interpreter, &fault);
            matches!(verdict, Verdict::Differs(_)).then_some((kernel, verdict))
        });
        let (kernel, verdict) = found.unwrap_or_else(|| panic!("`{reads}` is not noticed"));
        let small = small(&kernel, &verdict, &fault);
        let lines = small.wgsl().lines().count();
        assert!(lines < 45, "{lines} lines:\n{}", small.wgsl());
        assert!(small.wgsl().contains(reads), "{}", small.wgsl());
    }
}

/// The interpreter without subgroups: functions with subgroup operations just return their argument.
struct WithoutSubgroups;

impl Executor for WithoutSubgroups {
    fn name(&self) -> ExecutorName {
        ExecutorName::Interpreter
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let mut dispatch = dispatch.clone();
        let lines = dispatch
            .wgsl
            .lines()
            .map(|line| match line.split_once("return") {
                Some((head, _)) if line.starts_with("fn lane_") => format!("{head}return x; }}\n"),
                _ => format!("{line}\n"),
            });
        dispatch.wgsl = lines.collect();
        Interpreter.run(&dispatch)
    }
}

#[test]
fn subgroups_know_their_lanes() {
    let options = GeneratorOptions::all_of(&Interpreter);
    check(seeds(0..400), &WithoutSubgroups, &options);
}

#[test]
fn a_seed_gives_one_kernel() {
    let text = |seed| Kernel::generate(seed, &GeneratorOptions::default()).wgsl();
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}
