//! Checks that no file contains conflict markers of git.

use super::{Finding, Repository};

/// The markers at the beginning and the end of a conflict.
const MARKERS: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &repository.files {
        for (index, line) in file.text.lines().enumerate() {
            if MARKERS.iter().any(|marker| line.starts_with(marker)) {
                let message = "both sides of a merge are still here";
                findings.push(Finding::error(file, index + 1, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn markers_are_found_at_the_beginning_of_lines() {
        let bad = MARKERS.map(|marker| format!("{marker}main\n")).concat();
        let good = "a << b >>>>>>> c\n======= \n";
        let repository = repository(&[("bad.md", &bad), ("good.md", good)]);
        let findings = check(&repository);
        let places: Vec<_> = findings.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(places, [("bad.md", 1), ("bad.md", 2)]);
    }
}
