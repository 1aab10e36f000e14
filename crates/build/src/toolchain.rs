//! Selects the compiler for kernel crates, and its standard library.
//!
//! In: the compiler that cargo would use, and all compilers on the path. Out: cargo's compiler if it has a standard
//! library for wasm32; otherwise the first compiler with the library's sources, from which cargo compiles it.
//! Debian's packages need the latter. Stable compilers reject `-Zbuild-std`, so `RUSTC_BOOTSTRAP=1` is set.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::Package;
use crate::{TARGET, program};

/// Linkers for wasm32 besides those bundled with toolchains.
const LINKERS: [&str; 2] = ["rust-lld", "wasm-ld"];

/// How a crate is compiled for wasm32.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Toolchain {
    /// With the installed standard library.
    Installed,
    /// With a standard library compiled from its sources.
    Sources {
        /// The compiler.
        rustc: PathBuf,
        /// The linker, if the compiler does not find one by itself.
        linker: Option<PathBuf>,
    },
}

impl Toolchain {
    /// The toolchain that works for the crate in a folder.
    pub(crate) fn find(folder: &Path) -> Option<Self> {
        let first = PathBuf::from(program("RUSTC", "rustc"));
        let libraries = ask(
            &first,
            folder,
            &["--print", "target-libdir", "--target", TARGET],
        );
        if libraries.is_some_and(|libraries| Path::new(&libraries).exists()) {
            return Some(Self::Installed);
        }
        let compilers: Vec<PathBuf> = std::iter::once(first).chain(on_path("rustc")).collect();
        let sysroots = compilers
            .iter()
            .filter_map(|rustc| Some((rustc, sysroot(rustc, folder)?)));
        let sysroots: Vec<(&PathBuf, PathBuf)> = sysroots.collect();
        let (rustc, own) = sysroots
            .iter()
            .find(|(_, sysroot)| sysroot.join("lib/rustlib/src/rust/library/core").is_dir())?;
        let linker = match bundled_linker(own) {
            Some(_) => None,
            None => Some(linker(&sysroots)?),
        };
        Some(Self::Sources {
            rustc: (*rustc).clone(),
            linker,
        })
    }

    /// Adds the arguments and environment variables to a cargo command.
    pub(crate) fn apply(&self, cargo: &mut Command, package: &Package) {
        let Self::Sources { rustc, linker } = self else {
            return;
        };
        let libraries = if package.is_no_std {
            "-Zbuild-std=core,alloc,panic_abort"
        } else {
            "-Zbuild-std=std,panic_abort"
        };
        cargo
            .arg(libraries)
            .env("RUSTC", rustc)
            .env("RUSTC_BOOTSTRAP", "1");
        if let Some(linker) = linker {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
    }
}

/// A linker bundled with another compiler, or one on the path.
fn linker(sysroots: &[(&PathBuf, PathBuf)]) -> Option<PathBuf> {
    let bundled = sysroots
        .iter()
        .find_map(|(_, sysroot)| bundled_linker(sysroot));
    bundled.or_else(|| {
        LINKERS
            .iter()
            .find_map(|name| on_path(name).into_iter().next())
    })
}

/// The linker bundled with a compiler.
fn bundled_linker(sysroot: &Path) -> Option<PathBuf> {
    let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).ok()?;
    let linkers = hosts.flatten().map(|host| host.path().join("bin/rust-lld"));
    linkers
        .map(|linker| linker.with_extension(env::consts::EXE_EXTENSION))
        .find(|linker| linker.is_file())
}

fn sysroot(rustc: &Path, folder: &Path) -> Option<PathBuf> {
    ask(rustc, folder, &["--print", "sysroot"]).map(PathBuf::from)
}

/// The trimmed output of a compiler that is run with `question` as its arguments.
fn ask(rustc: &Path, folder: &Path, question: &[&str]) -> Option<String> {
    let output = Command::new(rustc)
        .args(question)
        .current_dir(folder)
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

/// All programs of this name on the path.
fn on_path(name: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let files = env::split_paths(&path).map(|folder| folder.join(name));
    files
        .map(|file| file.with_extension(env::consts::EXE_EXTENSION))
        .filter(|file| file.is_file())
        .collect()
}
