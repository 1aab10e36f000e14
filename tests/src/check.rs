//! A folder of cases against one executor.

use std::fmt::Write;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::tally::Outcome;
use crate::{Case, Executor, Tally};

/// Runs every case on an executor, prints its tally, and panics with all that is wrong.
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
    let mut tally = Tally::new(executor.name());
    for case in cases.iter().filter(|case| case.name().contains(&wanted)) {
        if case.is_left_out_by(executor) {
            tally.add(case, Outcome::LeftOut);
            continue;
        }
        ran += 1;
        let wrong = check_one(case, executor);
        if wrong.is_empty() {
            tally.add(case, Outcome::Passed);
        } else {
            failed += 1;
            tally.add(case, Outcome::Failed);
            let _ = writeln!(report, "{}\n    {}", case.name(), wrong.join("\n    "));
        }
    }
    // Written to the stream itself: the test harness hides what the print macros say in a test that
    // passes. Nothing is lost if it is closed.
    let _ = io::stderr().write_all(tally.to_string().as_bytes());
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
