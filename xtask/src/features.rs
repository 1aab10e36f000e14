//! Checks that crates compile with every choice of their features that people are likely to make.
//!
//! In: the packages of the workspace. Out: `cargo check` of the library of each package with features, without features
//! and with each feature alone. What always holds: warnings are errors, since an unused item often belongs to a feature.

use std::path::Path;

use cargo_metadata::MetadataCommand;

use crate::Outcome;
use crate::command::{cargo, run};

/// Features that only re-export another crate or turn on a feature of a dependency: they add no code that could break
/// alone, and each takes a minute, because all dependencies are compiled again.
const REEXPORTS: &[(&str, &[&str])] = &[(
    "anywarp",
    &["batch", "drivers", "full", "graph", "sdk", "wasm"],
)];

pub(crate) fn check(root: &Path) -> Outcome {
    for (package, features) in packages(root)? {
        let reexports = REEXPORTS.iter().find(|(name, _)| *name == package);
        let reexports = reexports.map_or(&[] as &[&str], |(_, features)| features);
        let own: Vec<String> = features
            .into_iter()
            .filter(|feature| !reexports.contains(&feature.as_str()))
            .collect();
        println!("{package}: {}", own.join(", "));
        check_library(root, &package, None)?;
        for feature in &own {
            check_library(root, &package, Some(feature))?;
        }
    }
    Ok(())
}

/// The packages with features besides `default`, and these features.
fn packages(root: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .map_err(|error| format!("cargo metadata failed: {error}"))?;
    let with_features = metadata.workspace_packages().into_iter().map(|package| {
        let names = package.features.keys();
        let features = names.filter(|name| *name != "default").cloned();
        (package.name.to_string(), features.collect::<Vec<_>>())
    });
    Ok(with_features
        .filter(|(_, features)| !features.is_empty())
        .collect())
}

fn check_library(root: &Path, package: &str, feature: Option<&str>) -> Outcome {
    let mut check = cargo();
    check
        .args(["clippy", "--quiet", "--lib", "--no-default-features"])
        .args(["--package", package])
        .args(feature.map(|feature| format!("--features={feature}")))
        .args(["--", "-D", "warnings"])
        .current_dir(root);
    run(&mut check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_with_features_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let packages = packages(root).unwrap();
        let spirv = packages.iter().find(|(name, _)| name == "anywarp-spirv");
        let (_, features) = spirv.expect("it has features");
        assert_eq!(features[..], ["spv-in", "spv-out"]);
    }
}
