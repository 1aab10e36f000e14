//! Runs rustdoc with its JSON output, which is unstable, on a stable toolchain.
//!
//! In: names of packages. Out: `target/doc/NAME.json`. Method: `RUSTC_BOOTSTRAP=1` allows unstable options. It must
//! reach rustdoc alone, because build scripts look at it, and all dependencies would be compiled anew: so cargo runs
//! this program as its rustdoc (`RUSTDOC`), which runs the real one.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::Outcome;
use crate::command::{cargo, output, run};

/// Set for this program as cargo's rustdoc, to the real rustdoc.
pub(crate) const WRAPPED: &str = "ANYWARP_RUSTDOC";

const JSON: [&str; 5] = [
    "-Z",
    "unstable-options",
    "--output-format",
    "json",
    // Public items may be re-exports of hidden modules.
    "--document-hidden-items",
];

/// Runs rustdoc with unstable options, with the arguments of this process.
pub(crate) fn run_rustdoc(rustdoc: &OsString) -> ExitCode {
    let mut rustdoc = unstable(rustdoc);
    match rustdoc.args(std::env::args_os().skip(1)).status() {
        Ok(status) => ExitCode::from(status.code().map_or(1, |code| code as u8)),
        Err(error) => {
            eprintln!("error: rustdoc did not start: {error}");
            ExitCode::FAILURE
        }
    }
}

fn unstable(rustdoc: &OsString) -> Command {
    let mut command = Command::new(rustdoc);
    command.env("RUSTC_BOOTSTRAP", "1");
    command
}

fn rustdoc() -> OsString {
    std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into())
}

/// Checks with an empty crate that the JSON of this toolchain is that which the library reads.
pub(super) fn check_format(target: &Path) -> Outcome {
    let folder = target.join("public-api");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let source = folder.join("empty.rs");
    fs::write(&source, "").map_err(failed)?;
    let mut document = unstable(&rustdoc());
    document
        .args(JSON)
        .arg("--out-dir")
        .arg(&folder)
        .arg(&source);
    run(&mut document)?;
    let json = fs::read_to_string(folder.join("empty.json")).map_err(failed)?;
    match format_version(&json) {
        Some(rustdoc_types::FORMAT_VERSION) => Ok(()),
        found => Err(wrong_format(found, &toolchain())),
    }
}

/// The member `format_version` of rustdoc's JSON.
fn format_version(json: &str) -> Option<u32> {
    let (_, rest) = json.split_once("\"format_version\":")?;
    let digits = rest
        .trim_start()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

fn wrong_format(found: Option<u32>, toolchain: &str) -> String {
    let found = found.map_or_else(
        || "no known format".to_owned(),
        |found| format!("format {found}"),
    );
    format!(
        "{toolchain} describes crates in {found}, but the library `public-api` of xtask reads format {}: the snapshots \
         cannot be compared. Use the toolchain of `rust-version` in Cargo.toml, or a version of `public-api` and \
         `rustdoc-types` in xtask/Cargo.toml that reads this format.",
        rustdoc_types::FORMAT_VERSION
    )
}

fn toolchain() -> String {
    let version = output(Command::new(rustdoc()).arg("--version"));
    version.unwrap_or_else(|_| "rustdoc".to_owned())
}

/// Documents packages with all features as JSON.
pub(super) fn document(root: &Path, packages: &[&str]) -> Outcome {
    let wrapper =
        std::env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
    let mut document = cargo();
    document
        .args(["doc", "--quiet", "--no-deps", "--lib", "--all-features"])
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .env("RUSTDOC", wrapper)
        .env("RUSTDOCFLAGS", JSON.join(" "))
        .env(WRAPPED, rustdoc())
        .current_dir(root);
    run(&mut document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_json_is_found() {
        assert_eq!(
            format_version(r#"{"paths":{},"format_version":57}"#),
            Some(57)
        );
        assert_eq!(format_version(r#"{"format_version": 9,"#), Some(9));
        assert_eq!(format_version("{}"), None);
        let message = wrong_format(Some(1), "rustdoc 1.0");
        assert!(
            message.starts_with("rustdoc 1.0 describes crates in format 1, but"),
            "{message}"
        );
    }
}
