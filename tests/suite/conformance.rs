//! Every program of the conformance folder on every executor, each as a test with a name.
//!
//! A test is named `EXECUTOR/FOLDER/CASE`, so `cargo test -p anywarp-tests --test conformance -- bounds/array_read` runs
//! one case on every executor, and `interpreter/bounds` one folder on one executor. A case that an executor leaves out is
//! an ignored test. A run without a filter prints the tally of each executor.

#![allow(
    clippy::print_stderr,
    reason = "a test harness reports to people: the tallies of the executors"
)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anywarp_cpu::{Engine, Kernel, KernelOptions, Target};
use anywarp_tests::{
    Case, CaseOutcome, Executor, Interpreter, Tally, adapter, code, code_with_calls, lavapipe,
    load_folder, program, report_skip, run_all,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let cases = load_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty(), "{} has no cases", folder.display());
    let cases: Arc<[Case]> = cases.into();
    let suites = suites();

    let mut trials = of_all_cases(&cases);
    for suite in &suites {
        trials.extend((0..cases.len()).map(|index| trial(suite, &cases, index)));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if arguments.filter.is_none() && !arguments.list {
        if suites.iter().all(|suite| suite.label != "lavapipe") {
            report_skip("conformance on lavapipe: no Vulkan adapter named llvmpipe");
        }
        if code().is_empty() {
            report_skip("conformance as machine code: this machine has no AVX2");
        }
        for suite in &suites {
            eprint!("{}", suite.tally());
        }
    }
    conclusion.exit_code()
}

/// The cases on one executor.
struct Suite {
    /// The first part of the names of its tests.
    label: String,
    executor: Box<dyn Executor + Send + Sync>,
    tally: Mutex<Tally>,
}

impl Suite {
    fn new(label: impl Into<String>, executor: impl Executor + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            label: label.into(),
            tally: Mutex::new(Tally::new(executor.name())),
            executor: Box::new(executor),
        })
    }

    fn run(&self, case: &Case) -> Result<(), Failed> {
        // A panic of an executor counts too.
        let mut counted = Counted {
            suite: self,
            case,
            outcome: CaseOutcome::Failed,
        };
        let wrong = case.check(self.executor.as_ref());
        if wrong.is_empty() {
            counted.outcome = CaseOutcome::Passed;
            Ok(())
        } else {
            Err(wrong.join("\n").into())
        }
    }

    fn add(&self, case: &Case, outcome: CaseOutcome) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(case, outcome);
    }

    fn tally(&self) -> Tally {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.clone()
    }
}

/// Adds the outcome of a case to the tally when it is dropped.
struct Counted<'a> {
    suite: &'a Suite,
    case: &'a Case,
    outcome: CaseOutcome,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.suite.add(self.case, self.outcome);
    }
}

/// The executors of this machine. Called functions must give the same results as inlined ones, so machine code runs
/// every case a second time with calls.
fn suites() -> Vec<Arc<Suite>> {
    let mut suites = vec![
        Suite::new("interpreter", Interpreter),
        Suite::new("adapter", adapter()),
    ];
    for executor in code() {
        suites.push(Suite::new(executor.name().to_string(), executor));
    }
    for executor in code_with_calls() {
        suites.push(Suite::new(
            format!("{}_with_calls", executor.name()),
            executor,
        ));
    }
    suites.extend(lavapipe().map(|executor| Suite::new("lavapipe", executor)));
    suites
}

fn trial(suite: &Arc<Suite>, cases: &Arc<[Case]>, index: usize) -> Trial {
    let case = &cases[index];
    let is_left_out = case.is_left_out_by(suite.executor.as_ref());
    if is_left_out {
        suite.add(case, CaseOutcome::LeftOut);
    }
    let name = case.name().trim_end_matches(".wgsl");
    let name = format!("{}/{name}", suite.label);
    let (suite, cases) = (Arc::clone(suite), Arc::clone(cases));
    Trial::test(name, move || suite.run(&cases[index])).with_ignored_flag(is_left_out)
}

/// The tests that look at all cases together.
fn of_all_cases(cases: &Arc<[Case]>) -> Vec<Trial> {
    let test = |name: &str, check: fn(&[Case])| {
        let cases = Arc::clone(cases);
        Trial::test(name, move || {
            check(&cases);
            Ok(())
        })
    };
    vec![
        test("the_table_in_readme_is_of_today", |cases| {
            the_table_in_readme_is_of_today(cases);
        }),
        test("every_case_that_runs_has_machine_code", |cases| {
            every_case_that_runs_has_machine_code(cases);
        }),
    ]
}

/// The table in docs/conformance.md counts every case. Columns of other executors need drivers, and are not compared.
fn the_table_in_readme_is_of_today(cases: &[Case]) {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let table = Tally::table(&[run_all(cases, &Interpreter).tally]);
    for line in table.lines() {
        let is_there = readme.lines().any(|shown| shown.starts_with(line));
        assert!(is_there, "docs/conformance.md does not show: {line}");
    }
}

/// `docs/machine-code.md` lists what is interpreted; no case needs it.
fn every_case_that_runs_has_machine_code(cases: &[Case]) {
    for target in Target::all() {
        let options = KernelOptions {
            engine: Engine::Code(target),
            ..Default::default()
        };
        let (mut refused, mut interpreted) = (Vec::new(), Vec::new());
        for case in cases {
            let made = program(&case.dispatch())
                .map_err(|error| error.to_string())
                .and_then(|(program, entry)| {
                    let kernel = Kernel::with_options(&program, &entry, options);
                    kernel.map_err(|error| error.to_string())
                });
            match made.as_ref().map(Kernel::code) {
                Ok(Ok(_)) => {}
                Ok(Err(reason)) => interpreted.push(format!("{}: {reason}", case.name())),
                Err(error) => refused.push(format!("{}: {error}", case.name())),
            }
        }
        assert!(interpreted.is_empty(), "{target}: {interpreted:#?}");
        // Some cases must be rejected.
        assert!(refused.len() < 5, "{refused:#?}");
    }
}
