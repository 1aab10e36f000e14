//! Warns about long Rust files.

use super::{Finding, Repository, Severity};

const MAX_LINES: usize = 700;

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let files = repository.with_extension("rs");
    files
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(file, lines)| Finding {
            severity: Severity::Warning,
            ..Finding::error(
                file,
                0,
                format!("{lines} lines; look whether it is several files"),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn only_long_files_are_warned_of() {
        let long = "\n".repeat(MAX_LINES + 1);
        let repository = repository(&[("long.rs", &long), ("short.rs", ""), ("long.md", &long)]);
        let findings = check(&repository);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(findings[0].path, "long.rs");
    }
}
