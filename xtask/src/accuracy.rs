//! `cargo xtask accuracy`: measures the accuracy of the builtin functions.
//!
//! In: the arguments of the chore. Out: a table. The work is done by a program of `tests`, which is compiled on
//! demand, so that this one compiles quickly.

use std::path::Path;

use crate::Outcome;
use crate::command::{cargo, run};

pub(crate) fn measure(root: &Path, arguments: &[&str]) -> Outcome {
    let mut program = cargo();
    program
        .args([
            "run",
            "--quiet",
            "--package",
            "anywarp-tests",
            "--bin",
            "accuracy",
        ])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .arg("--")
        .args(arguments);
    run(&mut program)
}
