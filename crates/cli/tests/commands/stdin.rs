//! `-`: a program on standard input, recognised by its contents.

use crate::harness::{Folder, anywarp, anywarp_with_input};

const WGSL: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) { out[i] = i * i; }";

const RUN: [&str; 4] = ["run", "-", "--out", "0:0=print:u32"];

#[test]
fn wgsl_and_spirv_run() {
    let folder = Folder::new("stdin_run");
    let expected = "0:0 = [0, 1, 4, 9]\n";
    assert_eq!(
        anywarp_with_input(&RUN, WGSL.as_bytes()).done().stdout,
        expected
    );
    let file = folder.file("squares.wgsl", WGSL);
    for name in ["squares.spv", "squares.spvasm"] {
        let translated = folder.path(name);
        anywarp(&["translate", &file, &translated]).done();
        let bytes = std::fs::read(translated).unwrap();
        assert_eq!(
            anywarp_with_input(&RUN, &bytes).done().stdout,
            expected,
            "{name}"
        );
    }
}

#[test]
fn kernels_run() {
    let root = crate::harness::root();
    let module = root.join("crates/wasm/tests/fixtures/helper.wasm");
    let bytes = std::fs::read(module).unwrap();
    let outcome = anywarp_with_input(&["run", "-", "--args", "3"], &bytes).done();
    assert_eq!(outcome.stdout, "0: 25\n");
    let outcome = anywarp_with_input(&["inspect", "-"], &bytes).done();
    assert!(outcome.stdout.starts_with("<stdin>"), "{}", outcome.stdout);
}

#[test]
fn programs_are_inspected_and_translated() {
    let folder = Folder::new("stdin_translate");
    let outcome = anywarp_with_input(&["inspect", "-"], WGSL.as_bytes()).done();
    assert!(
        outcome.stdout.starts_with("<stdin>\ncompute `main`"),
        "{}",
        outcome.stdout
    );
    let translated = folder.path("squares.spv");
    anywarp_with_input(&["translate", "-", &translated], WGSL.as_bytes()).done();
    let again = folder.path("squares.wgsl");
    let bytes = std::fs::read(&translated).unwrap();
    anywarp_with_input(&["translate", "-", &again], &bytes).done();
    assert!(std::fs::read_to_string(again).unwrap().contains("@compute"));
}

#[test]
fn what_is_wrong_with_it_is_said_of_stdin() {
    anywarp_with_input(&RUN, b"fn f( {}").failed(1, &["<stdin>:1:7"]);
    anywarp_with_input(&RUN, b"").failed(2, &["<stdin> has no entry point"]);
    anywarp_with_input(&RUN, b"fn f() {} \xff").failed(2, &["<stdin>", "not UTF-8 at byte 10"]);
    anywarp_with_input(&RUN, b"\x03\x02\x23\x07").failed(1, &["<stdin>", "SPIR-V"]);
    anywarp_with_input(&RUN, b"#version 450\nvoid main() {}")
        .failed(2, &["<stdin>", "stage", "#pragma shader_stage"]);
}
