//! Validates WGSL with Tint, the WGSL compiler of Chromium.
//!
//! In: named modules. Out: Tint's message about each module that it rejects. Tint runs in a browser, and the browser
//! driver takes long to compile, so the program `tint` of the package `anywarp-browser-tests` runs it. A run of all tests
//! of the workspace has built that program already; if it is missing, it is built.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A module that Tint rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The name that the caller gave the module.
    pub name: String,
    /// Tint's first error.
    pub message: String,
}

/// Validates named modules; `None`, and a reported skip, without a browser.
///
/// # Panics
///
/// If the program `tint` cannot be built, or fails.
pub fn rejections(what: &str, modules: &[(String, String)]) -> Option<Vec<Rejection>> {
    let mut tint = Command::new(program())
        .arg(what)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`tint` starts");
    let input = tint.stdin.take().expect("standard input is a pipe");
    // It reads everything before it writes.
    serde_json::to_writer(input, modules).expect("`tint` reads the modules");
    let output = tint.wait_with_output().expect("`tint` ends");
    assert!(output.status.success(), "{what}: `tint` failed, see above");
    let rejected: Option<Vec<(String, String)>> =
        serde_json::from_slice(&output.stdout).expect("`tint` writes JSON");
    let rejection = |(name, message)| Rejection { name, message };
    rejected.map(|rejected| rejected.into_iter().map(rejection).collect())
}

/// Validates named modules, and fails unless Tint accepts all of them.
///
/// # Panics
///
/// If Tint rejects a module, or the program `tint` fails.
pub fn assert_accepted(what: &str, modules: &[(String, String)]) {
    let rejected = rejections(what, modules).unwrap_or_default();
    assert!(rejected.is_empty(), "{what}: {rejected:#?}");
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // The executables of tests are in the folder `deps` next to the programs.
        let test = std::env::current_exe().expect("a test knows its path");
        let folder = test
            .parent()
            .and_then(Path::parent)
            .expect("deps has a parent");
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
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--package=anywarp-browser-tests", "--bin=tint"])
        .args(["--profile", profile, "--target-dir"])
        .arg(
            folder
                .parent()
                .expect("the folder of a profile has a parent"),
        )
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(
        status.expect("cargo starts").success(),
        "the program `tint` is built"
    );
}
