//! Every program of the conformance folder on every executor.

use std::path::Path;

use anywarp_tests::{
    Case, Interpreter, adapter, check_all, code, code_with_calls, lavapipe, load_folder,
    report_skip,
};

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    load_folder(&folder).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn interpreter_conforms() {
    check_all(&cases(), &Interpreter);
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

/// Functions that are called do what those do that are put in the place of their calls.
#[test]
fn machine_code_with_calls_conforms() {
    for executor in code_with_calls() {
        check_all(&cases(), &executor);
    }
}

#[test]
fn lavapipe_conforms() {
    match lavapipe() {
        Some(lavapipe) => check_all(&cases(), &lavapipe),
        None => report_skip("conformance on lavapipe: no Vulkan adapter named llvmpipe"),
    }
}
