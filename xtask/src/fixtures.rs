//! `cargo xtask fixtures`: compiles the programs that the tests of `crates/wasm` run.
//!
//! In: the sources in `crates/wasm/tests/fixtures`. Out: a `.wasm` file next to each. They are committed, so that the
//! tests need no compiler for wasm32 and use the same bytes everywhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::command;
use crate::prerequisites;

const FOLDER: &str = "crates/wasm/tests/fixtures";

/// The stack size in bytes, which should be small: each thread has its own memory.
const STACK: u32 = 4096;

/// A package with a module that is built twice, by `cargo build` with and without `--release`.
const PANICS: &str = "panics";

/// The kernels of the examples.
const KERNELS: &str = "examples/kernels";

pub(crate) fn build(root: &Path) -> Outcome {
    prerequisites::install_target(prerequisites::TARGET);
    let folder = root.join(FOLDER);
    let modules = compile(root, &folder, &["--examples"])?.join("debug/examples");
    for source in sources(&folder)? {
        let module = source.with_extension("wasm");
        let name = module.file_name().unwrap_or_default();
        if modules.join(name).exists() {
            copy(&modules.join(name), &module)?;
            println!("{}", module.display());
        }
    }
    for (profile, options) in [("debug", &[][..]), ("release", &["--release"])] {
        let modules = compile(root, &folder.join(PANICS), options)?.join(profile);
        let module = folder.join(format!("{PANICS}_{profile}.wasm"));
        copy(&modules.join(PANICS).with_extension("wasm"), &module)?;
        println!("{}", module.display());
    }
    // With the same options as `anywarp build`.
    let options = [
        "--release",
        "--lib",
        "--config=profile.release.debug=false",
        "--config=profile.release.panic=\"abort\"",
    ];
    let modules = cargo_build(root, &root.join(KERNELS), &options)?.join("release");
    let module = folder.join("kernels.wasm");
    copy(&modules.join("kernels.wasm"), &module)?;
    println!("{}", module.display());
    Ok(())
}

/// Compiles a package with the dependency versions of the workspace, and returns the output folder for wasm32.
fn compile(root: &Path, package: &Path, options: &[&str]) -> Result<PathBuf, String> {
    let lock = package.join("Cargo.lock");
    copy(&root.join("Cargo.lock"), &lock)?;
    let built = cargo_build(root, package, options);
    // The workspace's lock file is used, so this one is not committed.
    fs::remove_file(&lock).map_err(|error| format!("cannot remove {}: {error}", lock.display()))?;
    built
}

fn cargo_build(root: &Path, package: &Path, options: &[&str]) -> Result<PathBuf, String> {
    let target = root.join("target/fixtures");
    command::run(
        command::cargo()
            .args(["build", "--target", prerequisites::TARGET])
            .args(options)
            .arg("--target-dir")
            .arg(&target)
            .current_dir(package)
            .env(
                "RUSTFLAGS",
                // Keeps the path of the repository out of the modules.
                format!(
                    "-Clink-arg=-zstack-size={STACK} --remap-path-prefix={}=.",
                    root.display()
                ),
            ),
    )?;
    Ok(target.join(prerequisites::TARGET))
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    Ok(files)
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let bytes =
        fs::read(from).map_err(|error| format!("cannot read {}: {error}", from.display()))?;
    fs::write(to, bytes).map_err(|error| format!("cannot write {}: {error}", to.display()))
}
