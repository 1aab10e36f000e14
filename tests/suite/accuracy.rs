//! The accuracy of the builtin functions of one `f32` in machine code against WGSL's bounds, for a sample of
//! arguments.
//!
//! `cargo xtask accuracy` tests all 2^32 arguments.

use std::num::NonZeroUsize;
use std::process::Command;

use anywarp_cpu::Target;
use anywarp_tests::accuracy::{FUNCTIONS, Inputs, measure};

const SAMPLE: u64 = 1 << 17;

#[test]
fn every_function_keeps_its_bound() {
    if Target::all().next().is_none() {
        return anywarp_tests::report_skip("no code generator for this machine");
    }
    let threads = NonZeroUsize::new(2).unwrap();
    for function in FUNCTIONS {
        let measured = measure(function, Inputs::Sample(SAMPLE), threads).unwrap();
        let violations = &measured.violations;
        assert_eq!(measured.wrong, 0, "{}: {violations:?}", function.name);
        let agree = measured.differing == 0 || function.is_estimated();
        assert!(agree, "{}: widths differ", function.name);
        assert_eq!(measured.inputs, SAMPLE);
    }
}

fn accuracy(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_accuracy"))
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn the_command() {
    for (arguments, expected) in [
        (&["--function", "sine"][..], "no function `sine`: abs, acos"),
        (&["--function"], "--function needs a value"),
        (&["--sample", "few"], "--sample takes a number"),
        (&["--threads", "0"], "--threads takes a number above 0"),
        (&["--all", "1"], "unknown option --all"),
    ] {
        let (code, text) = accuracy(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
    if Target::all().next().is_none() {
        return anywarp_tests::report_skip("no code generator for this machine");
    }
    let (code, text) = accuracy(&["--function", "exp2", "--sample", "5000"]);
    assert_eq!(code, Some(0), "{text}");
    for part in ["exp2", "ULP", "5000", "EXP2_ULP_3_PLUS_2X"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
