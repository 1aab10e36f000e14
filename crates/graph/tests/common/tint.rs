//! Validates modules with Tint.
//!
//! Tint runs in a browser, and the browser driver takes long to compile. So a separate program of
//! the package of all tests runs it: this package and its benchmarks do not depend on it. Tests of
//! the whole workspace have built that program already; if it is missing, it is built.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // Tests are in a folder beside the programs.
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().and_then(Path::parent).unwrap();
        let program = folder
            .join("tint")
            .with_extension(std::env::consts::EXE_EXTENSION);
        if !program.exists() {
            build(folder);
        }
        program
    })
}

/// Builds the program into the folder, which is named after the profile.
fn build(folder: &Path) {
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "anywarp-tests", "--bin", "tint"]);
    cargo.args(["--profile", profile, "--target-dir"]);
    cargo.arg(folder.parent().unwrap());
    let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.unwrap().success(), "the program `tint` is built");
}

/// Validates named modules with Tint, and fails unless it accepts all of them.
pub(crate) fn assert_taken(what: &str, modules: &[(String, String)]) {
    let tint = Command::new(program())
        .arg(what)
        .stdin(Stdio::piped())
        .spawn();
    let mut tint = tint.unwrap();
    let input = tint.stdin.take().unwrap();
    serde_json::to_writer(input, modules).unwrap();
    assert!(tint.wait().unwrap().success(), "{what}: see above");
}
