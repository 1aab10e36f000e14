//! `cargo xtask tidy`: style checks of the repository.
//!
//! In: the files that git tracks or would track. Out: findings, each with its file and line. What always holds: every
//! check is a function of the [`Repository`] alone, so that tests can pass it a faulty one; a finding of severity
//! [`Severity::Error`] fails the run, a warning does not.

mod document_paths;
mod environment;
mod file_length;
mod machine_paths;
mod merge_markers;
mod module_headers;
mod phrases;
mod readme_examples;
mod requirements;
mod test_modules;

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::command::output;

const CHECKS: &[fn(&Repository) -> Vec<Finding>] = &[
    document_paths::check,
    environment::check,
    module_headers::check,
    requirements::check,
    machine_paths::check,
    merge_markers::check,
    file_length::check,
    phrases::check,
    readme_examples::check,
    test_modules::check,
];

pub(crate) fn run(root: &Path) -> Outcome {
    let repository = Repository::read(root)?;
    let findings: Vec<_> = CHECKS.iter().flat_map(|check| check(&repository)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .count();
    println!("{} files checked", repository.files.len());
    match errors {
        0 => Ok(()),
        1 => Err("1 thing is not tidy".to_owned()),
        _ => Err(format!("{errors} things are not tidy")),
    }
}

/// A file's path relative to the root, with forward slashes, and its text.
struct File {
    path: String,
    text: String,
}

/// The files of the repository; binary files count as empty.
struct Repository {
    files: Vec<File>,
}

impl Repository {
    fn read(root: &Path) -> Result<Self, String> {
        let mut list = Command::new("git");
        list.args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root);
        let list = output(&mut list)?;
        // A tracked file may be deleted in the working tree.
        let paths = list.lines().filter(|path| root.join(path).is_file());
        let file = |path: &str| File {
            path: path.to_owned(),
            text: std::fs::read_to_string(root.join(path)).unwrap_or_default(),
        };
        let mut files: Vec<_> = paths.map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Self { files })
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether a file or folder with this path exists.
    fn contains(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            let rest = file.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn with_extension(&self, extension: &str) -> impl Iterator<Item = &File> {
        let is_asked = move |file: &&File| {
            Path::new(&file.path)
                .extension()
                .is_some_and(|e| e == extension)
        };
        self.files.iter().filter(is_asked)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

/// A violation of a check.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    severity: Severity,
    path: String,
    /// Counted from one; zero for the whole file.
    line: usize,
    message: String,
}

impl Finding {
    fn error(file: &File, line: usize, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            path: file.path.clone(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let line = match self.line {
            0 => String::new(),
            line => format!(":{line}"),
        };
        write!(f, "{severity}: {}{line}: {}", self.path, self.message)
    }
}

/// A repository made of texts, for tests.
#[cfg(test)]
fn repository(files: &[(&str, &str)]) -> Repository {
    let file = |(path, text): &(&str, &str)| File {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    Repository {
        files: files.iter().map(file).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_found() {
        let repository = repository(&[("a/b/c.rs", ""), ("ab.md", "")]);
        for path in ["a", "a/", "a/b", "a/b/c.rs", "ab.md"] {
            assert!(repository.contains(path), "{path}");
        }
        for path in ["b", "a/b/c", "ab", "a/b/c.rs/d"] {
            assert!(!repository.contains(path), "{path}");
        }
    }

    #[test]
    fn findings_name_their_place() {
        let file = File {
            path: "a.md".to_owned(),
            text: String::new(),
        };
        assert_eq!(
            Finding::error(&file, 3, "no").to_string(),
            "error: a.md:3: no"
        );
        assert_eq!(
            Finding::error(&file, 0, "no").to_string(),
            "error: a.md: no"
        );
    }
}
