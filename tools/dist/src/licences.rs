//! The licences of the crates that are linked into the command.
//!
//! In: the workspace's dependency graph. Out: one text with each licence and the crates that come under it, as their
//! licences demand of those who distribute binaries. What always holds: every crate that the command depends on on this
//! platform is listed, with the texts that it contains or else the licence that its manifest names; a crate without
//! either is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

use crate::{DistError, about};

/// The package of the command.
const COMMAND: &str = "anywarp-cli";

/// Beginnings of the names of files with licences.
const LICENCE_FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// A crate with the texts of its licences.
struct Licensed {
    /// Name, version and licence.
    title: String,
    texts: Vec<String>,
}

/// The licences of all dependencies of the command.
pub(super) fn of_dependencies(repository: &Path, target: &str) -> Result<String, DistError> {
    let metadata = MetadataCommand::new()
        .current_dir(repository)
        .other_options(["--filter-platform".to_owned(), target.to_owned()])
        .exec()?;
    let linked = linked(&metadata).ok_or(DistError::NoDependencies(COMMAND))?;
    let is_foreign = |package: &&&Package| package.source.is_some();
    let packages = metadata
        .packages
        .iter()
        .filter(|package| linked.contains(&package.id));
    let crates: Result<Vec<Licensed>, DistError> = packages
        .collect::<Vec<_>>()
        .iter()
        .filter(is_foreign)
        .map(|package| licensed(package))
        .collect();
    Ok(listed(&crates?))
}

/// The packages that are linked into the command: its dependencies at any depth, except those of tests and builds.
fn linked(metadata: &Metadata) -> Option<BTreeSet<&PackageId>> {
    let resolve = metadata.resolve.as_ref()?;
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_command = |package: &&Package| package.name == COMMAND;
    let mut open = vec![&metadata.packages.iter().find(is_command)?.id];
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !linked.insert(id) {
            continue;
        }
        let is_linked = |dependency: &&cargo_metadata::NodeDep| {
            let mut kinds = dependency.dep_kinds.iter();
            kinds.any(|kind| kind.kind == DependencyKind::Normal)
        };
        let dependencies = nodes.get(id)?.deps.iter().filter(is_linked);
        open.extend(dependencies.map(|dependency| &dependency.pkg));
    }
    Some(linked)
}

/// The licences of a package: the files next to its manifest.
fn licensed(package: &Package) -> Result<Licensed, DistError> {
    let name = format!("{} {}", package.name, package.version);
    let folder = package
        .manifest_path
        .parent()
        .map_or(Path::new(""), |folder| folder.as_std_path());
    let entries = fs::read_dir(folder).map_err(about(folder))?;
    let paths: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(about(folder))?;
    paths.retain(|path| path.is_file() && is_licence(path));
    paths.sort();
    let texts: Result<Vec<_>, _> = paths
        .iter()
        .map(|path| fs::read_to_string(path).map_err(about(path)))
        .collect();
    let texts = texts?;
    let licence = match (&package.license, texts.is_empty()) {
        (Some(licence), _) => licence.as_str(),
        (None, false) => "see below",
        (None, true) => return Err(DistError::NoLicence(name)),
    };
    Ok(Licensed {
        title: format!("{name}: {licence}"),
        texts,
    })
}

fn is_licence(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    LICENCE_FILES.iter().any(|begin| name.starts_with(begin))
}

/// All crates by name, then each different text with the crates that contain it.
fn listed(crates: &[Licensed]) -> String {
    let mut titles: Vec<&str> = crates
        .iter()
        .map(|licensed| licensed.title.as_str())
        .collect();
    titles.sort_unstable();
    let mut by_text: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for licensed in crates {
        for text in &licensed.texts {
            let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
            by_text
                .entry(lines.join("\n"))
                .or_default()
                .push(&licensed.title);
        }
    }
    let mut list = "The command contains these crates:\n\n".to_owned();
    list.push_str(&titles.join("\n"));
    for (text, mut titles) in by_text {
        titles.sort_unstable();
        let rule = "=".repeat(100);
        // Writing into a string cannot fail.
        let _ = write!(list, "\n\n{rule}\n{}\n\n{text}", titles.join("\n"));
    }
    list.push('\n');
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_listed_once() {
        let licensed = |title: &str, text: &str| Licensed {
            title: title.to_owned(),
            texts: vec![text.to_owned()],
        };
        let list = listed(&[
            licensed("b 1.0.0: MIT", "Permission\r\nis granted\n"),
            licensed("c 1.0.0: Zlib", "As is"),
            licensed("a 2.0.0: MIT", "Permission\nis granted"),
        ]);
        let (titles, texts) = list.split_once("\n\n===").unwrap();
        assert!(
            titles.ends_with("a 2.0.0: MIT\nb 1.0.0: MIT\nc 1.0.0: Zlib"),
            "{list}"
        );
        assert!(
            texts.contains("a 2.0.0: MIT\nb 1.0.0: MIT\n\nPermission\nis granted\n"),
            "{list}"
        );
        assert_eq!(list.matches("Permission").count(), 1);
        assert_eq!(list.matches("As is").count(), 1);
    }

    #[test]
    fn dependencies_of_the_command_are_listed_and_those_of_tests_are_not() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let list = of_dependencies(&repository, "x86_64-unknown-linux-gnu").unwrap();
        for name in ["clap", "naga", "wgpu", "regalloc2"] {
            assert!(list.contains(&format!("\n{name} ")), "{name}");
        }
        for name in ["headless_chrome", "criterion", "windows-sys", "anywarp"] {
            assert!(!list.contains(&format!("\n{name} ")), "{name}");
        }
    }

    #[test]
    fn files_with_licences_are_known_by_their_names() {
        for (name, expected) in [
            ("LICENSE-MIT", true),
            ("license.txt", true),
            ("COPYING", true),
            ("NOTICE.md", true),
            ("README.md", false),
            ("Cargo.toml", false),
        ] {
            assert_eq!(is_licence(Path::new(name)), expected, "{name}");
        }
    }
}
