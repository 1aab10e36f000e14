//! File access of kernels, restricted to one folder.

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

/// Resolves a kernel's path; an error if there is no folder or the file is outside it.
fn inside(folder: Option<&Path>, path: &str) -> Result<PathBuf, FileError> {
    let folder = folder.ok_or(FileError::NotAllowed)?.canonicalize()?;
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
    folder: Option<&Path>,
    path: &str,
    mut buffer: &mut [u8],
) -> Result<usize, FileError> {
    let mut file = fs::File::open(inside(folder, path)?)?;
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

pub(super) fn write(folder: Option<&Path>, path: &str, bytes: &[u8]) -> Result<usize, FileError> {
    fs::write(inside(folder, path)?, bytes)?;
    Ok(bytes.len())
}
