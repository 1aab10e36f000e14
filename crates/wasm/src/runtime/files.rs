//! File access for kernels, restricted to the folders that the caller allows.
//!
//! In: a [`FileRequest`] of a thread. Out: a [`FileReply`]. A path is relative and has no `..`;
//! neither it nor a symbolic link on the way leads outside the folder. Only regular files are read
//! and written. With several folders the first one that has the file wins; a new file is created in
//! the first folder that has its parent directory. The error codes are those of `gpu-sdk`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LaunchError;
use super::folder::{Folder, OpenError, OpenMode};

/// Error code: there is no such file.
pub const NOT_FOUND: i32 = -1;
/// Error code: the path is not allowed.
pub const NOT_ALLOWED: i32 = -2;
/// Error code: any other error.
pub const FAILED: i32 = -3;

/// Maximum bytes of a path; a longer one fails with [`FAILED`].
pub(crate) const MAX_PATH_BYTES: u32 = 4096;

/// A null-terminated path. `bytes` reaches from its beginning to the end of memory, or to one byte
/// more than a path can have. `None` if memory ends before the terminator.
pub(crate) fn path_before_zero(bytes: &[u8]) -> Option<&[u8]> {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => Some(&bytes[..end]),
        None => (bytes.len() > MAX_PATH_BYTES as usize).then_some(bytes),
    }
}

/// A file operation that a thread requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRequest {
    /// Read the beginning of a file.
    Read {
        /// The file.
        path: Vec<u8>,
        /// Maximum bytes to read.
        max_bytes: u32,
    },
    /// Replace the contents of a file, or create it.
    Write {
        /// The file.
        path: Vec<u8>,
        /// The new contents.
        bytes: Vec<u8>,
    },
}

/// The result of a file operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReply {
    /// Bytes read or written, or a negative code.
    pub code: i32,
    /// The bytes that were read.
    pub bytes: Vec<u8>,
}

/// The folders that kernels may access, opened when a launch begins.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folders: Arc<[Folder]>,
}

impl Files {
    /// Opens the folders. A folder that cannot be opened is an error.
    pub fn open(folders: &[PathBuf]) -> Result<Self, LaunchError> {
        let open = |path: &PathBuf| {
            Folder::open(path).map_err(|_| LaunchError::Folder { path: path.clone() })
        };
        let folders: Result<_, _> = folders.iter().map(open).collect();
        Ok(Self { folders: folders? })
    }

    /// Performs a file operation.
    pub fn serve(&self, request: &FileRequest) -> FileReply {
        let result = match request {
            FileRequest::Read { path, max_bytes } => self.read(path, *max_bytes),
            FileRequest::Write { path, bytes } => self.write(path, bytes),
        };
        result.unwrap_or_else(|open_error| FileReply {
            code: code(open_error),
            bytes: Vec::new(),
        })
    }

    fn read(&self, path: &[u8], max_bytes: u32) -> Result<FileReply, OpenError> {
        let file = self.find(path, OpenMode::Read)?;
        let mut bytes = Vec::new();
        let max_bytes = u64::from(max_bytes).min(i32::MAX as u64);
        file.take(max_bytes).read_to_end(&mut bytes)?;
        let code = count(bytes.len())?;
        Ok(FileReply { code, bytes })
    }

    fn write(&self, path: &[u8], bytes: &[u8]) -> Result<FileReply, OpenError> {
        let written = count(bytes.len())?;
        let file = match self.find(path, OpenMode::Write) {
            Err(OpenError::NotFound) => self.find(path, OpenMode::Create),
            found => found,
        };
        let mut file = file?;
        // Truncated only after it is known to be a regular file.
        file.set_len(0)?;
        file.write_all(bytes)?;
        Ok(FileReply {
            code: written,
            bytes: Vec::new(),
        })
    }

    /// Opens a file in the first folder where that is possible.
    fn find(&self, path: &[u8], open_mode: OpenMode) -> Result<std::fs::File, OpenError> {
        if path.len() > MAX_PATH_BYTES as usize {
            return Err(OpenError::Failed);
        }
        let path = std::str::from_utf8(path).map_err(|_| OpenError::NotAllowed)?;
        if self.folders.is_empty() {
            return Err(OpenError::NotAllowed);
        }
        for folder in self.folders.iter() {
            match folder.file(Path::new(path), open_mode) {
                Err(OpenError::NotFound) => {}
                found => return found,
            }
        }
        Err(OpenError::NotFound)
    }
}

fn count(bytes: usize) -> Result<i32, OpenError> {
    i32::try_from(bytes).map_err(|_| OpenError::Failed)
}

