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

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A shader whose result is known, and what the command prints of it.
const PROBE: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = id.x * id.x; }";
const PROBE_RESULT: &str = "0:0 = [0, 1, 4, 9]";

/// Files of the repository that belong into the archive.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Shells with completions, and the names of the files.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "anywarp.bash"),
    ("zsh", "_anywarp"),
    ("fish", "anywarp.fish"),
];

/// Why there is no archive.
#[derive(Debug, thiserror::Error)]
enum DistError {
    #[error("usage: anywarp-dist COMMAND REPOSITORY TARGET OUT")]
    Usage,
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{command}` failed: {reason}")]
    Command { command: String, reason: String },
    #[error("the packed command printed `{found}`, and should print `{PROBE_RESULT}`")]
    WrongResult { found: String },
}

fn main() -> ExitCode {
    match run() {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<PathBuf, DistError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, repository, target, out] = arguments.as_slice() else {
        return Err(DistError::Usage);
    };
    let (command, out) = (Path::new(command), Path::new(out));
    let name = format!("anywarp-{}-{target}", env!("CARGO_PKG_VERSION"));
    let staged = out.join(&name);
    // A leftover of an earlier run does not belong into the archive.
    if staged.exists() {
        fs::remove_dir_all(&staged).map_err(about(&staged))?;
    }
    stage(command, Path::new(repository), &staged)?;
    let archive = out.join(format!("{name}.tar.gz"));
    pack(&staged, &name, &archive)?;
    fs::remove_dir_all(&staged).map_err(about(&staged))?;
    write_checksum(&archive)?;
    let executable = command.file_name().unwrap_or_default();
    try_out(
        &archive,
        &out.join("unpacked"),
        &Path::new(&name).join(executable),
    )?;
    Ok(archive)
}

fn about(path: &Path) -> impl FnOnce(io::Error) -> DistError {
    let path = path.to_owned();
    move |source| DistError::File { path, source }
}

/// Collects the files of the archive in a folder.
fn stage(command: &Path, repository: &Path, folder: &Path) -> Result<(), DistError> {
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(about(&completions))?;
    let target = folder.join(command.file_name().unwrap_or_default());
    fs::copy(command, &target).map_err(about(command))?;
    for document in DOCUMENTS {
        let source = repository.join(document);
        fs::copy(&source, folder.join(document)).map_err(about(&source))?;
    }
    for (shell, file) in COMPLETIONS {
        let script = output(Command::new(command).args(["completions", shell]), "")?;
        let path = completions.join(file);
        fs::write(&path, script).map_err(about(&path))?;
    }
    output(Command::new(command).arg("man").arg(folder.join("man")), "")?;
    Ok(())
}

/// Packs a folder; files appear in the archive below `name`.
fn pack(folder: &Path, name: &str, archive: &Path) -> Result<(), DistError> {
    let file = File::create(archive).map_err(about(archive))?;
    let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    builder
        .append_dir_all(name, folder)
        .map_err(about(folder))?;
    let encoder = builder.into_inner().map_err(about(archive))?;
    encoder.finish().map(drop).map_err(about(archive))
}

/// Writes the checksum next to the archive, for `sha256sum --check`.
fn write_checksum(archive: &Path) -> Result<(), DistError> {
    let mut bytes = Vec::new();
    File::open(archive)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(about(archive))?;
    let digest = Sha256::digest(&bytes);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let path = archive.with_file_name(format!("{name}.sha256"));
    fs::write(&path, format!("{digest}  {name}\n")).map_err(about(&path))
}

/// Unpacks the archive into an empty folder and runs a shader with the command in it.
fn try_out(archive: &Path, folder: &Path, executable: &Path) -> Result<(), DistError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(about(folder))?;
    }
    fs::create_dir_all(folder).map_err(about(folder))?;
    let file = File::open(archive).map_err(about(archive))?;
    tar::Archive::new(GzDecoder::new(file))
        .unpack(folder)
        .map_err(about(archive))?;
    let folder_path = folder.canonicalize().map_err(about(folder))?;
    let mut command = Command::new(folder_path.join(executable));
    command
        .args(["run", "-", "--out", "0:0=print:u32"])
        .current_dir(&folder_path);
    let found = output(&mut command, PROBE)?;
    fs::remove_dir_all(folder).map_err(about(folder))?;
    if found.trim() == PROBE_RESULT {
        Ok(())
    } else {
        let found = found.trim().to_owned();
        Err(DistError::WrongResult { found })
    }
}

/// The standard output of a command that is given `input`.
fn output(command: &mut Command, input: &str) -> Result<String, DistError> {
    let name = format!("{command:?}");
    let failed = |reason: String| DistError::Command {
        command: name.clone(),
        reason,
    };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing may have ended already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(failed(output.status.to_string()))
    }
}
