//! Opening files beneath a folder.
//!
//! In: a folder of the host, opened once, and relative paths without `..` from a guest. Out: an open regular file, or the
//! reason against it ([`Refusal`]). FIFOs, sockets, devices and folders are refused by the type of the handle, after
//! opening without waiting, so no check can be outdated by the time of the access.
//!
//! What always holds on Unix: every part of a path is resolved relative to a handle, so processes that rename folders or
//! replace them by links at the same time cannot lead outside. Elsewhere paths are checked before they are opened
//! (`by_path`), which cannot be promised there.

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

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// To write a file that exists.
    Write,
    /// To write a file, which is created if there is none.
    Create,
}

/// Why a file is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("there is no such file")]
    NotFound,
    #[error("the path is not allowed")]
    NotAllowed,
    #[error("it is {0}, not a regular file")]
    NotRegular(&'static str),
    #[error("it cannot be opened")]
    Failed,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::NotAllowed,
            _ => Self::Failed,
        }
    }
}

/// A folder that guests may reach.
#[derive(Debug)]
pub(super) struct Folder(Root);

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Root::open(path).map(Self)
    }

    /// Opens a regular file at a path inside the folder.
    pub(super) fn file(&self, path: &Path, access: Access) -> Result<File, Refusal> {
        let is_plain = |part| matches!(part, Component::Normal(_));
        if path.as_os_str().is_empty() || !path.components().all(is_plain) {
            return Err(Refusal::NotAllowed);
        }
        let file = self.0.file(path, access)?;
        let kind = file.metadata()?.file_type();
        if kind.is_file() {
            Ok(file)
        } else {
            Err(Refusal::NotRegular(name(kind)))
        }
    }
}

/// What a file that is not a regular one is called.
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
