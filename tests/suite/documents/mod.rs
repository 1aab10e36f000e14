//! Runs the commands in the console blocks of all documents, and compares their output with the text.
//!
//! In: the Markdown files of the root, of docs and next to the sources. Out: a failure for each command whose output
//! differs from the lines below it. Standard output is compared if the command succeeds, standard error if it fails.
//! [`comparison`] has the rule for what differs between runs and machines. `ANYWARP_CASE` chooses the commands with
//! its text in them or in the name of their document. What always holds: every command of a console block runs, or
//! [`NOT_RUN`] gives the reason and the test that covers it. Command lines without output, in `sh` and `text` blocks, are
//! parsed, and the files that they read exist.

mod command;
mod comparison;
mod console_block;
mod machine;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anywarp_test_support::report_skip;

use command::{Executables, Workplace};
use comparison::{Machine, masked, matches};
use console_block::{Example, read_command_lines, read_examples};

/// Commands that do not run here, why, and what tests them instead.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo xtask test", "it is what runs this test"),
    (
        "cargo xtask page",
        "it serves until it is stopped; tests/browser/tests/browser opens the page",
    ),
    (
        "anywarp bench --only compile --runs 7",
        "it takes many minutes; crates/cli/tests/commands/bench.rs runs it with small shaders",
    ),
];

/// Commands that run with other options, because they take minutes as they are.
const RUN_AS: &[(&str, &str)] = &[("anywarp bench --runs 3", "anywarp bench --runs 1 --quick")];

/// Commands that list or use everything that a machine can have. They run where the machine has what
/// [`machine::lacks`] looks for.
const FOR_COMPLETE_MACHINES: &[&str] = &[
    "anywarp bench --runs 3",
    "anywarp doctor",
    "anywarp run crates/wasm/tests/fixtures/recursion.wasm --args 5 --allow-recursion --device gpu",
    "cargo run -p anywarp-tests --bin conformance",
    "cargo run --release -p three-ways",
];

/// The Markdown files: those of the root, of docs, and those next to the sources.
fn documents() -> Vec<PathBuf> {
    let mut folders = vec![root(), root().join("docs"), root().join("fuzz")];
    let crates = std::fs::read_dir(root().join("crates")).expect("there are crates");
    folders.extend(crates.map(|entry| entry.expect("a folder").path()));
    let files = folders
        .iter()
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| {
            let entries = std::fs::read_dir(folder).expect("a folder");
            entries.map(|entry| entry.expect("a file").path())
        });
    let is_document = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut documents: Vec<PathBuf> = files.filter(is_document).collect();
    documents.sort();
    documents
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().expect("the repository")
}

/// The name and text of each document.
fn texts() -> impl Iterator<Item = (String, String)> {
    documents().into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("a document is text");
        let name = path.strip_prefix(root()).unwrap_or(&path);
        (name.display().to_string(), text)
    })
}

fn all_examples() -> Vec<Example> {
    let examples = texts().flat_map(|(name, text)| {
        read_examples(&name, &text).unwrap_or_else(|fault| panic!("{fault}"))
    });
    examples.collect()
}

