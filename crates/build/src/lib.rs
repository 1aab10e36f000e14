//! Compiles kernel crates to WebAssembly with the installed Rust compiler.
//!
//! In: the folder of a crate with `crate-type = ["cdylib"]`. Out: the path of its module, compiled with optimisation,
//! without debug information, and with a small stack, since each thread has its own memory. Function names are kept
//! for messages.
//!
//! If the compiler has no standard library for wasm32, but a compiler on the path has the library's sources, the
//! standard library is compiled too (`-Zbuild-std`).
//!
//! In a build script, with `anywarp-build` among the build dependencies:
//!
//! ```no_run
//! // build.rs
//! let module = anywarp_build::build("kernels".as_ref(), anywarp_build::STACK)?;
//! println!("cargo::rerun-if-changed=kernels");
//! println!("cargo::rustc-env=KERNELS={}", module.display());
//! # Ok::<(), anywarp_build::BuildError>(())
//! ```
//!
//! The crate then loads the module with `include_bytes!(env!("KERNELS"))`.

#![forbid(unsafe_code)]

mod package;
mod toolchain;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use package::Package;
use toolchain::Toolchain;

/// The compilation target of kernels.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Default size of a kernel's stack in bytes.
pub const STACK: u32 = 16 << 10;

/// Why a kernel crate could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The folder contains no crate.
    #[error("{} has no Cargo.toml: give the folder of a kernel crate", .0.display())]
    NoCrate(PathBuf),
    /// The folder contains a workspace without a package of its own.
    #[error("{} is a workspace without a crate of its own: give the folder of one of its crates", .0.display())]
    Workspace(PathBuf),
    /// Cargo cannot read the crate's manifest.
    #[error("{} is not a crate that can be built: {reason}", folder.display())]
    Manifest {
        /// The crate's folder.
        folder: PathBuf,
        /// Cargo's message.
        reason: String,
    },
    /// Cargo is not installed.
    #[error("cargo cannot be started ({0}): kernels need a Rust toolchain, see https://rustup.rs")]
    NoCargo(std::io::Error),
    /// The compiler has no standard library for wasm32.
    #[error(
        "the Rust toolchain cannot compile for {TARGET}: run `rustup target add {TARGET}`; \
         the sources of the standard library and a linker will do too: \
         `rustup component add rust-src`, or your system's packages"
    )]
    NoTarget,
    /// The crate does not compile; cargo has printed the errors.
    #[error("{} does not compile for {TARGET}", .0.display())]
    Failed(PathBuf),
    /// The crate compiles, but not to a WebAssembly module.
    #[error(
        "{} gives no module: its Cargo.toml needs `[lib] crate-type = [\"cdylib\"]`", .0.display()
    )]
    NoModule(PathBuf),
}

/// Compiles a kernel crate and returns the path of its module. The compiler's messages go to stderr.
///
/// # Errors
///
/// If the toolchain or its target is missing, or the crate does not compile to a module.
pub fn build(folder: &Path, stack: u32) -> Result<PathBuf, BuildError> {
    if !folder.join("Cargo.toml").is_file() {
        return Err(BuildError::NoCrate(folder.to_owned()));
    }
    let package = Package::read(folder)?;
    let toolchain = Toolchain::find(folder).ok_or(BuildError::NoTarget)?;
    let mut cargo = cargo(folder);
    toolchain.apply(&mut cargo, &package);
    // In a build script these are the flags of the crate being built, not of the kernel.
    if env::var_os("OUT_DIR").is_some() {
        cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
    }
    let output = cargo
        .args(["rustc", "--release", "--lib", "--target", TARGET])
        .args(["--message-format", "json-render-diagnostics"])
        .args(["--config", "profile.release.debug=false"])
        .args(["--config", "profile.release.panic=\"abort\""])
        // Not in RUSTFLAGS, which belong to the user.
        .args(["--", &format!("-Clink-arg=-zstack-size={stack}")])
        .stderr(Stdio::inherit())
        .output()
        .map_err(BuildError::NoCargo)?;
    if !output.status.success() {
        return Err(BuildError::Failed(folder.to_owned()));
    }
    module(&output.stdout).ok_or_else(|| BuildError::NoModule(folder.to_owned()))
}

/// Whether the installed toolchain can compile for [`TARGET`].
#[must_use]
pub fn has_target() -> bool {
    Toolchain::find(Path::new(".")).is_some()
}

/// Cargo in the crate's folder, so that the configuration files there apply.
fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(program("CARGO", "cargo"));
    cargo.current_dir(folder).stdin(Stdio::null());
    cargo
}

/// The program named by an environment variable, or `name`.
fn program(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}

/// A message of cargo; only those about finished artifacts matter.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// The last module that cargo reports: dependencies are reported before it.
fn module(messages: &[u8]) -> Option<PathBuf> {
    let lines = messages.split(|&byte| byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<Message>(line).ok());
    messages
        .filter(|message| message.reason == "compiler-artifact")
        .flat_map(|message| message.filenames)
        .rfind(|file| {
            file.extension()
                .is_some_and(|extension| extension == "wasm")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_found_among_cargos_messages() {
        let messages = br#"{"reason":"compiler-artifact","filenames":["libglam.rlib"]}
            {"reason":"compiler-message","message":{}}
            {"reason":"compiler-artifact","filenames":["liba.rlib","a.wasm"]}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(module(messages), Some("a.wasm".into()));
        assert_eq!(
            module(b"{\"reason\":\"compiler-artifact\"}\nnonsense"),
            None
        );
    }

    #[test]
    fn a_folder_without_a_crate_is_named() {
        let error = build(Path::new("src"), STACK).unwrap_err();
        assert!(matches!(error, BuildError::NoCrate(_)), "{error}");
    }
}
