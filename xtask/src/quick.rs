//! `cargo xtask quick CRATE`: formatting, lints and tests of one crate, for the loop of edit and test.
//!
//! In: a crate by the name of its package or its folder, and further arguments of `cargo test`, such as a filter. Out: the
//! output of the three commands, and the number of tests and skips. What always holds: it stops at the first command that
//! fails; a skipped test is reported and not a failure.

use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::Outcome;
use crate::command::{cargo, run};
use crate::test::TestRun;

pub(crate) fn check(root: &Path, name: &str, arguments: &[&str]) -> Outcome {
    let package = package(root, name)?;
    let mut format = cargo();
    format.args(["fmt", "--check", "--package", &package]);
    run(format.current_dir(root))?;
    let mut lint = cargo();
    lint.args(["clippy", "--quiet", "--all-targets", "--package", &package]);
    lint.args(["--", "--deny=warnings"]);
    run(lint.current_dir(root))?;

    let mut tests = TestRun::start(root)?;
    let mut command = vec!["test", "--package", &package];
    command.extend(arguments);
    let tested = tests.run(&command);
    tests.report();
    tested
}

/// The package with this name, or the one in this folder: `lanes`, `crates/lanes` and `anywarp-lanes` are the same.
fn package(root: &Path, name: &str) -> Result<String, String> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let packages: Vec<(&str, &Path)> = metadata
        .packages
        .iter()
        .map(|package| {
            let folder = package.manifest_path.parent();
            let folder = folder.map_or(root, |folder| folder.as_std_path());
            (
                package.name.as_str(),
                folder.strip_prefix(root).unwrap_or(folder),
            )
        })
        .collect();
    find(&packages, name).map(str::to_owned).ok_or_else(|| {
        let mut names: Vec<_> = packages.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        format!(
            "there is no package `{name}`; there are {}",
            names.join(", ")
        )
    })
}

/// Finds a package among pairs of name and folder.
fn find<'a>(packages: &[(&'a str, &Path)], name: &str) -> Option<&'a str> {
    let folder = Path::new(name.trim_end_matches('/'));
    let is_meant = |(package, at): &&(&str, &Path)| {
        *package == name || *at == folder || at.strip_prefix("crates") == Ok(folder)
    };
    let found = packages.iter().find(is_meant);
    found.map(|(package, _)| *package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_by_its_folder_too() {
        let packages = [
            ("anywarp-lanes", Path::new("crates/lanes")),
            ("anywarp-tests", Path::new("tests")),
        ];
        for name in ["lanes", "crates/lanes", "crates/lanes/", "anywarp-lanes"] {
            assert_eq!(find(&packages, name), Some("anywarp-lanes"), "{name}");
        }
        assert_eq!(find(&packages, "tests"), Some("anywarp-tests"));
        assert_eq!(find(&packages, "lane"), None);
    }
}
