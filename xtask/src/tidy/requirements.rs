//! Checks that the table of requirements is complete, and that the tests it names exist.
//!
//! In: `docs/requirements.md`, rows of `| id | requirement | state |`. A state begins with `open` (not built yet),
//! `done`, or `replaced` (something else fulfils the purpose). Where a test is named, as `path/to/file.rs::function`
//! between backticks, that function must be a test in that file; `done` and `replaced` must name one. Speed is
//! measured and not asserted, so a function of a benchmark counts too.

use super::{File, Finding, Repository};

const TABLE: &str = "docs/requirements.md";

/// The five source documents of the project: the letter of their ids, and the number of ids.
const IDS: &[(char, usize)] = &[('D', 15), ('B', 11), ('G', 19), ('W', 15), ('S', 12)];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(table) = repository.file(TABLE) else {
        return vec![Finding::error(
            &File {
                path: TABLE.to_owned(),
                text: String::new(),
            },
            0,
            "is not there",
        )];
    };
    let rows: Vec<_> = rows(&table.text).collect();
    let mut findings = check_ids(table, &rows);
    for row in &rows {
        let problems = check_row(repository, row);
        findings.extend(
            problems
                .into_iter()
                .map(|p| Finding::error(table, row.line, p)),
        );
    }
    findings
}

struct Row<'a> {
    line: usize,
    id: &'a str,
    state: &'a str,
}

/// The rows of all tables, without headers and separators.
fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let cells: Vec<_> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let id = *cells.first()?;
        let is_row = !id.starts_with('-') && id != "id";
        is_row.then(|| Row {
            line: index + 1,
            id,
            state: cells.get(2).copied().unwrap_or(""),
        })
    })
}

fn check_ids(table: &File, rows: &[Row<'_>]) -> Vec<Finding> {
    let expected: Vec<_> = IDS
        .iter()
        .flat_map(|(letter, count)| (1..=*count).map(move |n| format!("{letter}{n}")))
        .collect();
    let mut findings = Vec::new();
    for id in &expected {
        match rows.iter().filter(|row| row.id == id).count() {
            1 => {}
            0 => findings.push(Finding::error(
                table,
                0,
                format!("requirement {id} is missing"),
            )),
            _ => findings.push(Finding::error(
                table,
                0,
                format!("requirement {id} is there twice"),
            )),
        }
    }
    for row in rows
        .iter()
        .filter(|row| !expected.iter().any(|id| id == row.id))
    {
        let message = format!("there is no requirement {}", row.id);
        findings.push(Finding::error(table, row.line, message));
    }
    findings
}

fn check_row(repository: &Repository, row: &Row<'_>) -> Vec<String> {
    let id = row.id;
    let named: Vec<_> = row.state.split('`').skip(1).step_by(2).collect();
    let tests: Vec<_> = named
        .iter()
        .filter_map(|name| name.split_once("::"))
        .collect();
    let mut problems: Vec<_> = tests
        .iter()
        .filter(|(path, function)| !is_test(repository, path, function))
        .map(|(path, function)| format!("{id}: there is no test `{function}` in {path}"))
        .collect();
    match row.state.split([' ', ':']).next() {
        Some("open") => {}
        Some("done" | "replaced") if !tests.is_empty() => {}
        Some(state @ ("done" | "replaced")) => {
            problems.push(format!("{id}: {state}, but no test is named"));
        }
        _ => problems.push(format!("{id}: the state is none of open, done, replaced")),
    }
    problems
}

/// Whether the file has that function with a test attribute above it. An ignored test does not count, because it
/// never runs.
fn is_test(repository: &Repository, path: &str, function: &str) -> bool {
    let Some(file) = repository.file(path) else {
        return false;
    };
    let declaration = format!("fn {function}(");
    let lines: Vec<_> = file.text.lines().map(str::trim).collect();
    let declared = lines.iter().position(|line| line.contains(&declaration));
    declared.is_some_and(|index| {
        let above = lines[..index].iter().rev();
        let attributes: Vec<_> = above
            .take_while(|line| line.starts_with('#') || line.starts_with("//"))
            .collect();
        let has = |attribute| attributes.iter().any(|line| line.starts_with(attribute));
        let is_run = has("#[test]") || has("#[should_panic") || path.contains("/benches/");
        is_run && !has("#[ignore")
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository;
    use super::*;

    const TESTS: &str = "#[test]\n// Why.\nfn shown() {}\nfn not_a_test() {}\n\
        #[test]\n#[ignore]\nfn ignored() {}\n";

    fn messages(state: &str) -> Vec<String> {
        let row = Row {
            line: 1,
            id: "D1",
            state,
        };
        let files = [
            ("tests/a.rs", TESTS),
            ("a/benches/b.rs", "fn measured() {}\n"),
        ];
        check_row(&repository(&files), &row)
    }

    #[test]
    fn states_and_tests_that_hold_pass() {
        for state in [
            "open (dispatch)",
            "done: `tests/a.rs::shown`",
            "replaced: by something `tests/a.rs::shown`",
            "done: `a/benches/b.rs::measured`",
        ] {
            assert_eq!(messages(state), [""; 0]);
        }
    }

    #[test]
    fn states_and_tests_that_do_not_hold_are_found() {
        for (state, expected) in [
            ("", "D1: the state is none of open, done, replaced"),
            ("nearly", "D1: the state is none of open, done, replaced"),
            ("done", "D1: done, but no test is named"),
            (
                "done: `tests/a.rs::gone`",
                "D1: there is no test `gone` in tests/a.rs",
            ),
            (
                "open: `tests/a.rs::not_a_test`",
                "D1: there is no test `not_a_test` in tests/a.rs",
            ),
            (
                "done: `tests/a.rs::ignored`",
                "D1: there is no test `ignored` in tests/a.rs",
            ),
            (
                "done: `tests/b.rs::shown`",
                "D1: there is no test `shown` in tests/b.rs",
            ),
        ] {
            assert_eq!(messages(state), [expected]);
        }
    }

    #[test]
    fn every_id_is_there_once() {
        let row = |id: &str| format!("| {id} | text | open |\n");
        let mut table: String = "| id | requirement | state |\n|---|---|---|\n".to_owned();
        for (letter, count) in IDS {
            table.extend((1..=*count).map(|n| row(&format!("{letter}{n}"))));
        }
        assert_eq!(check(&repository(&[(TABLE, &table)])), []);

        let table = table.replace(&row("G7"), "") + &row("D2") + &row("X1");
        let findings = check(&repository(&[(TABLE, &table)]));
        let messages: Vec<_> = findings.iter().map(|f| f.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "requirement D2 is there twice",
                "requirement G7 is missing",
                "there is no requirement X1"
            ]
        );
        assert_eq!(check(&repository(&[])).len(), 1);
    }
}
