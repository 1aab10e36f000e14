//! Every program of the conformance folder on every executor.

use std::path::Path;

use anywarp_cpu::{Engine, Kernel, KernelOptions, Target};
use anywarp_tests::{
    Case, Interpreter, Tally, adapter, check_all, code, code_with_calls, lavapipe, load_folder,
    program, report_skip, run_all,
};

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    load_folder(&folder).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn interpreter_conforms() {
    check_all(&cases(), &Interpreter);
}

/// The table in README counts every case. Columns of other executors need drivers, and are not compared.
#[test]
fn the_table_in_readme_is_of_today() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let table = Tally::table(&[run_all(&cases(), &Interpreter).tally]);
    for line in table.lines() {
        let is_there = readme.lines().any(|shown| shown.starts_with(line));
        assert!(is_there, "README does not show: {line}");
    }
}

#[test]
fn adapter_conforms() {
    check_all(&cases(), &adapter());
}

#[test]
fn machine_code_conforms() {
    let executors = code();
    if executors.is_empty() {
        report_skip("conformance as machine code: this machine has no AVX2");
    }
    for executor in executors {
        check_all(&cases(), &executor);
    }
}

/// Called functions give the same results as inlined ones.
#[test]
fn machine_code_with_calls_conforms() {
    for executor in code_with_calls() {
        check_all(&cases(), &executor);
    }
}

/// `docs/machine-code.md` lists what is interpreted; no case needs it.
#[test]
fn every_case_that_runs_has_machine_code() {
    for target in Target::all() {
        let options = KernelOptions {
            engine: Engine::Code(target),
            ..Default::default()
        };
        let (mut refused, mut interpreted) = (Vec::new(), Vec::new());
        for case in cases() {
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

#[test]
fn lavapipe_conforms() {
    match lavapipe() {
        Some(lavapipe) => check_all(&cases(), &lavapipe),
        None => report_skip("conformance on lavapipe: no Vulkan adapter named llvmpipe"),
    }
}
