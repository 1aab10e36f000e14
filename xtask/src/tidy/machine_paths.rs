//! Checks that no file contains an absolute path of one machine.

use super::{Finding, Repository};

/// First folders of paths that exist on one machine only.
const FOLDERS: &[&str] = &["home", "root", "tmp", "work"];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &repository.files {
        for (index, line) in file.text.lines().enumerate() {
            for folder in FOLDERS.iter().filter(|folder| names(line, folder)) {
                let message =
                    format!("names a path under /{folder}, which is not part of the project");
                findings.push(Finding::error(file, index + 1, message));
            }
        }
    }
    findings
}

/// Whether a line contains a path that begins with this folder. After a slash or a word character it is the middle of
/// another path or address.
fn names(line: &str, folder: &str) -> bool {
    let pattern = format!("/{folder}/");
    line.match_indices(&pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn machine_paths_are_found_and_others_pass() {
        // Concatenated here, so that this file passes its own check.
        let bad = ["tmp", "work"]
            .map(|folder| format!("open(\"/{folder}/x\")"))
            .join("\n");
        let good = "https://example.org/tmp/x and a/work/b and ../tmp/c and //root/";
        let repository = repository(&[("bad.rs", &bad), ("good.md", good)]);
        let findings = check(&repository);
        let places: Vec<_> = findings.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(places, [("bad.rs", 1), ("bad.rs", 2)]);
    }
}
