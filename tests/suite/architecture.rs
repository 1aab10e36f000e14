//! Checks the dependencies between crates and the ban on `unsafe` against ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::fs;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Every crate and the workspace crates that it may depend on. Dev-dependencies are unrestricted.
const ARROWS: &[(&str, &[&str])] = &[
    ("anywarp-program", &[]),
    ("anywarp-texture", &[]),
    ("anywarp-execution", &["anywarp-program", "anywarp-texture"]),
    (
        "anywarp-interpret",
        &["anywarp-program", "anywarp-execution", "anywarp-texture"],
    ),
    ("anywarp-lanes", &["anywarp-program", "anywarp-execution"]),
    ("anywarp-codegen", &["anywarp-lanes"]),
    (
        "anywarp-compile",
        &[
            "anywarp-program",
            "anywarp-execution",
            "anywarp-lanes",
            "anywarp-codegen",
        ],
    ),
    (
        "anywarp-cpu",
        &[
            "anywarp-program",
            "anywarp-execution",
            "anywarp-interpret",
            "anywarp-compile",
            "anywarp-lanes",
            "anywarp-codegen",
            "anywarp-texture",
        ],
    ),
    (
        "anywarp-adapter",
        &["anywarp-program", "anywarp-cpu", "anywarp-texture"],
    ),
    ("anywarp-batch", &[]),
    (
        "anywarp-graph",
        &["anywarp-graph-macros", "anywarp-program"],
    ),
    ("anywarp-graph-macros", &[]),
    ("anywarp-spirv", &["anywarp-program"]),
    ("anywarp-spirv-bench", &[]),
    ("anywarp-wgsl-writer", &["anywarp-program"]),
    ("anywarp-resources", &[]),
    ("anywarp-wasm", &["anywarp-resources"]),
    ("anywarp-dispatch", &[]),
    (
        "gpu-sdk",
        &["anywarp-dispatch", "anywarp-resources", "gpu-sdk-macros"],
    ),
    ("gpu-sdk-macros", &[]),
    (
        "anywarp",
        &[
            "anywarp-program",
            "anywarp-cpu",
            "anywarp-adapter",
            "anywarp-batch",
            "anywarp-graph",
            "anywarp-spirv",
            "anywarp-texture",
            "anywarp-wasm",
            "anywarp-wgsl-writer",
            "gpu-sdk",
        ],
    ),
    ("anywarp-build", &[]),
    (
        "anywarp-cli",
        &[
            "anywarp",
            "anywarp-adapter",
            "anywarp-batch",
            "anywarp-build",
            "anywarp-cpu",
            "anywarp-graph",
            "anywarp-program",
            "anywarp-spirv",
            "anywarp-texture",
            "anywarp-wasm",
            "anywarp-wgsl-writer",
        ],
    ),
    (
        "anywarp-tests",
        &[
            "anywarp",
            "anywarp-program",
            "anywarp-interpret",
            "anywarp-lanes",
            "anywarp-codegen",
            "anywarp-cpu",
            "anywarp-adapter",
            "anywarp-graph",
            "anywarp-spirv",
            "anywarp-test-support",
            "anywarp-texture",
            "anywarp-wasm",
            "anywarp-wgsl-writer",
        ],
    ),
    (
        "anywarp-browser-tests",
        &["anywarp-pages", "anywarp-test-support"],
    ),
    ("anywarp-test-support", &[]),
    ("anywarp-pages", &[]),
    ("batch-page", &["anywarp-batch"]),
    ("mandelbrot", &["anywarp-adapter", "anywarp-batch"]),
    ("mandelbrot-page", &["mandelbrot"]),
    ("kernels", &["gpu-sdk"]),
    (
        "three-ways",
        &["anywarp", "anywarp-build", "gpu-sdk", "kernels"],
    ),
    ("anywarp-dist", &[]),
    ("anywarp-native-bench", &[]),
    ("xtask", &[]),
];

/// Crates that may contain `unsafe` code; every block has a comment on its soundness.
const MAY_BE_UNSAFE: &[&str] = &[
    "anywarp-adapter",
    "anywarp-codegen",
    "anywarp-cpu",
    "anywarp-dispatch",
];

/// How a crate root forbids `unsafe`. The second form is for the crate that kernels import: on wasm32 it declares the
/// functions of its host, and natively it has no exception.
const FORBIDS: &[&str] = &[
    "#![forbid(unsafe_code)]",
    "#![cfg_attr(not(target_arch = \"wasm32\"), forbid(unsafe_code))]",
];

fn workspace() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata describes the workspace")
}

/// The workspace crates that a package depends on, without dev-dependencies.
fn arrows(package: &Package, ours: &BTreeSet<String>) -> Vec<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.clone())
        .filter(|name| ours.contains(name))
        .collect()
}

#[test]
fn arrows_point_one_way() {
    let metadata = workspace();
    let packages = metadata.workspace_packages();
    let ours: BTreeSet<_> = packages
        .iter()
        .map(|package| package.name.to_string())
        .collect();
    let listed: BTreeSet<_> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        ours, listed,
        "the table of arrows lists exactly the crates there are"
    );

    for package in packages {
        let name = package.name.as_str();
        let (_, allowed) = ARROWS.iter().find(|(listed, _)| *listed == name).unwrap();
        for dependency in arrows(package, &ours) {
            let is_allowed = allowed.contains(&dependency.as_str());
            assert!(is_allowed, "{name} must not depend on {dependency}");
        }
    }
}

/// In each crate root, because a crate cannot override single entries of the workspace's lint table.
#[test]
fn unsafe_is_forbidden_outside_the_crates_that_need_it() {
    for package in workspace().workspace_packages() {
        // Unpublished packages (tests, chores) are exempt.
        let is_published = package.publish.is_none();
        if !is_published || MAY_BE_UNSAFE.contains(&package.name.as_str()) {
            continue;
        }
        let roots = package
            .targets
            .iter()
            .filter(|target| target.is_lib() || target.is_bin() || target.is_proc_macro());
        for root in roots {
            let text = fs::read_to_string(&root.src_path).unwrap();
            let forbids = text.lines().any(|line| FORBIDS.contains(&line));
            assert!(forbids, "{} lacks #![forbid(unsafe_code)]", root.src_path);
        }
    }
}
