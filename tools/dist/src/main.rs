//! Packs the `anywarp` command for users without a Rust toolchain. `cargo xtask dist` builds the command and runs this.
//!
//! In: the command, the repository's folder, the target's name and a folder for results. Out:
//! `anywarp-VERSION-TARGET.tar.gz` and its SHA-256 checksum in the format of `sha256sum`. What always holds: the archive
//! was unpacked again into an empty folder, and the command in it has run a shader there with the expected result.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to its user"
)]

mod archive;
mod command;
mod contents;
mod licences;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A shader whose result is known, and what the command prints of it.
const PROBE: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = id.x * id.x; }";
const PROBE_RESULT: &str = "0:0 = [0, 1, 4, 9]";

/// Why there is no archive.
#[derive(Debug, thiserror::Error)]
enum DistError {
    #[error("usage: anywarp-dist COMMAND REPOSITORY TARGET OUT")]
    Usage,
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{command}` failed: {reason}")]
    Command { command: String, reason: String },
    #[error("cargo metadata failed: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    #[error("cargo metadata has no dependencies of {0}")]
    NoDependencies(&'static str),
    #[error("{0} has neither a licence in its manifest nor the text of one")]
    NoLicence(String),
    #[error("the packed command printed `{found}`, and should print `{PROBE_RESULT}`")]
    WrongResult { found: String },
}

fn main() -> ExitCode {
    match run() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the archive. The result is its path with the sizes of archive and command.
fn run() -> Result<String, DistError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, repository, target, out] = arguments.as_slice() else {
        return Err(DistError::Usage);
    };
    let (command, out) = (Path::new(command), Path::new(out));
    let name = format!("anywarp-{}-{target}", env!("CARGO_PKG_VERSION"));
    let staged = empty_folder(out.join(&name))?;
    contents::collect(command, Path::new(repository), target, &staged)?;
    let archive = out.join(format!("{name}.tar.gz"));
    archive::pack(&staged, &name, &archive)?;
    archive::write_checksum(&archive)?;
    remove(&staged)?;
    let executable = Path::new(&name).join(command.file_name().unwrap_or_default());
    try_out(&archive, out.join("unpacked"), &executable)?;
    Ok(format!(
        "{} ({:.1} MB, the command alone {:.1} MB)",
        archive.display(),
        megabytes(&archive)?,
        megabytes(command)?
    ))
}

/// Unpacks the archive into an empty folder and runs a shader with the command in it.
fn try_out(archive: &Path, folder: PathBuf, executable: &Path) -> Result<(), DistError> {
    let folder = empty_folder(folder)?;
    archive::unpack(archive, &folder)?;
    let folder = folder.canonicalize().map_err(about(&folder))?;
    // A folder without any other file.
    let empty = empty_folder(folder.join("empty"))?;
    let mut command = Command::new(folder.join(executable));
    command
        .args(["run", "-", "--out", "0:0=print:u32"])
        .current_dir(empty);
    let found = command::output(&mut command, PROBE)?;
    remove(&folder)?;
    if found.trim() == PROBE_RESULT {
        Ok(())
    } else {
        let found = found.trim().to_owned();
        Err(DistError::WrongResult { found })
    }
}

/// The folder without what an earlier run has left in it.
fn empty_folder(folder: PathBuf) -> Result<PathBuf, DistError> {
    if folder.exists() {
        remove(&folder)?;
    }
    fs::create_dir_all(&folder).map_err(about(&folder))?;
    Ok(folder)
}

fn remove(folder: &Path) -> Result<(), DistError> {
    fs::remove_dir_all(folder).map_err(about(folder))
}

fn megabytes(path: &Path) -> Result<f64, DistError> {
    let bytes = fs::metadata(path).map_err(about(path))?.len();
    Ok(bytes as f64 / 1e6)
}

/// The error of an operation on a file.
fn about(path: &Path) -> impl FnOnce(io::Error) -> DistError {
    let path = path.to_owned();
    move |source| DistError::File { path, source }
}
