//! The files of the archive: the command, documents, licences, shell completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::output;
use crate::{DistError, about, licences};

/// Files of the repository that belong into the archive.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// The licences of the crates that are linked into the command.
const THIRD_PARTY: &str = "LICENSES-THIRD-PARTY.txt";

/// Shells with completions, and the names of the files.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "anywarp.bash"),
    ("zsh", "_anywarp"),
    ("fish", "anywarp.fish"),
];

/// Collects the files in a folder. `target` is the platform of the command.
pub(super) fn collect(
    command: &Path,
    repository: &Path,
    target: &str,
    folder: &Path,
) -> Result<(), DistError> {
    let executable = folder.join(command.file_name().unwrap_or_default());
    fs::copy(command, &executable).map_err(about(command))?;
    for document in DOCUMENTS {
        let source = repository.join(document);
        fs::copy(&source, folder.join(document)).map_err(about(&source))?;
    }
    let path = folder.join(THIRD_PARTY);
    fs::write(&path, licences::of_dependencies(repository, target)?).map_err(about(&path))?;
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(about(&completions))?;
    for (shell, file) in COMPLETIONS {
        let script = output(Command::new(command).args(["completions", shell]), "")?;
        let path = completions.join(file);
        fs::write(&path, script).map_err(about(&path))?;
    }
    output(Command::new(command).arg("man").arg(folder.join("man")), "").map(drop)
}
