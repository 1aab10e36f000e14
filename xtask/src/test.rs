//! `cargo xtask test`: the whole test run.
//!
//! In: the repository. Out: runs every test of the workspace with documentation tests, some of them again with full
//! optimisation, then the separate project in `examples/wgpu-program`, which is like a user's first program; prints
//! the skips and one summary line. What always holds: the run fails if any test failed, or if one was skipped where
//! skips are forbidden.

use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;

use crate::command::{cargo, run, run_watched};
use crate::{Outcome, prerequisites, runtime_folder, skips};

/// A project outside the workspace that uses the adapter as a user would.
const SEPARATE_PROJECT: &str = "examples/wgpu-program";

/// Tests of behaviour that needs full optimisation: there the virtual machine's handlers tail-call each other.
const OPTIMISED_TESTS: &[&str] = &[
    "test",
    "--release",
    "--package=anywarp-wasm",
    "--lib",
    "--test=it",
    "--",
    "tail_calls::",
    "vm::stack::",
];

pub(crate) fn run_all(root: &Path) -> Outcome {
    let skips_allowed = skips::allowed(|name| std::env::var_os(name));
    prerequisites::install(skips_allowed)?;
    let mut tests = TestRun::start(root)?;
    let tested = tests
        .run(&["test", "--workspace", "--no-fail-fast"])
        .and_then(|()| tests.run(OPTIMISED_TESTS));
    let example = tested
        .as_ref()
        .map_or(Ok(()), |()| separate_project(root, &tests.target));

    let skipped = tests.report();
    tested?;
    example?;
    if skipped > 0 && !skips_allowed {
        return Err("tests were skipped, which is not allowed here".to_owned());
    }
    println!("all tests passed");
    Ok(())
}

/// Runs of `cargo test`, with the number of tests and the skips of all of them.
pub(crate) struct TestRun<'a> {
    root: &'a Path,
    target: PathBuf,
    skip_log: PathBuf,
    /// The runtime folder of the tests, if the environment has none.
    runtime_folder: Option<PathBuf>,
    tally: Tally,
}

impl<'a> TestRun<'a> {
    pub(crate) fn start(root: &'a Path) -> Result<Self, String> {
        let target = target_folder(root)?;
        let skip_log = target.join("skipped.txt");
        skips::start(&skip_log)?;
        Ok(Self {
            root,
            runtime_folder: runtime_folder::create_if_missing(&target),
            target,
            skip_log,
            tally: Tally::default(),
        })
    }

    /// Runs cargo with these arguments, and counts the tests in its output.
    pub(crate) fn run(&mut self, arguments: &[&str]) -> Outcome {
        let mut tests = cargo();
        tests
            .args(arguments)
            .current_dir(self.root)
            .env(skips::LOG, &self.skip_log);
        if let Some(folder) = &self.runtime_folder {
            tests.env(runtime_folder::VARIABLE, folder);
        }
        run_watched(&mut tests, |line| {
            println!("{line}");
            self.tally.add(line);
        })
    }

    /// Prints the sums and the skips; returns the number of skips.
    pub(crate) fn report(&self) -> usize {
        let skipped = skips::read(&self.skip_log);
        println!("\n{}, {} skipped", self.tally, skipped.len());
        for line in &skipped {
            println!("{line}");
        }
        skipped.len()
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }
}

/// Cargo's target folder, however it is configured.
pub(crate) fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec();
    let metadata = metadata.map_err(|error| format!("cargo metadata failed: {error}"))?;
    Ok(metadata.target_directory.into_std_path_buf())
}

/// Builds and runs the separate project, with the workspace's target folder to share artifacts.
fn separate_project(root: &Path, target: &Path) -> Outcome {
    let manifest = root.join(SEPARATE_PROJECT).join("Cargo.toml");
    if !manifest.exists() {
        return Err(format!("{SEPARATE_PROJECT} is not there"));
    }
    println!("\nrunning {SEPARATE_PROJECT}");
    let mut example = cargo();
    example
        .args(["run", "--quiet", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", target)
        .current_dir(root);
    run(&mut example)
}

/// The sums of the numbers in `test result:` lines.
#[derive(Default)]
pub(crate) struct Tally {
    passed: u32,
    failed: u32,
    ignored: u32,
}

impl Tally {
    /// The number of tests that ran.
    pub(crate) fn ran(&self) -> u32 {
        self.passed + self.failed
    }

    fn add(&mut self, line: &str) {
        if !line.starts_with("test result:") {
            return;
        }
        let number = |what: &str| {
            let before = line
                .split(what)
                .next()
                .filter(|before| before.len() < line.len());
            let word = before.and_then(|before| before.split_whitespace().next_back());
            word.and_then(|word| word.parse::<u32>().ok()).unwrap_or(0)
        };
        self.passed += number(" passed");
        self.failed += number(" failed");
        self.ignored += number(" ignored");
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            passed,
            failed,
            ignored,
        } = self;
        write!(
            f,
            "tests: {passed} passed, {failed} failed, {ignored} ignored"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_summed_and_others_passed_over() {
        let mut tally = Tally::default();
        tally.add("running 3 tests");
        tally.add("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out");
        tally.add("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured");
        assert_eq!(tally.to_string(), "tests: 14 passed, 3 failed, 1 ignored");
        assert_eq!(tally.ran(), 17);
    }
}
