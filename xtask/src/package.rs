//! Checks the package that each crate would publish.
//!
//! In: the workspace's publishable crates. Out: a message for each package that lacks a required file or field, that
//! contains a file it should not, or that breaks the rules of internal crates (`internal`). Then all packages are made and unpacked into one workspace, where they are compiled
//! from their own files with all features: `cargo package` alone would compile the dependencies again for each of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::{MetadataCommand, Package};

use crate::Outcome;
use crate::command::{cargo, output, run as execute};
use crate::internal;

/// Larger than any source file: only a picture or recording added by mistake exceeds it.
const MAX_FILE_BYTES: u64 = 1 << 20;

pub(crate) fn run(root: &Path) -> Outcome {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let mut complaints = Vec::new();
    let mut packages = Vec::new();
    for package in metadata.workspace_packages() {
        if package.publish.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let name = package.name.as_str();
        packages.push((name.to_owned(), package.version.to_string()));
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
        let size = |file: &str| fs::metadata(folder.join(file)).map_or(0, |file| file.len());
        complaints.extend(check_files(name, &files, size));
        complaints.extend(check_manifest(package));
    }
    complaints.extend(internal::check(&metadata.workspace_packages()));
    if !complaints.is_empty() {
        return Err(complaints.join("\nerror: "));
    }
    println!("compiling the packages");
    compile(root, metadata.target_directory.as_std_path(), &packages)
}

/// Makes the packages, unpacks them next to each other, and compiles them.
fn compile(root: &Path, target: &Path, packages: &[(String, String)]) -> Outcome {
    let mut make = cargo();
    make.args(["package", "--quiet", "--allow-dirty", "--no-verify"])
        .args(packages.iter().flat_map(|(name, _)| ["--package", name]))
        .current_dir(root);
    execute(&mut make)?;
    let folder = target.join("packages");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    // A file that a package no longer has must not be found from the last time.
    for (name, version) in packages {
        let unpacked = folder.join(format!("{name}-{version}"));
        if unpacked.exists() {
            fs::remove_dir_all(&unpacked).map_err(failed)?;
        }
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, version) in packages {
        let package = target.join(format!("package/{name}-{version}.crate"));
        let mut unpack = Command::new("tar");
        unpack.arg("-xzf").arg(package).arg("-C").arg(&folder);
        execute(&mut unpack)?;
    }
    fs::write(folder.join("Cargo.toml"), workspace(packages)).map_err(failed)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed)?;
    let mut check = cargo();
    check
        .args(["check", "--quiet", "--workspace", "--all-features"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .current_dir(&folder);
    execute(&mut check)
}

/// The manifest of a workspace in which packages depend on each other's unpacked files.
fn workspace(packages: &[(String, String)]) -> String {
    let folders = packages
        .iter()
        .map(|(name, version)| (name, format!("{name}-{version}")));
    let members: Vec<String> = folders
        .clone()
        .map(|(_, folder)| format!("\"{folder}\""))
        .collect();
    let patches: Vec<String> = folders
        .map(|(name, folder)| format!("{name} = {{ path = \"{folder}\" }}"))
        .collect();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[patch.crates-io]\n{}\n",
        members.join(", "),
        patches.join("\n")
    )
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

/// The fields of a manifest that crates.io shows, and whether the package has them.
fn fields(package: &Package) -> [(&'static str, bool); 7] {
    let has = |field: &Option<String>| field.as_ref().is_some_and(|text| !text.is_empty());
    [
        ("description", has(&package.description)),
        ("license", has(&package.license)),
        ("readme", package.readme.is_some()),
        ("keywords", !package.keywords.is_empty()),
        ("categories", !package.categories.is_empty()),
        ("repository", has(&package.repository)),
        ("rust-version", package.rust_version.is_some()),
    ]
}

fn check_manifest(package: &Package) -> Vec<String> {
    let missing = fields(package).into_iter().filter(|(_, is_set)| !is_set);
    missing
        .map(|(field, _)| format!("{} has no {field} in its manifest", package.name))
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
    }

    /// A package as `cargo metadata` describes it.
    fn package(fields: serde_json::Value) -> Package {
        let mut package = serde_json::json!({
            "name": "a", "version": "0.1.0", "id": "a", "source": null, "dependencies": [], "targets": [],
            "features": {}, "manifest_path": "/a/Cargo.toml", "edition": "2024", "authors": [],
        });
        for (name, value) in fields.as_object().unwrap() {
            package[name] = value.clone();
        }
        serde_json::from_value(package).unwrap()
    }

    #[test]
    fn manifests_have_what_crates_io_shows() {
        let all = serde_json::json!({
            "description": "what it does", "license": "MIT", "readme": "README.md", "keywords": ["gpu"],
            "categories": ["graphics"], "repository": "https://a.b", "rust_version": "1.95",
        });
        assert!(check_manifest(&package(all.clone())).is_empty());
        for (field, name) in [
            ("description", "description"),
            ("license", "license"),
            ("readme", "readme"),
            ("keywords", "keywords"),
            ("categories", "categories"),
            ("repository", "repository"),
            ("rust_version", "rust-version"),
        ] {
            let mut some = all.clone();
            some.as_object_mut().unwrap().remove(field);
            let complaints = check_manifest(&package(some));
            assert_eq!(complaints, [format!("a has no {name} in its manifest")]);
        }
    }
}
