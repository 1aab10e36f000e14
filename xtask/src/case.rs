//! `cargo xtask case NAME`: one conformance case, or a folder of cases, on every executor of this machine.
//!
//! In: a part of the case's path in `tests/conformance`, such as `bounds/array_read`, or the path itself. Out: a line for
//! each executor and case, and the values that are wrong. A name that no case has is an error.

use std::path::Path;

use crate::Outcome;
use crate::test::TestRun;

pub(crate) fn run(root: &Path, name: &str) -> Outcome {
    let name = case_name(name);
    let mut tests = TestRun::start(root)?;
    let tested = tests.run(&[
        "test",
        "--quiet",
        "--package=anywarp-tests",
        "--test=conformance",
        "--",
        name,
    ]);
    tests.report();
    tested?;
    if tests.tally().ran() == 0 {
        return Err(format!("no executor runs a case named `{name}`"));
    }
    Ok(())
}

/// The name of a case from its path.
fn case_name(path: &str) -> &str {
    let path = path.strip_prefix("tests/conformance/").unwrap_or(path);
    path.strip_suffix(".wgsl").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_case() {
        for path in [
            "bounds/array_read",
            "bounds/array_read.wgsl",
            "tests/conformance/bounds/array_read.wgsl",
        ] {
            assert_eq!(case_name(path), "bounds/array_read");
        }
    }
}
