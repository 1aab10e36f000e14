//! Calls with abstract literals that naga does not evaluate.

use std::time::{Duration, Instant};

use anywarp_program::Program;

fn main_of(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> v: array<u32>;
         @compute @workgroup_size(1) fn main() {{ {body} }}"
    )
}

#[test]
fn many_literals_are_named_in_little_time() {
    let lines: String = (0..3000)
        .map(|n| format!("v[0] += u32(mix(0.1{n:04}, 1.0, 0.5));\n"))
        .collect();
    let start = Instant::now();
    Program::from_wgsl(&main_of(&lines)).unwrap();
    let spent = start.elapsed();
    assert!(spent < Duration::from_secs(5), "{spent:?}");
}

#[test]
fn a_value_that_f32_lacks_is_refused_as_a_limit() {
    let text = main_of("v[0] = u32(mix(0.0, 33554434.0, 0.5));");
    let error = Program::from_wgsl(&text).unwrap_err().to_string();
    assert!(error.contains("limit of naga"), "{error}");
    Program::from_wgsl(&main_of("v[0] = u32(mix(0.0, 33554432.0, 0.5));")).unwrap();
    Program::from_wgsl(&main_of("v[0] = u32(mix(/* 2.0 */ 1.0, 3.0, 0.5));")).unwrap();
}
