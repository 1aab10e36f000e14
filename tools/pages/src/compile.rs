//! Compiles the WebAssembly of pages with cargo.
//!
//! In: names of packages. Out: for each the compiled library and the folder `www` next to its manifest. What always
//! holds: paths come from cargo, so target folders and profiles may be configured in any way that cargo supports.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Artifact, CrateType, Message, Metadata, MetadataCommand};

const TARGET: &str = "wasm32-unknown-unknown";

/// The profile of pages in the workspace's manifest.
const PROFILE: &str = "page";

/// The compiled package of a page.
#[derive(Clone, Debug)]
pub(crate) struct Wasm {
    /// The name of the library.
    pub(crate) name: String,
    /// The compiled library.
    pub(crate) path: PathBuf,
    /// The static files of the page.
    pub(crate) www: PathBuf,
}

/// Why a page was not compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Cargo did not start, or its output could not be read.
    #[error("cargo cannot be run: {0}")]
    Cargo(String),
    /// The build failed; cargo has printed the errors on stderr.
    #[error("the pages {packages} do not compile")]
    Failed {
        /// The requested packages.
        packages: String,
    },
    /// The workspace has no such package.
    #[error("there is no package `{0}` in the workspace")]
    NoPackage(String),
    /// The package has no `cdylib` library.
    #[error("package `{0}` is no page: it has no library of type cdylib")]
    NoLibrary(String),
    /// The package has no `index.html`.
    #[error("package `{package}` is no page: {} is not there", path.display())]
    NoIndex {
        /// The package.
        package: String,
        /// The missing file.
        path: PathBuf,
    },
}

/// Compiles packages; the results are in the order of their names.
pub(crate) fn compile(manifest: &Path, packages: &[&str]) -> Result<Vec<Wasm>, CompileError> {
    let folders = www_folders(manifest, packages)?;
    let artifacts = run_cargo(manifest, packages)?;
    let found = packages.iter().zip(folders).map(|(package, www)| {
        let library = artifacts
            .iter()
            .find_map(|artifact| library(artifact, &www));
        library.ok_or_else(|| CompileError::NoLibrary((*package).to_owned()))
    });
    found.collect()
}

fn metadata(manifest: &Path) -> Result<Metadata, CompileError> {
    let mut command = MetadataCommand::new();
    let metadata = command.manifest_path(manifest).no_deps().exec();
    metadata.map_err(|error| CompileError::Cargo(error.to_string()))
}

/// Cargo's target folder.
pub(crate) fn target_folder(manifest: &Path) -> Result<PathBuf, CompileError> {
    let metadata = metadata(manifest)?;
    Ok(metadata.target_directory.into_std_path_buf())
}

/// The folder `www` of each package.
fn www_folders(manifest: &Path, packages: &[&str]) -> Result<Vec<PathBuf>, CompileError> {
    let metadata = metadata(manifest)?;
    let folder = |package: &&str| {
        let mut known = metadata.packages.iter();
        let known = known.find(|known| known.name.as_str() == *package);
        let known = known.ok_or_else(|| CompileError::NoPackage((*package).to_owned()))?;
        let www = known
            .manifest_path
            .with_file_name("www")
            .into_std_path_buf();
        let path = www.join("index.html");
        if path.is_file() {
            Ok(www)
        } else {
            Err(CompileError::NoIndex {
                package: (*package).to_owned(),
                path,
            })
        }
    };
    packages.iter().map(folder).collect()
}

/// Compiles, with cargo's messages on stderr, and collects the artifacts.
fn run_cargo(manifest: &Path, packages: &[&str]) -> Result<Vec<Artifact>, CompileError> {
    let failed = |error: std::io::Error| CompileError::Cargo(error.to_string());
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--lib", "--target", TARGET, "--profile", PROFILE])
        .args(["--message-format", "json-render-diagnostics"])
        .arg("--manifest-path")
        .arg(manifest)
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = cargo.spawn().map_err(failed)?;
    let mut artifacts = Vec::new();
    if let Some(output) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(output)) {
            if let Message::CompilerArtifact(artifact) = message.map_err(failed)? {
                artifacts.push(artifact);
            }
        }
    }
    if child.wait().map_err(failed)?.success() {
        Ok(artifacts)
    } else {
        Err(CompileError::Failed {
            packages: packages.join(", "),
        })
    }
}

/// The page's library, if this is its artifact.
fn library(artifact: &Artifact, www: &Path) -> Option<Wasm> {
    let is_page = artifact.manifest_path.parent()?.as_std_path() == www.parent()?;
    let is_library = artifact.target.crate_types.contains(&CrateType::CDyLib);
    let mut files = artifact.filenames.iter();
    let path = files.find(|path| path.extension() == Some("wasm"))?;
    (is_page && is_library).then(|| Wasm {
        name: artifact.target.name.replace('-', "_"),
        path: path.clone().into_std_path_buf(),
        www: www.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{CompileError, www_folders};
    use std::path::Path;

    #[test]
    fn what_is_no_page_is_named() {
        let manifest = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let error = www_folders(manifest, &["no-such-package"]).unwrap_err();
        assert!(matches!(error, CompileError::NoPackage(_)), "{error}");
        let error = www_folders(manifest, &["anywarp-pages"]).unwrap_err();
        assert!(error.to_string().contains("index.html"), "{error}");
    }
}