#[test]
fn commands_print_what_documents_show() {
    if cfg!(not(unix)) {
        report_skip("documents: the commands are written for a Unix shell");
        return;
    }
    let examples = all_examples();
    let workplace = Workplace::new(&root(), "documents");
    let executables = Executables::build(
        &root(),
        examples.iter().map(|example| example.command.as_str()),
    );
    let doctor = executables.run("anywarp doctor --json", &workplace);
    let findings = serde_json::from_str(&doctor.stdout).expect("the findings are JSON");
    let machine = Machine::new(&machine::cpu_name(&findings));
    let lacks = machine::lacks(&findings);
    if let Some(lacking) = &lacks {
        report_skip(&format!("documents: {lacking}, which some commands show"));
    }
    let only = std::env::var("ANYWARP_CASE").unwrap_or_default();
    let mut faults = String::new();
    for example in &examples {
        let command = example.command.as_str();
        if !example.place.contains(&only) && !command.contains(&only) {
            continue;
        }
        let is_left_out = NOT_RUN.iter().any(|(left_out, _)| *left_out == command)
            || lacks.is_some() && FOR_COMPLETE_MACHINES.contains(&command);
        if !is_left_out {
            faults.push_str(&compare(example, &executables, &workplace, &machine));
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Runs a command; the result is a description of the difference, or empty.
fn compare(
    example: &Example,
    executables: &Executables,
    workplace: &Workplace,
    machine: &Machine,
) -> String {
    let shown_command = example.command.as_str();
    let replaced = RUN_AS.iter().find(|(shown, _)| *shown == shown_command);
    let output = executables.run(replaced.map_or(shown_command, |(_, run)| run), workplace);
    let found = if output.succeeded {
        &output.stdout
    } else {
        &output.stderr
    };
    let shown = masked(example.output.iter().map(String::as_str), machine);
    let found_lines = masked(found.lines(), machine);
    let mut text = String::new();
    if !matches(&shown, &found_lines) {
        writeln!(text, "{}: $ {shown_command}", example.place).expect("a string takes text");
        for (title, lines) in [("shown", shown), ("found", found_lines)] {
            writeln!(text, "{title}:\n  {}", lines.join("\n  ")).expect("a string takes text");
        }
        writeln!(text, "output: {}{}", output.stdout, output.stderr).expect("a string takes text");
    }
    text
}

/// Names that stand for a file of the reader's.
const PLACEHOLDERS: &[&str] = &["shader.wgsl", "shader.spv"];

/// Options whose value is a file that the command writes.
const OUTPUTS: &[&str] = &["--json", "--out"];

#[test]
fn command_lines_without_output_are_valid() {
    if cfg!(not(unix)) {
        report_skip("documents: the commands are written for a Unix shell");
        return;
    }
    let workplace = Workplace::new(&root(), "command-lines");
    let executables = Executables::build(&root(), std::iter::empty());
    let lines = texts().flat_map(|(name, text)| read_command_lines(&name, &text));
    let mut faults = String::new();
    for (place, command) in lines {
        // Arguments are parsed from the first to the last, and the help is the last.
        let output = executables.run(&format!("{command} --help"), &workplace);
        if !output.succeeded {
            writeln!(faults, "{place}: {command}: {}", output.stderr).expect("a string takes text");
        }
        for file in missing_files(&command) {
            writeln!(faults, "{place}: there is no {file}").expect("a string takes text");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The files that a command line reads and that do not exist.
fn missing_files(command: &str) -> Vec<&str> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let inputs = words.iter().zip(words.iter().skip(1));
    inputs
        .filter(|(before, _)| !OUTPUTS.contains(before))
        .map(|(_, word)| *word)
        .filter(|word| {
            [".wgsl", ".spv", ".toml", ".comp", ".wasm", ".png"]
                .iter()
                .any(|end| word.ends_with(end))
        })
        .filter(|word| !PLACEHOLDERS.contains(word) && !root().join(word).exists())
        .collect()
}

#[test]
fn files_of_command_lines_must_exist() {
    let command = "anywarp run nowhere.wgsl --out a.png";
    assert_eq!(missing_files(command), ["nowhere.wgsl"]);
    assert!(missing_files("anywarp run examples/life.wgsl --json a.json").is_empty());
}

#[test]
fn the_tables_name_commands_of_documents() {
    let examples = all_examples();
    let left_out = NOT_RUN.iter().map(|(command, _)| command);
    let replaced = RUN_AS.iter().map(|(command, _)| command);
    for command in left_out.chain(replaced).chain(FOR_COMPLETE_MACHINES) {
        let is_shown = examples.iter().any(|example| example.command == *command);
        assert!(is_shown, "no document shows `{command}`");
    }
}
