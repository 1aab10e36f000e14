//! Builds the `anywarp` command for users without a Rust toolchain.
//!
//! In: a target, by default this machine. Out: an archive with its checksum in `target/dist`, made and tried out by
//! `tools/dist`.

use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::command::{cargo, output, run};

/// Builds and packs the command; `--target TRIPLE` for another machine than this one.
pub(crate) fn dist(root: &Path, arguments: &[&str]) -> Outcome {
    let host;
    let target = match arguments {
        [] => {
            host = output(Command::new("rustc").args(["--print", "host-tuple"]))?;
            host.trim()
        }
        ["--target", target] => target,
        _ => return Err("dist takes --target TRIPLE, or nothing".to_owned()),
    };
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
    let built =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
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
