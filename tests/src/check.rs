//! A folder of cases against one executor.

use std::fmt::Write;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::tally::Outcome;
use crate::{Case, Executor, Tally};

/// What became of cases on an executor.
#[derive(Clone, Debug)]
pub struct Checked {
    /// How many there were, feature by feature.
    pub tally: Tally,
    /// All that is wrong, in lines.
    pub report: String,
    ran: usize,
    failed: usize,
}

impl Checked {
    /// Whether some case ran, and none failed.
    pub fn is_good(&self) -> bool {
        self.ran > 0 && self.failed == 0
    }
}

/// Runs every case on an executor.
///
/// The environment variable `ANYWARP_CASE` narrows the run to cases whose name contains its value.
pub fn run_all(cases: &[Case], executor: &dyn Executor) -> Checked {
    let wanted = std::env::var("ANYWARP_CASE").unwrap_or_default();
    let mut checked = Checked {
        tally: Tally::new(executor.name()),
        report: String::new(),
        ran: 0,
        failed: 0,
    };
    for case in cases.iter().filter(|case| case.name().contains(&wanted)) {
        if case.is_left_out_by(executor) {
            checked.tally.add(case, Outcome::LeftOut);
            continue;
        }
        checked.ran += 1;
        let wrong = check_one(case, executor);
        if wrong.is_empty() {
            checked.tally.add(case, Outcome::Passed);
        } else {
            checked.failed += 1;
            checked.tally.add(case, Outcome::Failed);
            let wrong = wrong.join("\n    ");
            let _ = writeln!(checked.report, "{}\n    {wrong}", case.name());
        }
    }
    checked
}

/// Runs every case on an executor, prints its tally, and panics with all that is wrong.
///
/// # Panics
///
/// If a case does not get what it expects, or no case is left to run.
pub fn check_all(cases: &[Case], executor: &dyn Executor) {
    let checked = run_all(cases, executor);
    // Written to the stream itself: the test harness hides what the print macros say in a test that
    // passes. Nothing is lost if it is closed.
    let _ = io::stderr().write_all(checked.tally.to_string().as_bytes());
    let Checked {
        report,
        ran,
        failed,
        ..
    } = &checked;
    assert!(*ran > 0, "no case to run: see ANYWARP_CASE");
    assert!(
        checked.is_good(),
        "{failed} of {ran} cases failed on {}:\n{report}",
        executor.name()
    );
}

/// A panic below is a finding about this case, and no reason to leave out the others.
fn check_one(case: &Case, executor: &dyn Executor) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| case.check(executor)))
        .unwrap_or_else(|_| vec!["panicked, see the message above".to_owned()])
}
