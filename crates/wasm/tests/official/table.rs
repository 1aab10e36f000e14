//! The table of files: passed, failed, skipped with reasons.

use std::fmt::Write as _;

use super::runner::Report;

/// The table as text.
pub(crate) fn render(reports: &[Report]) -> String {
    let mut text = String::from("| file | passed | failed | skipped |\n|---|---|---|---|\n");
    let mut total = Report::default();
    for report in reports {
        row(&mut text, report);
        total.passed += report.passed;
        total.failures.extend(report.failures.iter().cloned());
        for (reason, count) in &report.skipped {
            *total.skipped.entry(reason.clone()).or_insert(0) += count;
        }
    }
    total.file = "all".to_owned();
    row(&mut text, &total);
    text
}

fn row(text: &mut String, report: &Report) {
    let skipped = report
        .skipped
        .iter()
        .map(|(reason, count)| format!("{count} ({reason})"));
    let skipped = skipped.collect::<Vec<_>>().join(", ");
    let failed = report.failures.len();
    let _ = writeln!(
        text,
        "| {} | {} | {failed} | {skipped} |",
        report.file, report.passed
    );
}

/// Prints the table.
#[expect(
    clippy::print_stdout,
    reason = "what the test is run for, with --nocapture"
)]
pub(crate) fn show(text: &str) {
    println!("{text}");
}
