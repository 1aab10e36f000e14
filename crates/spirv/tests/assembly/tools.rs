//! Runs SPIRV-Tools for comparison.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Whether SPIRV-Tools are installed; otherwise the test is skipped.
pub(crate) fn are_there() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        ["spirv-as", "spirv-dis"].iter().all(|tool| {
            let run = Command::new(tool).arg("--version").output();
            run.is_ok_and(|run| run.status.success())
        })
    });
    if !*FOUND {
        anywarp_tests::report_skip("SPIR-V assembly: spirv-as and spirv-dis are not installed");
    }
    *FOUND
}

/// The output of a tool for an input.
pub(crate) fn run(tool: &str, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(tool)
        .args(arguments)
        .args(["-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("the tool ends")
    });
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The words that `spirv-as` assembles from a text.
pub(crate) fn assembled(text: &str) -> Result<Vec<u32>, String> {
    let bytes = run("spirv-as", &["--preserve-numeric-ids"], text.as_bytes())?;
    Ok(anywarp_spirv::words(&bytes).expect("whole words"))
}

/// The files of this repository with an extension, except build outputs.
pub(crate) fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str());
            if path.is_dir() && !path.is_symlink() {
                let is_ours = name.is_some_and(|name| name != "target" && !name.starts_with('.'));
                folders.extend(is_ours.then_some(path));
            } else if path.extension().is_some_and(|it| it == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The bytes of a module.
pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
