//! How exact the builtin functions are.
//!
//! In: what stands behind `cargo xtask accuracy`. Out: a table. The work is done by a program of `tests`, compiled when
//! it is needed: this one stays quick to compile.

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
