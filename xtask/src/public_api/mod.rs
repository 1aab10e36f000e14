//! `cargo xtask public-api`: compares the public API of each published crate with its snapshot.
//!
//! In: the published library crates, and `docs/public-api/CRATE.txt`, one line for each public
//! item. Out: an error with the lines that were removed and added, or with `ANYWARP_BLESS=1` new snapshots. Method:
//! rustdoc describes each crate as JSON (`rustdoc`), and the crate `public-api` lists its items. The JSON format has a
//! version, which belongs to the toolchain; another one than the library reads is an error before anything is built.
//!
//! What always holds: hidden items (`#[doc(hidden)]`) and blanket implementations are not part of a snapshot, except that
//! what a public item re-exports of a hidden module or of an internal crate is listed like an item of its own (`items`).

mod items;
mod rustdoc;

pub(crate) use rustdoc::{WRAPPED, run_rustdoc};

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::{MetadataCommand, Package};

use crate::Outcome;
use crate::internal::is_internal;
use items::Listings;

/// The folder of the snapshots.
const FOLDER: &str = "docs/public-api";

pub(crate) fn check(root: &Path) -> Outcome {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let libraries: Vec<&Package> = metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| is_published(package) && library(package).is_some())
        .collect();
    let target = metadata.target_directory.as_std_path();
    rustdoc::check_format(target)?;
    let all: Vec<&str> = libraries
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    rustdoc::document(root, &all)?;

    let mut listings = Listings::default();
    let mut internal = BTreeSet::new();
    for package in &libraries {
        let name = name_in_code(package);
        listings.add(&name, &target.join("doc").join(format!("{name}.json")))?;
        if is_internal(package) {
            internal.insert(name);
        }
    }
    let packages: Vec<&Package> = libraries
        .into_iter()
        .filter(|package| !is_internal(package))
        .collect();
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let is_blessed = std::env::var_os("ANYWARP_BLESS").is_some();
    let folder = root.join(FOLDER);
    let mut complaints = stale(&folder, &names, is_blessed)?;
    for package in &packages {
        let items = listings.items(&name_in_code(package), &internal);
        println!("{}: {} lines", package.name, items.lines().count());
        let snapshot = folder.join(format!("{}.txt", package.name));
        complaints.extend(compare(&snapshot, &package.name, &items, is_blessed)?);
    }
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nIf these changes are intended, write them with `ANYWARP_BLESS=1 cargo xtask public-api`, and name them in \
         CHANGELOG.md.",
        complaints.join("\n")
    ))
}

fn is_published(package: &Package) -> bool {
    !package.publish.as_ref().is_some_and(Vec::is_empty)
}

/// The name of a package's library.
fn library(package: &Package) -> Option<&str> {
    let mut targets = package.targets.iter();
    let target = targets.find(|target| target.is_lib() || target.is_proc_macro())?;
    Some(&target.name)
}

/// The name of a package's library in code, and of its JSON.
fn name_in_code(package: &Package) -> String {
    let name = library(package).unwrap_or(&package.name);
    name.replace('-', "_")
}

/// Snapshots of crates that are gone; deleted if `is_blessed`.
fn stale(folder: &Path, names: &[&str], is_blessed: bool) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut complaints = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if names.contains(&&*stem) {
            continue;
        }
        if is_blessed {
            fs::remove_file(&path).map_err(failed)?;
        } else {
            complaints.push(format!("{FOLDER}/{stem}.txt belongs to no published crate"));
        }
    }
    Ok(complaints)
}

/// The difference to a snapshot, if there is one; written if `is_blessed`.
fn compare(
    snapshot: &Path,
    name: &str,
    items: &str,
    is_blessed: bool,
) -> Result<Option<String>, String> {
    let before = fs::read_to_string(snapshot).unwrap_or_default();
    if before == items {
        return Ok(None);
    }
    if is_blessed {
        let failed = |error: std::io::Error| format!("{}: {error}", snapshot.display());
        fs::write(snapshot, items).map_err(failed)?;
        return Ok(None);
    }
    Ok(Some(difference(name, &before, items)))
}

/// The lines that were removed and added. Items are sorted, so a line that moves says nothing.
fn difference(name: &str, before: &str, after: &str) -> String {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let removed = before.iter().filter(|line| !after.contains(line));
    let added = after.iter().filter(|line| !before.contains(line));
    let mut text = format!("the public API of {name} has changed:");
    for line in removed {
        text += &format!("\n- {line}");
    }
    for line in added {
        text += &format!("\n+ {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_what_was_removed_and_added() {
        let (before, after) = (
            "pub fn a::b()\npub fn a::c()\n",
            "pub fn a::b(u32)\npub fn a::c()\n",
        );
        assert_eq!(
            difference("a", before, after),
            "the public API of a has changed:\n- pub fn a::b()\n+ pub fn a::b(u32)"
        );
    }

    #[test]
    fn a_snapshot_is_compared_and_written() {
        let folder =
            std::env::temp_dir().join(format!("anywarp-public-api-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.txt");
        let found = compare(&file, "a", "pub mod a\n", false).unwrap();
        assert_eq!(
            found.as_deref(),
            Some("the public API of a has changed:\n+ pub mod a")
        );
        assert_eq!(compare(&file, "a", "pub mod a\n", true), Ok(None));
        assert_eq!(compare(&file, "a", "pub mod a\n", false), Ok(None));
        assert_eq!(stale(&folder, &["a"], false), Ok(Vec::new()));
        assert_eq!(stale(&folder, &[], false).unwrap().len(), 1);
        assert_eq!(stale(&folder, &[], true), Ok(Vec::new()));
        assert!(!file.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
