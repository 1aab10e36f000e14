//! Opens regular files inside allowed folders, by handle (path sandboxing).
//!
//! In: the folder of a graph file, further folders that the caller allows, and a path from the
//! graph file. Out: an open regular file inside one of them. A path is relative to the graph file;
//! an absolute path, or one that leaves through `..`, must lie in one of the further folders.
//! Symbolic links are followed as long as they stay inside.
//!
//! Linux resolves the path in the kernel, with `openat2` and `RESOLVE_BENEATH |
//! RESOLVE_NO_MAGICLINKS`: no other process can replace a folder by a link between a check and the
//! opening (no TOCTOU race). Other Unix systems, and kernels without `openat2` (before 5.6, or
//! under a system call filter), open one component after the other with `O_NOFOLLOW`: this has no
//! race either, but rejects every link. Elsewhere the canonical path is compared and then opened:
//! there a process that replaces a folder by a link at the right moment can lead outside.
//!
//! What always holds: opening never blocks (a FIFO is rejected, not opened until a writer comes),
//! and the checks apply to the open file, not to its path.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The message for a path outside the allowed folders.
const OUTSIDE: &str = "it is outside the folder of the graph file; allow its folder with `--allow-dir` (`FileOptions::folders`)";

/// The folders that a graph file may name files in.
pub(super) struct AllowedFolders<'a> {
    own: &'a Path,
    allowed: &'a [PathBuf],
}

impl<'a> AllowedFolders<'a> {
    /// The folder of a graph file, and further folders that the caller allows.
    pub(super) fn new(own: &'a Path, allowed: &'a [PathBuf]) -> Self {
        Self { own, allowed }
    }

    /// Opens a file that a graph file names.
    pub(super) fn open(&self, file: &Path) -> io::Result<File> {
        let own = if self.own.as_os_str().is_empty() {
            Path::new(".")
        } else {
            self.own
        };
        match without_parents(file) {
            Some(path) if file.is_relative() => open_beneath(own, &path),
            _ => self.open_allowed(&own.join(file)),
        }
    }

    /// Opens a file in the first allowed folder that is a prefix of its path.
    fn open_allowed(&self, file: &Path) -> io::Result<File> {
        let file = without_parents(&std::path::absolute(file)?).ok_or_else(outside)?;
        for folder in self.allowed {
            let whole = without_parents(&std::path::absolute(folder)?);
            if let Some(path) =
                whole.and_then(|whole| file.strip_prefix(whole).ok().map(Path::to_owned))
            {
                return open_beneath(folder, &path);
            }
        }
        Err(outside())
    }
}

/// Normalizes a path without `.` and `..`; `None` if it leaves through `..`.
fn without_parents(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    let mut depth = 0_usize;
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                depth = depth.checked_sub(1)?;
                plain.pop();
            }
            Component::Normal(name) => {
                depth += 1;
                plain.push(name);
            }
            Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    Some(plain)
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, OUTSIDE)
}

/// Opens a regular file inside a folder. The path has neither `..` nor a root.
fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    let file = open(folder, path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;

    /// Flags with which a FIFO opens at once, and a terminal does not become the controlling
    /// terminal.
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY);
    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::DIRECTORY);

    pub(super) fn open(folder: &Path, path: &Path) -> io::Result<File> {
        let folder = rustix::fs::open(folder, FOLDER, Mode::empty())?;
        #[cfg(target_os = "linux")]
        match in_kernel(&folder, path) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(Errno::XDEV) => return Err(super::outside()),
            opened => return Ok(opened?.into()),
        }
        step_by_step(folder, path)
    }

    #[cfg(target_os = "linux")]
    fn in_kernel(folder: &OwnedFd, path: &Path) -> rustix::io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        // The kernel returns `EAGAIN` if a folder was renamed while it resolved `..` in a link.
        for _ in 0..64 {
            match rustix::fs::openat2(folder, path, FILE, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// Opens one component after the other without following links.
    pub(super) fn step_by_step(folder: OwnedFd, path: &Path) -> io::Result<File> {
        let mut at = folder;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let kind = match parts.peek() {
                Some(_) => FOLDER,
                None => FILE,
            };
            let flags = kind | OFlags::NOFOLLOW;
            at = rustix::fs::openat(&at, part.as_os_str(), flags, Mode::empty()).map_err(
                |error| match error {
                    // The last component, or a folder of the path, is a link.
                    Errno::LOOP | Errno::MLINK => io::Error::other("it is a link"),
                    error => error.into(),
                },
            )?;
        }
        Ok(at.into())
    }
}

#[cfg(unix)]
use unix::open;

/// Compares canonical paths, then opens: a link that is created in between is followed.
#[cfg(not(unix))]
fn open(folder: &Path, path: &Path) -> io::Result<File> {
    let folder = folder.canonicalize()?;
    let file = folder.join(path).canonicalize()?;
    if !file.starts_with(&folder) {
        return Err(outside());
    }
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_resolved_in_the_path_itself() {
        let plain = |path: &str| without_parents(Path::new(path));
        assert_eq!(plain("a/./b/../c"), Some(PathBuf::from("a/c")));
        assert_eq!(plain("../a"), None);
        assert_eq!(plain("a/../../b"), None);
        assert_eq!(plain("/a/../b"), Some(PathBuf::from("/b")));
    }

    /// The fallback of older kernels and other systems.
    #[cfg(unix)]
    #[test]
    fn without_openat2_no_link_is_followed() {
        let folder = std::env::temp_dir().join(format!("anywarp-beneath-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a")).unwrap();
        std::fs::write(folder.join("a/file"), "text").unwrap();
        std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
        std::os::unix::fs::symlink("file", folder.join("a/link")).unwrap();
        let open = |path: &str| {
            let folder = File::open(&folder).unwrap().into();
            unix::step_by_step(folder, Path::new(path)).map(drop)
        };
        assert!(open("a/file").is_ok());
        for path in ["link/file", "a/link", "a/none", "a/file/none"] {
            assert!(open(path).is_err(), "{path}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
