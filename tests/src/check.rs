//! A folder of cases against one executor.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Case, Executor};

/// Runs every case on an executor and panics with all that is wrong.
///
/// The environment variable `ANYWARP_CASE` narrows the run to cases whose name contains its value.
///
/// # Panics
///
/// If a case does not get what it expects, or no case is left to run.
pub fn check_all(cases: &[Case], executor: &dyn Executor) {
    let wanted = std::env::var("ANYWARP_CASE").unwrap_or_default();
    let mut failed = 0;
    let mut ran = 0;
    let mut report = String::new();
    for case in cases {
        if !case.name().contains(&wanted) || !case.runs_on(executor.name()) {
            continue;
        }
        ran += 1;
        let wrong = check_one(case, executor);
        if !wrong.is_empty() {
            failed += 1;
            let _ = writeln!(report, "{}\n    {}", case.name(), wrong.join("\n    "));
        }
    }
    assert!(ran > 0, "no case to run: ANYWARP_CASE is {wanted:?}");
    assert!(
        failed == 0,
        "{failed} of {ran} cases failed on {}:\n{report}",
        executor.name()
    );
}

/// A panic below is a finding about this case, and no reason to leave out the others.
fn check_one(case: &Case, executor: &dyn Executor) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| case.check(executor)))
        .unwrap_or_else(|_| vec!["panicked, see the message above".to_owned()])
}
