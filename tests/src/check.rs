//! Runs a folder of cases on one executor.

use std::fmt::Write;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::tally::CaseOutcome;
use crate::{Case, Executor, Tally};

/// The results of cases on an executor.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The counts for each feature.
    pub tally: Tally,
    /// All failures, as lines.
    pub report: String,
    ran: usize,
    failed: usize,
}

impl Checked {
    /// Whether at least one case ran and none failed.
    pub fn is_good(&self) -> bool {
        self.ran > 0 && self.failed == 0
    }
}

/// Runs every case on an executor.
///
/// The environment variable `ANYWARP_CASE` restricts the run to cases with this text in their names.
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
            checked.tally.add(case, CaseOutcome::LeftOut);
            continue;
        }
        checked.ran += 1;
        let wrong = check_one(case, executor);
        if wrong.is_empty() {
            checked.tally.add(case, CaseOutcome::Passed);
        } else {
            checked.failed += 1;
            checked.tally.add(case, CaseOutcome::Failed);
            let wrong = wrong.join("\n    ");
            let _ = writeln!(checked.report, "{}\n    {wrong}", case.name());
        }
    }
    checked
}

/// Runs every case on an executor, prints its tally, and panics with all failures.
///
/// # Panics
///
/// If a case fails, or no case is left to run.
pub fn check_all(cases: &[Case], executor: &dyn Executor) {
    let checked = run_all(cases, executor);
    // Written directly to stderr: the test harness captures the print macros in a test that passes. If stderr is
    // closed, the text is lost.
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

/// A panic is a failure of this case and does not stop the others.
fn check_one(case: &Case, executor: &dyn Executor) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| case.check(executor)))
        .unwrap_or_else(|_| vec!["panicked, see the message above".to_owned()])
}
