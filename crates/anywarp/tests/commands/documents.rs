//! Runs the commands in the console blocks of README and docs, and compares their output with the text.
//!
//! In: every line that begins with `$` in a block marked `console`, and the lines up to the next one. Out: a failure
//! for each command with different output. Standard output is compared if the command succeeds, standard error if it
//! fails. `...` matches any text, also as a line of its own. What always holds: every command either runs, or
//! [`TESTED_ELSEWHERE`] names the test that runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{CommandOutput, Folder, report_skip, root};

/// Prefixes of commands that other tests run, and the names of those tests.
const TESTED_ELSEWHERE: &[(&str, &str)] = &[
    ("cargo xtask test", "this very run"),
    ("cargo xtask page", "tests/browser/tests/browser"),
    ("anywarp bench", "crates/anywarp/tests/commands/bench.rs"),
    (
        "cargo run -p anywarp-tests --bin conformance",
        "tests/suite/conformance.rs",
    ),
    (
        "cargo run --release -p gpu-sdk --example",
        "the examples, which check themselves",
    ),
    (
        "cargo run --release -p three-ways",
        "examples/three-ways/tests",
    ),
    (
        "cargo run --release -p mandelbrot",
        "examples/mandelbrot/tests/it/documents.rs",
    ),
    ("ANYWARP_SEEDS=", "crates/batch/tests/it"),
];

/// Files that the commands of a document expect.
const FILES: &[(&str, &str)] = &[
    ("wrong.toml", include_str!("documents/wrong.toml")),
    ("flip.toml", include_str!("documents/flip.toml")),
    ("flip.wgsl", include_str!("documents/flip.wgsl")),
];

struct Example {
    /// File and line number.
    place: String,
    command: String,
    output: Vec<String>,
}

fn examples_of(path: &Path) -> Vec<Example> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) {
            examples.push(Example {
                place: format!("{name}:{}", number + 1),
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if is_console && let Some(example) = examples.last_mut() {
            example.output.push(line.to_owned());
        }
    }
    examples
}

fn documents() -> Vec<PathBuf> {
    let mut paths = vec![root().join("README.md")];
    let docs = fs::read_dir(root().join("docs")).unwrap();
    paths.extend(docs.map(|entry| entry.unwrap().path()));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
}

/// A folder with the repository's files, in which commands may write.
fn workplace() -> Folder {
    let folder = Folder::new("documents");
    for (name, text) in FILES {
        folder.file(name, text);
    }
    #[cfg(unix)]
    for name in ["crates", "docs", "examples", "tests"] {
        let target = root().canonicalize().unwrap().join(name);
        std::os::unix::fs::symlink(target, folder.path(name)).unwrap();
    }
    folder
}

fn run(command: &str, folder: &Folder) -> CommandOutput {
    let binary = Path::new(env!("CARGO_BIN_EXE_anywarp"));
    // Cargo finds the workspace of a crate by the resolved path.
    let crates = root().canonicalize().unwrap();
    let command = command
        .replace("cargo run --release --", "anywarp")
        .replace(
            "build examples",
            &format!("build {}/examples", crates.display()),
        );
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = binary.parent().unwrap().display();
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path(""))
        .env("PATH", format!("{folders}:{path}"))
        .output()
        .expect("there is a shell");
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Replaces the names of the CPU and its vector extension, which differ between machines.
fn mask(line: &str, cpu: &str) -> String {
    let line = line.replace(cpu, "CPU").replace("AMD EPYC", "CPU");
    let cut = |mark: &str, replaced: &str| {
        let (begin, _) = line.split_once(mark)?;
        Some(format!("{begin}{replaced}"))
    };
    cut("on the CPU: machine code", "on the CPU: runs")
        .or_else(|| cut("on the CPU: interpreted", "on the CPU: runs"))
        .or_else(|| cut("subgroups   of ", "subgroups"))
        .unwrap_or(line)
}

/// Whether text matches a pattern in which `...` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once("...") {
        None => pattern == text,
        Some((begin, rest)) => {
            let starts = text.char_indices().map(|(at, _)| at);
            let mut starts = starts.chain([text.len()]);
            text.starts_with(begin)
                && starts.any(|at| at >= begin.len() && matches(rest, &text[at..]))
        }
    }
}

/// The name of this machine's CPU, as the device reports it.
fn cpu_name(folder: &Folder) -> String {
    let devices = run("anywarp devices", folder).done().stdout;
    devices.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn commands_print_what_documents_show() {
    if cfg!(not(unix)) {
        report_skip("documents: the commands are written for a Unix shell");
        return;
    }
    let folder = workplace();
    let cpu = cpu_name(&folder);
    let mut faults = Vec::new();
    for example in documents().iter().flat_map(|path| examples_of(path)) {
        let command = example.command.as_str();
        if TESTED_ELSEWHERE
            .iter()
            .any(|(begin, _)| command.starts_with(begin))
        {
            continue;
        }
        let outcome = run(command, &folder);
        let found = if outcome.code == Some(0) {
            &outcome.stdout
        } else {
            &outcome.stderr
        };
        let masked = |lines: &mut dyn Iterator<Item = &str>| {
            let lines: Vec<_> = lines.map(|line| mask(line.trim_end(), &cpu)).collect();
            lines.join("\n").trim_end().to_owned()
        };
        let shown = masked(&mut example.output.iter().map(String::as_str));
        let mut found = masked(&mut found.lines());
        // The other devices are listed after the CPU.
        if command.ends_with("-- devices") {
            found.truncate(found.find("\n\n").unwrap_or(found.len()));
        }
        if !matches(&shown, &found) {
            let Example { place, command, .. } = &example;
            faults.push(format!(
                "{place}: $ {command}\nshown:\n{shown}\nfound (exit code {:?}):\n{found}\n{}\n",
                outcome.code, outcome.stderr
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_entry_of_the_list_is_in_a_document() {
    let documents = documents();
    let examples: Vec<_> = documents
        .iter()
        .flat_map(|path| examples_of(path))
        .collect();
    for (begin, _) in TESTED_ELSEWHERE {
        let is_used = examples
            .iter()
            .any(|example| example.command.starts_with(begin));
        assert!(is_used, "no document shows `{begin}`");
    }
}

#[test]
fn dots_stand_for_any_text() {
    assert!(matches("a", "a") && !matches("a", "b"));
    assert!(matches("...\nb", "x\ny\nb") && matches("a...", "a"));
    assert!(!matches("...\nb", "x\ny") && !matches("a ... c", "a b"));
}