fn code(open_error: OpenError) -> i32 {
    match open_error {
        OpenError::NotFound => NOT_FOUND,
        OpenError::NotAllowed => NOT_ALLOWED,
        OpenError::NotRegular(_) | OpenError::Failed => FAILED,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A temporary folder of one test.
    struct TempFolder(PathBuf);

    impl TempFolder {
        fn new(name: &str) -> Self {
            let name = format!("anywarp-files-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _was_there = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn files(&self, folder: &str) -> Files {
            Files::open(&[self.0.join(folder)]).unwrap()
        }
    }

    impl Drop for TempFolder {
        fn drop(&mut self) {
            let _gone = fs::remove_dir_all(&self.0);
        }
    }

    fn read(files: &Files, path: &str) -> FileReply {
        let path = path.as_bytes().to_vec();
        files.serve(&FileRequest::Read {
            path,
            max_bytes: 64,
        })
    }

    fn write(files: &Files, path: &str) -> i32 {
        let path = path.as_bytes().to_vec();
        let bytes = vec![1];
        files.serve(&FileRequest::Write { path, bytes }).code
    }

    #[test]
    fn only_regular_files_are_opened_and_a_fifo_does_not_block() {
        let place = TempFolder::new("kinds");
        fs::create_dir(place.0.join("folder")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(place.0.join("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let socket = std::os::unix::net::UnixListener::bind(place.0.join("socket")).unwrap();
        let files = place.files("");
        for path in ["pipe", "folder", "socket"] {
            assert_eq!(read(&files, path).code, FAILED, "{path}");
            assert_eq!(write(&files, path), FAILED, "{path}");
        }
        drop(socket);
        let kind = |path, open_mode| {
            Folder::open(&place.0)
                .unwrap()
                .file(Path::new(path), open_mode)
        };
        let refused = kind("pipe", OpenMode::Read).unwrap_err().to_string();
        assert_eq!(refused, "it is a FIFO, not a regular file");
        let refused = kind("folder", OpenMode::Read).unwrap_err().to_string();
        assert_eq!(refused, "it is a folder, not a regular file");
    }

    #[test]
    fn devices_are_refused() {
        let files = Files::open(&["/dev".into()]).unwrap();
        for device in ["null", "zero"] {
            assert_eq!(read(&files, device).code, FAILED, "{device}");
            assert_eq!(write(&files, device), FAILED, "{device}");
        }
        let device = Folder::open(Path::new("/dev")).unwrap();
        let refused = device.file(Path::new("zero"), OpenMode::Read).unwrap_err();
        assert_eq!(refused, OpenError::NotRegular("a device"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn magic_links_are_refused() {
        let place = TempFolder::new("magic");
        fs::write(place.0.join("file"), b"secret").unwrap();
        let open = fs::File::open(place.0.join("file")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        let files = Files::open(&["/proc/self".into()]).unwrap();
        for path in [
            format!("fd/{number}"),
            "exe".into(),
            "root/etc/passwd".into(),
            "cwd/x".into(),
        ] {
            assert_eq!(read(&files, &path).code, NOT_ALLOWED, "{path}");
            assert_eq!(write(&files, &path), NOT_ALLOWED, "{path}");
        }
        // The folder itself is allowed.
        assert!(read(&files, "status").code > 0);
    }

    #[test]
    fn a_folder_that_is_exchanged_for_a_link_never_leads_outside() {
        const TRIES: u32 = 20_000;
        let place = TempFolder::new("race");
        for (folder, text) in [("open/inner", "inside"), ("outside", "secret")] {
            fs::create_dir_all(place.0.join(folder)).unwrap();
            fs::write(place.0.join(folder).join("file"), text).unwrap();
        }
        symlink("../outside", place.0.join("open/link")).unwrap();
        let files = place.files("open");
        let is_done = AtomicBool::new(false);
        let exchange = || {
            let at = |name| place.0.join("open").join(name);
            while !is_done.load(Ordering::Relaxed) {
                fs::rename(at("inner"), at("folder")).unwrap();
                fs::rename(at("link"), at("inner")).unwrap();
                fs::rename(at("inner"), at("link")).unwrap();
                fs::rename(at("folder"), at("inner")).unwrap();
            }
        };
        let (mut seen, mut refused, mut leaked) = (0, 0, false);
        std::thread::scope(|scope| {
            scope.spawn(exchange);
            for _ in 0..TRIES {
                let answer = read(&files, "inner/file");
                leaked |= answer.bytes == b"secret";
                if answer.code > 0 {
                    seen += 1;
                } else {
                    refused += 1;
                }
                let _any = write(&files, "inner/file");
                if leaked || (seen > 500 && refused > 500) {
                    break;
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert!(!leaked, "read outside");
        assert!(seen > 0, "{seen} reads inside, {refused} refused");
        let outside = fs::read(place.0.join("outside/file")).unwrap();
        assert_eq!(outside, b"secret", "written outside");
    }
}
