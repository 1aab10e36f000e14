//! File access of kernels, restricted to the folders that the caller allows.
//!
//! With several folders the first one that has the file wins; a new file is created in the first folder that has its
//! parent directory, as on the engines for WebAssembly.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::intrinsics::FileError;

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::NotAllowed,
            _ => Self::Failed,
        }
    }
}

/// The first folder's result that is not "not found".
fn first<T>(
    folders: &[PathBuf],
    find: impl Fn(&Path) -> Result<T, FileError>,
) -> Result<T, FileError> {
    if folders.is_empty() {
        return Err(FileError::NotAllowed);
    }
    let mut found = folders.iter().map(|folder| find(folder));
    let found = found.find(|found| !matches!(found, Err(FileError::NotFound)));
    found.unwrap_or(Err(FileError::NotFound))
}

/// Resolves a kernel's path; an error if the file is outside the folder.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, FileError> {
    let folder = folder.canonicalize()?;
    let path = Path::new(path);
    let is_plain = |part| matches!(part, Component::Normal(_));
    if !path.components().all(is_plain) {
        return Err(FileError::NotAllowed);
    }
    let name = path.file_name().ok_or(FileError::NotAllowed)?;
    // A symbolic link must not lead outside, neither in a parent folder nor as the file itself.
    let parent = folder.join(path.parent().unwrap_or(Path::new("")));
    let file = parent.canonicalize()?.join(name);
    let target = match file.canonicalize() {
        Ok(target) => target,
        // Creating the file would follow a dangling link.
        Err(_) if file.is_symlink() => return Err(FileError::NotAllowed),
        Err(_) => file,
    };
    if target.starts_with(&folder) {
        Ok(target)
    } else {
        Err(FileError::NotAllowed)
    }
}

pub(super) fn read(
    folders: &[PathBuf],
    path: &str,
    mut buffer: &mut [u8],
) -> Result<usize, FileError> {
    let mut file = first(folders, |folder| Ok(fs::File::open(inside(folder, path)?)?))?;
    let room = buffer.len();
    while !buffer.is_empty() {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(read) => buffer = &mut buffer[read..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(room - buffer.len())
}

pub(super) fn write(folders: &[PathBuf], path: &str, bytes: &[u8]) -> Result<usize, FileError> {
    let existing = first(folders, |folder| {
        let file = inside(folder, path)?;
        file.try_exists()?
            .then_some(file)
            .ok_or(FileError::NotFound)
    });
    let file = match existing {
        Err(FileError::NotFound) => first(folders, |folder| inside(folder, path))?,
        found => found?,
    };
    fs::write(file, bytes)?;
    Ok(bytes.len())
}
