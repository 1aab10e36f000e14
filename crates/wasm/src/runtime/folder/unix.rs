//! Sandboxed file access on Unix, relative to directory handles.
//!
//! On Linux 5.6 and later the kernel resolves the path: `openat2` with `RESOLVE_BENEATH` and
//! `RESOLVE_NO_MAGICLINKS`. Relative links that stay inside are followed; absolute links, links
//! that lead outside and magic links (`/proc/self/fd`) are rejected. Where `openat2` is missing
//! (older kernels, seccomp filters, other systems) every part of the path is opened relative to the
//! one before it with `O_NOFOLLOW`, and all links are rejected.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::{OpenError, OpenMode};

/// Attempts when the kernel cannot determine whether a concurrent rename led outside.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ATTEMPTS: u32 = 16;

/// An open directory.
#[derive(Debug)]
pub(super) struct Root {
    handle: OwnedFd,
}

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { handle })
    }

    /// Opens a file of any type, without blocking on a FIFO.
    pub(super) fn file(&self, path: &Path, open_mode: OpenMode) -> Result<File, OpenError> {
        let opened = self.beneath(path, flags(open_mode), mode(open_mode));
        opened.map(File::from).map_err(open_error)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn beneath(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..ATTEMPTS {
            match openat2(&self.handle, path, flags, mode, resolve) {
                Err(Errno::AGAIN) => {}
                // Seccomp filters of older containers forbid system calls that they do not know.
                Err(Errno::NOSYS | Errno::PERM) => return self.by_component(path, flags, mode),
                result => return result,
            }
        }
        Err(Errno::AGAIN)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn beneath(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        self.by_component(path, flags, mode)
    }

    /// Opens the path component by component, without following links.
    pub(super) fn by_component(
        &self,
        path: &Path,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd, Errno> {
        let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut folder: Option<OwnedFd> = None;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let at = folder.as_ref().unwrap_or(&self.handle).as_fd();
            let part = Path::new(part.as_os_str());
            if parts.peek().is_none() {
                return openat(at, part, flags | OFlags::NOFOLLOW, mode);
            }
            let next = openat(at, part, folder_flags, Mode::empty());
            folder = Some(next.map_err(|error| link_error(at, part, error))?);
        }
        Err(Errno::NOENT)
    }
}

/// With `O_NOFOLLOW`, a link in place of a directory gives `ENOTDIR`; `statat` distinguishes it
/// from a file.
fn link_error(at: BorrowedFd<'_>, part: &Path, error: Errno) -> Errno {
    let is_link = || {
        let stat = statat(at, part, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    };
    if error == Errno::NOTDIR && is_link() {
        Errno::LOOP
    } else {
        error
    }
}

fn flags(open_mode: OpenMode) -> OFlags {
    let always = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match open_mode {
        OpenMode::Read => always | OFlags::RDONLY,
        OpenMode::Write => always | OFlags::WRONLY,
        OpenMode::Create => always | OFlags::WRONLY | OFlags::CREATE,
    }
}

fn mode(open_mode: OpenMode) -> Mode {
    match open_mode {
        OpenMode::Create => Mode::from_raw_mode(0o666),
        OpenMode::Read | OpenMode::Write => Mode::empty(),
    }
}

fn open_error(error: Errno) -> OpenError {
    match error {
        Errno::NOENT => OpenError::NotFound,
        Errno::ACCESS | Errno::PERM | Errno::XDEV | Errno::LOOP => OpenError::NotAllowed,
        // A FIFO without a reader, or a socket.
        Errno::NXIO => OpenError::NotRegular("a FIFO or a socket"),
        Errno::ISDIR => OpenError::NotRegular("a folder"),
        _ => OpenError::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a path component by component, as on a kernel without `openat2`.
    fn by_component(root: &Root, path: &str) -> Result<OwnedFd, OpenError> {
        let flags = flags(OpenMode::Read);
        let opened = root.by_component(Path::new(path), flags, Mode::empty());
        opened.map_err(open_error)
    }

    #[test]
    fn without_openat2_every_link_is_refused() {
        let path =
            std::env::temp_dir().join(format!("anywarp-by-component-{}", std::process::id()));
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        std::fs::write(path.join("a/b/file"), b"x").unwrap();
        std::os::unix::fs::symlink("a", path.join("link")).unwrap();
        std::os::unix::fs::symlink("file", path.join("a/b/file-link")).unwrap();
        let root = Root::open(&path).unwrap();
        assert!(by_component(&root, "a/b/file").is_ok());
        for link in ["link/b/file", "a/b/file-link"] {
            let refused = by_component(&root, link).unwrap_err();
            assert_eq!(refused, OpenError::NotAllowed, "{link}");
        }
        let refused = |path| by_component(&root, path).unwrap_err();
        assert_eq!(refused("a/missing/file"), OpenError::NotFound);
        assert_eq!(refused("a/b/file/file"), OpenError::Failed);
        std::fs::remove_dir_all(path).unwrap();
    }
}
