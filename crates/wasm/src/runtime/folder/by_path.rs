//! Sandboxed file access by path, for systems without directory handles.
//!
//! The path is canonicalized and checked to be in the folder, then opened. This leaves a race (time
//! of check to time of use): if a process replaces a directory of the path by a link between the
//! two steps, the second one follows it.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{OpenError, OpenMode};

/// A folder by its canonical path.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
}

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if path.is_dir() {
            Ok(Self { path })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens a file inside the folder; links are resolved.
    pub(super) fn file(&self, path: &Path, open_mode: OpenMode) -> Result<File, OpenError> {
        let file = self.path.join(path);
        let target = match file.canonicalize() {
            Ok(target) => target,
            Err(_) if open_mode == OpenMode::Create => self.new_file(&file)?,
            Err(error) => return Err(error.into()),
        };
        if !target.starts_with(&self.path) {
            return Err(OpenError::NotAllowed);
        }
        // Opening a FIFO would block until its other end is open.
        if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(OpenError::NotRegular("a folder or a special file"));
        }
        let mut options = OpenOptions::new();
        match open_mode {
            OpenMode::Read => options.read(true),
            OpenMode::Write => options.write(true),
            OpenMode::Create => options.write(true).create(true).truncate(false),
        };
        Ok(options.open(target)?)
    }

    /// The canonical path of a file that does not exist yet.
    fn new_file(&self, file: &Path) -> Result<PathBuf, OpenError> {
        // Creating a file would follow a dangling link.
        if file.is_symlink() {
            return Err(OpenError::NotAllowed);
        }
        let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(OpenError::NotAllowed);
        };
        Ok(parent.canonicalize()?.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_inside_are_opened_and_others_refused() {
        let path = std::env::temp_dir().join(format!("anywarp-by-path-{}", std::process::id()));
        std::fs::create_dir_all(path.join("folder")).unwrap();
        std::fs::write(path.join("folder/file"), b"x").unwrap();
        let root = Root::open(&path.join("folder")).unwrap();
        let open = |name: &str, open_mode| root.file(Path::new(name), open_mode).map(|_| ());
        assert_eq!(open("file", OpenMode::Read), Ok(()));
        assert_eq!(open("missing", OpenMode::Read), Err(OpenError::NotFound));
        assert_eq!(open("missing", OpenMode::Write), Err(OpenError::NotFound));
        assert_eq!(open("missing", OpenMode::Create), Ok(()));
        assert_eq!(open("missing", OpenMode::Write), Ok(()));
        #[cfg(unix)]
        {
            std::fs::write(path.join("secret"), b"x").unwrap();
            std::os::unix::fs::symlink("../secret", path.join("folder/link")).unwrap();
            std::os::unix::fs::symlink("../new", path.join("folder/dangling")).unwrap();
            assert_eq!(open("link", OpenMode::Read), Err(OpenError::NotAllowed));
            assert_eq!(
                open("dangling", OpenMode::Create),
                Err(OpenError::NotAllowed)
            );
        }
        std::fs::remove_dir_all(path).unwrap();
    }
}
