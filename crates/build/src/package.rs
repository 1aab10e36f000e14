//! Reads `cargo metadata` of a kernel crate before it is compiled.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{BuildError, cargo};

/// The package that is compiled to a module.
pub(crate) struct Package {
    /// Whether it is marked `no_std`.
    pub(crate) is_no_std: bool,
}

/// The part of `cargo metadata` that is used here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<PackageData>,
}

#[derive(Deserialize)]
struct PackageData {
    manifest_path: PathBuf,
    targets: Vec<TargetData>,
}

#[derive(Deserialize)]
struct TargetData {
    crate_types: Vec<String>,
    src_path: PathBuf,
}

impl Package {
    /// Runs `cargo metadata` for the crate in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, BuildError> {
        let output = cargo(folder)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(BuildError::NoCargo)?;
        let wrong = |reason: String| BuildError::Manifest {
            folder: folder.to_owned(),
            reason,
        };
        if !output.status.success() {
            return Err(wrong(one_line(&String::from_utf8_lossy(&output.stderr))));
        }
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).map_err(|error| wrong(error.to_string()))?;
        let manifest = fs::canonicalize(folder.join("Cargo.toml")).ok();
        let package = metadata
            .packages
            .into_iter()
            .find(|package| fs::canonicalize(&package.manifest_path).ok() == manifest)
            .ok_or_else(|| BuildError::Workspace(folder.to_owned()))?;
        let library = package
            .targets
            .into_iter()
            .find(|target| target.crate_types.iter().any(|kind| kind == "cdylib"))
            .ok_or_else(|| BuildError::NoModule(folder.to_owned()))?;
        let source = fs::read_to_string(library.src_path).unwrap_or_default();
        Ok(Self {
            is_no_std: source.contains("no_std"),
        })
    }
}

/// The message of cargo without its headings and source excerpts.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let lines = lines.filter(|line| {
        let source = line.trim_start_matches(|c: char| c.is_ascii_digit());
        !line.is_empty() && *line != "Caused by:" && !source.trim_start().starts_with('|')
    });
    let lines: Vec<String> = lines
        .map(|line| line.replace("error: ", "").replace("--> ", "at "))
        .collect();
    lines.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_messages_become_one_line() {
        let message = "error: failed to parse manifest at `a`\n\nCaused by:\n  no targets\n";
        assert_eq!(
            one_line(message),
            "failed to parse manifest at `a`: no targets"
        );
        let pointing = "error: unclosed table\n --> Cargo.toml:1:9\n  |\n1 | [package\n  | ^\n";
        assert_eq!(one_line(pointing), "unclosed table: at Cargo.toml:1:9");
    }
}
