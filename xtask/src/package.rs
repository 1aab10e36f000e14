//! Checks the package that each crate would publish.
//!
//! In: the workspace's publishable crates. Out: a message for each package that lacks a required file or field, or
//! that contains a file it should not; then `cargo package` of all of them, which compiles each package from its own
//! files, in the order of their dependencies.

use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::Outcome;
use crate::command::{self, cargo, output};

/// Larger than any source file: only a picture or recording added by mistake exceeds it.
const MAX_FILE_BYTES: u64 = 1 << 20;

pub(crate) fn run(root: &Path) -> Outcome {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let mut complaints = Vec::new();
    let mut all = cargo();
    all.args(["package", "--quiet", "--allow-dirty"])
        .current_dir(root);
    for package in metadata.workspace_packages() {
        if package.publish.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let name = package.name.as_str();
        all.args(["--package", name]);
        let mut list = cargo();
        list.args([
            "package",
            "--quiet",
            "--list",
            "--allow-dirty",
            "--package",
            name,
        ])
        .current_dir(root);
        let files = output(&mut list)?;
        let files: Vec<_> = files.lines().collect();
        println!("{name}: {} files", files.len());

        let folder = package
            .manifest_path
            .parent()
            .map_or(root, |folder| folder.as_std_path());
        let size = |file: &str| std::fs::metadata(folder.join(file)).map_or(0, |file| file.len());
        complaints.extend(check_files(name, &files, size));
        complaints.extend(check_manifest(name, &package.description, &package.license));
    }
    if !complaints.is_empty() {
        return Err(complaints.join("\nerror: "));
    }
    println!("compiling the packages");
    command::run(&mut all)
}

fn check_files(name: &str, files: &[&str], size: impl Fn(&str) -> u64) -> Vec<String> {
    let mut complaints = Vec::new();
    for needed in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        if !files.contains(&needed) {
            complaints.push(format!("{name} would be published without {needed}"));
        }
    }
    if !["src/lib.rs", "src/main.rs"]
        .iter()
        .any(|root| files.contains(root))
    {
        complaints.push(format!("{name} would be published without src/lib.rs"));
    }
    for file in files {
        if file.starts_with('/') || file.split('/').any(|part| part == "..") {
            complaints.push(format!("{name} would publish {file}, which is not its own"));
        }
        if size(file) > MAX_FILE_BYTES {
            complaints.push(format!(
                "{name} would publish {file}, which is over {MAX_FILE_BYTES} bytes"
            ));
        }
    }
    complaints
}

fn check_manifest(
    name: &str,
    description: &Option<String>,
    license: &Option<String>,
) -> Vec<String> {
    let fields = [("description", description), ("license", license)];
    let missing = fields.iter().filter(|(_, value)| value.is_none());
    missing
        .map(|(field, _)| format!("{name} has no {field} in its manifest"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_package_passes() {
        for root in ["src/lib.rs", "src/main.rs"] {
            let files = [
                "Cargo.toml",
                "README.md",
                "LICENSE-MIT",
                "LICENSE-APACHE",
                root,
            ];
            assert!(check_files("a", &files, |_| 10).is_empty());
        }
        assert!(check_manifest("a", &Some(String::new()), &Some(String::new())).is_empty());
    }

    #[test]
    fn each_fault_is_named() {
        let files = [
            "Cargo.toml",
            "README.md",
            "LICENSE-MIT",
            "../b.rs",
            "big.bin",
        ];
        let faults = check_files("a", &files, |file| u64::from(file == "big.bin") << 30);
        assert_eq!(faults.len(), 4);
        assert!(faults[0].contains("LICENSE-APACHE"));
        assert!(faults[1].contains("src/lib.rs"));
        assert!(faults[2].contains("../b.rs"));
        assert!(faults[3].contains("big.bin"));
        assert_eq!(check_manifest("a", &None, &None).len(), 2);
    }
}
