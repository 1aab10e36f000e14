//! Validates the WGSL for WebGPU with Tint.

use anywarp_program::Program;
use anywarp_test_support::tint::{Rejection, rejections};
use anywarp_wgsl_writer::{WgslOptions, write_wgsl};

/// Errors about extensions that the installed browser cannot enable are ignored.
const NOT_HERE: &str = "not allowed in the current environment";

#[test]
fn tint_takes_what_is_written() {
    let mut written = Vec::new();
    for (name, text) in crate::cases::cases() {
        let program = Program::from_wgsl(&text).unwrap();
        written.push((name, write_wgsl(&program, &WgslOptions::default()).unwrap()));
    }
    for (name, program) in crate::repository::programs() {
        // Programs with faults violate rules that only Tint checks, and some browsers lack immediates.
        let text = write_wgsl(&program, &WgslOptions::default()).unwrap_or_default();
        // One case passes the same variable twice to a function, which only Tint rejects. In the other, a barrier is in
        // uniform control flow only because of the contents of memory.
        let only_here = ["/pointer_matrix.wgsl", "/loop_by_memory.wgsl"];
        let is_wrong = name.contains("/faults/") || only_here.iter().any(|it| name.ends_with(it));
        if !is_wrong && !text.is_empty() && !text.contains("var<immediate>") {
            written.push((name, text));
        }
    }
    for (name, program) in crate::shaders::programs() {
        // Tint does not know that private variables have uniform values here.
        let text = write_wgsl(&program, &WgslOptions::default()).unwrap_or_default();
        if !text.is_empty() && name != "barrieruni.comp" {
            written.push((name, text));
        }
    }
    let Some(rejected) = rejections("Tint on written WGSL", &written) else {
        return;
    };
    for Rejection { name, message } in &rejected {
        assert!(message.contains(NOT_HERE), "{name}: {message}");
    }
    let accepted = written.len() - rejected.len();
    assert!(accepted > 250, "only {accepted} programs");
}
