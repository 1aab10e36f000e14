//! Tests of the library as a user calls it.

mod bad_input;
mod cpu_options;
mod devices;
mod plain_wgpu;
mod refusals;
mod run;
mod surface;

/// The test that users copy is one of these tests.
#[test]
fn the_document_shows_a_test_that_runs() {
    let document = include_str!("../../../../docs/wgpu-tests-in-ci.md");
    let test = include_str!("plain_wgpu.rs");
    assert!(
        document.contains(test),
        "docs/wgpu-tests-in-ci.md differs from plain_wgpu.rs"
    );
}
