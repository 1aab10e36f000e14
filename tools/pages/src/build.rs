//! Builds pages: from packages to folders that can be served.

use std::path::{Path, PathBuf};

use crate::bind::{self, BindError};
use crate::compile::{CompileError, compile, target_folder};
use crate::files::{FilesError, copy_folder, empty_folder};

/// A page: its package and its output folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The name of the package.
    pub package: String,
    /// The folder for its files, which can be served after the build.
    pub folder: PathBuf,
}

impl Page {
    /// The page of a package, in cargo's target folder.
    pub fn in_target_folder(manifest: &Path, package: &str) -> Result<Self, PageError> {
        Ok(Self {
            package: package.to_owned(),
            folder: target_folder(manifest)?.join("pages").join(package),
        })
    }
}

/// Why a page cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// Cargo failed, or there is no such page.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The bindings cannot be generated.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Builds pages.
///
/// They are compiled together, so that their common dependencies are compiled once. An earlier page in a folder is
/// deleted. `manifest` is the `Cargo.toml` of the workspace.
pub fn build(manifest: &Path, pages: &[Page]) -> Result<(), PageError> {
    let packages: Vec<_> = pages.iter().map(|page| page.package.as_str()).collect();
    for (page, wasm) in pages.iter().zip(compile(manifest, &packages)?) {
        empty_folder(&page.folder)?;
        copy_folder(&wasm.www, &page.folder)?;
        bind::bind(&wasm, &page.folder)?;
    }
    Ok(())
}
