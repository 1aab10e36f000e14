//! Sandboxed file access: opens files beneath a folder.
//!
//! In: a folder of the host, opened once, and relative paths without `..` from a guest. Out: an
//! open regular file, or an [`OpenError`]. FIFOs, sockets, devices and directories are rejected by
//! the file type of the open handle; opening does not block.
//!
//! What always holds on Unix: every part of a path is resolved relative to a handle, so processes
//! that rename directories or replace them by links at the same time cannot lead outside. Elsewhere
//! (`by_path`) paths are checked before they are opened, which leaves a race.

#[cfg(any(not(unix), test))]
mod by_path;
#[cfg(unix)]
mod unix;

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Component, Path};

#[cfg(not(unix))]
use by_path::Root;
#[cfg(unix)]
use unix::Root;

/// The access mode of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenMode {
    Read,
    /// Write an existing file.
    Write,
    /// Write a file; create it if it does not exist.
    Create,
}

/// Why a file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OpenError {
    #[error("there is no such file")]
    NotFound,
    #[error("the path is not allowed")]
    NotAllowed,
    #[error("it is {0}, not a regular file")]
    NotRegular(&'static str),
    #[error("it cannot be opened")]
    Failed,
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::NotAllowed,
            _ => Self::Failed,
        }
    }
}

/// A folder that guests may access.
#[derive(Debug)]
pub(super) struct Folder(Root);

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Root::open(path).map(Self)
    }

    /// Opens a regular file at a path inside the folder.
    pub(super) fn file(&self, path: &Path, open_mode: OpenMode) -> Result<File, OpenError> {
        let is_plain = |part| matches!(part, Component::Normal(_));
        if path.as_os_str().is_empty() || !path.components().all(is_plain) {
            return Err(OpenError::NotAllowed);
        }
        let file = self.0.file(path, open_mode)?;
        let kind = file.metadata()?.file_type();
        if kind.is_file() {
            Ok(file)
        } else {
            Err(OpenError::NotRegular(name(kind)))
        }
    }
}

/// The name of a file type that is not a regular file.
fn name(kind: std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else {
        "a special file"
    }
}
