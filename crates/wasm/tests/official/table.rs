//! The table of files by executor: passed, failed, skipped with reasons.

use std::fmt::Write as _;

use super::runner::Report;

/// Renders the table: a column for each executor, all with the same files.
pub(crate) fn render(columns: &[(String, Vec<Report>)]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.0.as_str()).collect();
    let mut text = format!("| file | {} |\n|---|", names.join(" | "));
    text.push_str(&"---|".repeat(columns.len()));
    text.push('\n');
    let totals: Vec<_> = columns.iter().map(|column| total(&column.1)).collect();
    let files = columns.first().map_or(0, |column| column.1.len());
    for at in 0..files {
        row(&mut text, columns.iter().map(|column| &column.1[at]));
    }
    row(&mut text, totals.iter());
    text
}

fn row<'a>(text: &mut String, reports: impl Iterator<Item = &'a Report> + Clone) {
    let file = reports
        .clone()
        .next()
        .map_or("", |report| report.file.as_str());
    let cells: Vec<_> = reports.map(cell).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "| {file} | {} |", cells.join(" | "));
}

/// The results of a file on an executor.
pub(crate) fn cell(report: &Report) -> String {
    let mut text = format!("{} passed", report.passed);
    if !report.failures.is_empty() {
        let _ = write!(text, ", {} failed", report.failures.len());
    }
    for (reason, count) in &report.skipped {
        let _ = write!(text, ", {count} skipped ({reason})");
    }
    text
}

/// The sum of all files.
pub(crate) fn total(reports: &[Report]) -> Report {
    let mut total = Report {
        file: "all".to_owned(),
        ..Report::default()
    };
    for report in reports {
        total.passed += report.passed;
        total.failures.extend(report.failures.iter().cloned());
        for (reason, count) in &report.skipped {
            *total.skipped.entry(reason.clone()).or_insert(0) += count;
        }
    }
    total
}
