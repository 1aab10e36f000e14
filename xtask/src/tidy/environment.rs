//! Checks that `CONTRIBUTING.md` lists every environment variable of the project.
//!
//! In: the string literals `"ANYWARP_.."` of Rust files, and the rows of the tables. Out: an error for each variable that is
//! not in a table, and for each row whose variable no file reads.

use std::collections::BTreeMap;

use super::{File, Finding, Repository};

const DOCUMENT: &str = "CONTRIBUTING.md";

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(document) = repository.file(DOCUMENT) else {
        return Vec::new();
    };
    let rows: BTreeMap<&str, usize> = document
        .text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((row(line)?, index + 1)))
        .collect();
    let mut read: BTreeMap<&str, (&File, usize)> = BTreeMap::new();
    for file in repository.with_extension("rs") {
        for (index, line) in file.text.lines().enumerate() {
            for name in literals(line) {
                read.entry(name).or_insert((file, index + 1));
            }
        }
    }
    let unlisted = read.iter().filter(|(name, _)| !rows.contains_key(*name));
    let unlisted = unlisted.map(|(name, (file, line))| {
        Finding::error(
            file,
            *line,
            format!("`{name}` is not in a table of {DOCUMENT}"),
        )
    });
    let unread = rows.iter().filter(|(name, _)| !read.contains_key(*name));
    let unread = unread
        .map(|(name, line)| Finding::error(document, *line, format!("no file reads `{name}`")));
    unlisted.chain(unread).collect()
}

/// The variable in the first cell of a row.
fn row(line: &str) -> Option<&str> {
    let name = line.strip_prefix("| `")?.split('`').next()?;
    name.starts_with("ANYWARP_").then_some(name)
}

/// The literals of a line that are the name of a variable.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let is_name = |text: &&str| {
        text.strip_prefix("ANYWARP_").is_some_and(|rest| {
            !rest.is_empty()
                && rest
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    line.split('"').skip(1).step_by(2).filter(is_name)
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    #[test]
    fn variables_and_rows_agree() {
        // Assembled, so that this file does not name variables that do not exist.
        let name = |rest: &str| format!("ANYWARP{rest}");
        let source = |rest: &str| format!("let a = var(\"{}\");\n", name(rest));
        let table = format!("| `{}` | x |\n| `{}` | y |\n", name("_A"), name("_B"));
        let (read, unlisted) = (source("_A"), source("_C"));
        let good = repository(&[
            (DOCUMENT, &format!("| `{}` | x |\n", name("_A"))),
            ("a.rs", &read),
        ]);
        assert_eq!(check(&good), []);
        let wrong = repository(&[(DOCUMENT, &table), ("a.rs", &read), ("b.rs", &unlisted)]);
        let found: Vec<_> = check(&wrong)
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect();
        assert_eq!(found, [("b.rs".to_owned(), 1), (DOCUMENT.to_owned(), 2)]);
    }
}
