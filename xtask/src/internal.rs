//! Crates that are published but internal: other crates of the project alone may use them.
//!
//! In: the packages of the workspace. Out: a message for each internal package that does not say so on its page, and for
//! each dependency on one that accepts another version. What always holds: `package.metadata.anywarp.internal` in the
//! manifest is the only mark.

use std::fs;

use cargo_metadata::Package;

/// What README and documentation of an internal crate say.
const BANNER: &str = "This crate is an internal part of";

/// Whether a package is marked as internal.
pub(crate) fn is_internal(package: &Package) -> bool {
    package.metadata["anywarp"]["internal"] == true
}

/// Checks the banners of internal packages, and the dependencies on them.
pub(crate) fn check(packages: &[&Package]) -> Vec<String> {
    let internal: Vec<&Package> = packages
        .iter()
        .copied()
        .filter(|package| is_internal(package))
        .collect();
    let names: Vec<&str> = internal
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut complaints: Vec<String> = internal
        .iter()
        .flat_map(|package| banners(package))
        .collect();
    for package in packages {
        let dependencies = package.dependencies.iter().map(|dependency| {
            let requirement = dependency.req.to_string();
            (dependency.name.as_str(), requirement)
        });
        complaints.extend(inexact(package.name.as_str(), dependencies, &names));
    }
    complaints
}

/// The files of an internal package that lack the banner.
fn banners(package: &Package) -> Vec<String> {
    let Some(folder) = package.manifest_path.parent() else {
        return Vec::new();
    };
    let lacks = |file: &&str| {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        !text.contains(BANNER)
    };
    ["README.md", "src/lib.rs"]
        .into_iter()
        .filter(lacks)
        .map(|file| {
            format!(
                "{} is internal, but its {file} does not say so: `{BANNER} ..`",
                package.name
            )
        })
        .collect()
}

/// The dependencies of a package on internal ones that do not require an exact version.
fn inexact<'a>(
    package: &str,
    dependencies: impl Iterator<Item = (&'a str, String)>,
    internal: &[&str],
) -> Vec<String> {
    dependencies
        .filter(|(name, requirement)| internal.contains(name) && !requirement.starts_with('='))
        .map(|(name, requirement)| {
            format!("{package} depends on {name} {requirement}, which is internal and needs an exact version")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_versions_of_an_internal_crate_is_found() {
        let dependencies = [("lanes", "^0.1.0"), ("cpu", "=0.1.0"), ("serde", "^1")];
        let dependencies = dependencies.map(|(name, requirement)| (name, requirement.to_owned()));
        let found = inexact("compile", dependencies.into_iter(), &["lanes", "cpu"]);
        let expected =
            "compile depends on lanes ^0.1.0, which is internal and needs an exact version";
        assert_eq!(found, [expected]);
    }
}
