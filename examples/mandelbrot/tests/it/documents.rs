//! Runs the commands in README and docs/mandelbrot.md, and compares their output with the documents.
//!
//! Times and numbers of batches vary and are not compared; checksums are.

use std::path::Path;
use std::process::Command;

const BEGIN: &str = "$ cargo run --release -p mandelbrot -- ";

/// The commands of a document: their arguments, and their expected output lines without varying parts.
fn examples(text: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_output = false;
    for line in text.lines() {
        if let Some(arguments) = line.strip_prefix(BEGIN) {
            examples.push((arguments.to_owned(), Vec::new()));
            is_output = true;
        } else if line.starts_with("$ ") || line.starts_with("```") {
            is_output = false;
        } else if is_output && let Some((_, output)) = examples.last_mut() {
            output.push(mask(line));
        }
    }
    examples
}

/// Removes the words of a line that vary between runs: `31 batches`, `0 retries`, `0.5 s`.
fn mask(line: &str) -> String {
    let parts = line.split(", ");
    let is_steady = |part: &&str| {
        ![" batches", " retries", " s"]
            .iter()
            .any(|unit| part.ends_with(unit))
    };
    parts.filter(is_steady).collect::<Vec<_>>().join(", ")
}

#[test]
fn commands_print_what_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    std::fs::create_dir_all(&folder).unwrap();
    for (document, commands) in [("README.md", 3), ("docs/mandelbrot.md", 4)] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let examples = examples(&text);
        assert_eq!(examples.len(), commands, "{document}");
        for (arguments, shown) in examples {
            let output = Command::new(env!("CARGO_BIN_EXE_mandelbrot"))
                .args(arguments.split_whitespace())
                .current_dir(&folder)
                .output()
                .unwrap();
            let found = String::from_utf8(output.stdout).unwrap();
            let found: Vec<_> = found.lines().map(mask).collect();
            assert_eq!(found, shown, "{document}: {arguments}");
        }
    }
}
