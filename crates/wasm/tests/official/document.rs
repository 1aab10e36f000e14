//! `docs/wasm-suite.md`: the table of files by executor, and the counted list of exceptions.
//!
//! In: the document and the results of a run. Out: the differences, in either direction.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::runner::{Report, Version};
use super::table;

/// The executors with a column in the document.
const COLUMNS: [&str; 3] = ["virtual machine", "CPU adapter", "lavapipe"];
/// The name for all of them in the list of exceptions.
const EVERY: &str = "every";

/// The document.
pub(crate) struct Document {
    text: String,
    before: String,
}

/// A row of the list of exceptions.
struct Exception<'a> {
    machine: &'a str,
    version: &'a str,
    what: &'a str,
    count: usize,
}

impl Document {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(path()).expect("docs/wasm-suite.md");
        Self {
            before: text.clone(),
            text,
        }
    }

    pub(crate) fn write_if_changed(&self) {
        if self.text != self.before {
            std::fs::write(path(), &self.text).expect("docs/wasm-suite.md can be written");
        }
    }

    /// Replaces the table, if it has the columns of the document.
    pub(crate) fn set_table(
        &mut self,
        version: Version,
        columns: &[(String, Vec<Report>)],
        table: &str,
    ) {
        if !columns.iter().map(|column| &column.0).eq(COLUMNS.iter()) {
            return;
        }
        let heading = heading(version);
        let old = format!("## {heading}\n{}", self.section(&heading));
        let new = format!("## {heading}\n\n{}\n", table.trim_end());
        self.text = self.text.replace(&old, &new);
    }

    /// The text between a heading and the next one.
    fn section(&self, heading: &str) -> &str {
        let mut parts = self.text.split("\n## ");
        let part = parts.find_map(|part| part.strip_prefix(heading)?.strip_prefix('\n'));
        part.unwrap_or_else(|| panic!("docs/wasm-suite.md has no section `{heading}`"))
    }

    /// The differences between a run and the document.
    pub(crate) fn differences(
        &self,
        version: Version,
        machine: &str,
        reports: &[Report],
    ) -> Vec<String> {
        let mut wrong = self.wrong_exceptions(version, machine, reports);
        if COLUMNS.contains(&machine) {
            wrong.extend(self.wrong_rows(version, machine, reports));
        }
        if !wrong.is_empty() {
            let failures = reports.iter().flat_map(|report| &report.failures);
            wrong.extend(failures.take(50).cloned());
        }
        wrong
    }

    fn wrong_rows(&self, version: Version, machine: &str, reports: &[Report]) -> Vec<String> {
        let mut rows = rows(self.section(&heading(version)));
        let header = rows.next().unwrap_or_default();
        let column = header.iter().position(|cell| *cell == machine);
        let column = column.unwrap_or_else(|| panic!("no column `{machine}`"));
        let rows = rows.filter_map(|row| Some((*row.first()?, *row.get(column)?)));
        let mut documented: BTreeMap<&str, &str> = rows.collect();
        let total = table::total(reports);
        let mut wrong = Vec::new();
        for report in reports.iter().chain([&total]) {
            let cell = table::cell(report);
            let read_text = documented.remove(report.file.as_str()).unwrap_or("nothing");
            if cell != read_text {
                let file = &report.file;
                wrong.push(format!(
                    "{file} on {machine}: {cell}, documented: {read_text}"
                ));
            }
        }
        let gone = documented.keys().filter(|file| !file.starts_with("---"));
        wrong.extend(gone.map(|file| format!("{file} is documented but not in the suite")));
        wrong
    }

    fn wrong_exceptions(&self, version: Version, machine: &str, reports: &[Report]) -> Vec<String> {
        let section = self.section("Exceptions");
        let rows: Vec<_> = rows(section).filter_map(exception).collect();
        let counted: usize = rows.iter().map(|row| row.count).sum();
        let mut wrong = Vec::new();
        if !section.contains(&format!("{counted} exceptions")) {
            wrong.push(format!(
                "the list has {counted} exceptions, its text says else"
            ));
        }
        let applies = |row: &&Exception<'_>| {
            row.version == version.number() && [EVERY, machine].contains(&row.machine)
        };
        let listed = rows.iter().filter(applies);
        let listed: BTreeMap<_, _> = listed.map(|row| (row.what.to_owned(), row.count)).collect();
        let found = exceptions(reports);
        for (what, count) in &found {
            if listed.get(what) != Some(count) {
                wrong.push(format!(
                    "{what}: {count} on {machine}, not in the list of exceptions"
                ));
            }
        }
        let gone = listed.keys().filter(|what| !found.contains_key(*what));
        wrong.extend(gone.map(|what| format!("{what} is in the list of exceptions, but passed")));
        wrong
    }
}

/// What did not pass: reasons of skips and locations of failures, with their counts.
fn exceptions(reports: &[Report]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for report in reports {
        for (reason, count) in &report.skipped {
            *found.entry(reason.clone()).or_insert(0) += count;
        }
        for failure in &report.failures {
            let place = failure.split(": ").next().unwrap_or(failure);
            *found.entry(place.to_owned()).or_insert(0) += 1;
        }
    }
    found
}

fn exception(row: Vec<&str>) -> Option<Exception<'_>> {
    let &[machine, version, what, count, _why] = row.as_slice() else {
        return None;
    };
    let count = count.parse().ok()?;
    Some(Exception {
        machine,
        version,
        what,
        count,
    })
}

/// The rows of the tables in a text, as cells.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.map(|row| row.split('|').map(str::trim).collect())
}

fn heading(version: Version) -> String {
    format!("Version {}", version.number())
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/wasm-suite.md")
}
