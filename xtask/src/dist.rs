//! Builds the `anywarp` command for users without a Rust toolchain.
//!
//! In: the checkout. Out: an archive for this machine with its checksum in `target/dist`, made and tried out by
//! `tools/dist`.

use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::command::{cargo, output, run};
use crate::test::target_folder;

/// Builds and packs the command for this machine, which then runs what was packed.
pub(crate) fn dist(root: &Path) -> Outcome {
    let target = output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let target = target.trim();
    run(cargo().current_dir(root).args([
        "build",
        "--release",
        "--package",
        "anywarp-cli",
        "--target",
        target,
        "--config",
        "profile.release.strip=true",
    ]))?;
    let suffix = if target.contains("windows") {
        ".exe"
    } else {
        ""
    };
    let built = target_folder(root)?;
    let command = built
        .join(target)
        .join("release")
        .join(format!("anywarp{suffix}"));
    let out = built.join("dist");
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    run(cargo()
        .current_dir(root)
        .args(["run", "--quiet", "--package", "anywarp-dist", "--"])
        .args([&command, root])
        .arg(target)
        .arg(&out))
}
