//! Checks that every Rust file begins with a module header (`//!`).

use super::{Finding, Repository};

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let is_bare = |text: &str| {
        let first = text.lines().find(|line| !line.trim().is_empty());
        !first.is_some_and(|line| line.starts_with("//!") && line.len() > "//! ".len())
    };
    let files = repository.with_extension("rs");
    files
        .filter(|file| is_bare(&file.text))
        .map(|file| Finding::error(file, 1, "does not open with `//!` and what it is for"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn a_header_is_needed() {
        let repository = repository(&[
            ("good.rs", "\n//! What it is for.\nfn f() {}"),
            ("empty.rs", ""),
            ("empty_header.rs", "//!\nfn f() {}"),
            ("late.rs", "use std::fmt;\n//! What it is for."),
            ("not_rust.md", "text"),
        ]);
        let findings = check(&repository);
        let paths: Vec<_> = findings.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["empty.rs", "empty_header.rs", "late.rs"]);
    }
}
