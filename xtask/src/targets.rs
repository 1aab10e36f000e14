//! Checks that the crates compile for other platforms.
//!
//! In: the packages in `crates/`. Out: `cargo check` of all of them for each operating system and architecture, and
//! of those that run in browsers for wasm32. Dev-dependencies are left out, so no C library of the target is needed.
//! What always holds: a target that cannot be installed is an error.

use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::Outcome;
use crate::command::{cargo, run};
use crate::prerequisites::{TARGET, has_target, install_target};

/// Platforms with an operating system: every crate compiles for them.
const MACHINES: &[&str] = &[
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-gnu",
];

/// Crates that need threads, processes or executable memory, which browsers do not provide.
const NOT_FOR_BROWSERS: &[&str] = &[
    "anywarp",
    "anywarp-adapter",
    "anywarp-build",
    "anywarp-cli",
    "anywarp-codegen",
    "anywarp-compile",
    "anywarp-cpu",
    "anywarp-dispatch",
];

pub(crate) fn check(root: &Path) -> Outcome {
    let packages = packages(root)?;
    let all: Vec<_> = packages.iter().map(String::as_str).collect();
    for target in MACHINES {
        check_for(root, target, &all)?;
    }
    check_for(root, TARGET, &for_browsers(&all))
}

/// The packages in `crates/`.
fn packages(root: &Path) -> Result<Vec<String>, String> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let is_crate = |package: &&cargo_metadata::Package| {
        let folder = package
            .manifest_path
            .parent()
            .and_then(|folder| folder.parent());
        folder.is_some_and(|folder| folder == root.join("crates"))
    };
    Ok(metadata
        .workspace_packages()
        .into_iter()
        .filter(is_crate)
        .map(|package| package.name.to_string())
        .collect())
}

fn for_browsers<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    let belongs = |package: &&&str| !NOT_FOR_BROWSERS.contains(*package);
    packages.iter().filter(belongs).copied().collect()
}

fn check_for(root: &Path, target: &str, packages: &[&str]) -> Outcome {
    install_target(target);
    if !has_target(target) {
        return Err(format!(
            "the compile target {target} is missing; install it: rustup target add {target}"
        ));
    }
    println!("{target}: {} crates", packages.len());
    let mut check = cargo();
    check
        .args(["check", "--quiet", "--target", target])
        .current_dir(root);
    for package in packages {
        check.args(["--package", package]);
    }
    run(&mut check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_is_checked() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folders = std::fs::read_dir(root.join("crates")).unwrap();
        let packages = packages(root).unwrap();
        assert_eq!(packages.len(), folders.count());
        let all: Vec<_> = packages.iter().map(String::as_str).collect();
        assert!(all.contains(&"anywarp-cpu"));
        let browsers = for_browsers(&all);
        assert!(browsers.contains(&"anywarp-program"));
        assert_eq!(browsers.len() + NOT_FOR_BROWSERS.len(), all.len());
    }
}
