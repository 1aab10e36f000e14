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
use super::folder::{Access, Folder, Refusal};

/// Error code: there is no such file.
pub const NOT_FOUND: i32 = -1;
/// Error code: the path is not allowed.
pub const NOT_ALLOWED: i32 = -2;
/// Error code: any other error.
pub const FAILED: i32 = -3;

/// Maximum bytes of a path; a longer one fails with [`FAILED`].
pub(crate) const MOST_PATH: u32 = 4096;

/// A null-terminated path. `bytes` reaches from its beginning to the end of memory, or to one byte
/// more than a path can have. `None` if memory ends before the terminator.
pub(crate) fn path_before_zero(bytes: &[u8]) -> Option<&[u8]> {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => Some(&bytes[..end]),
        None => (bytes.len() > MOST_PATH as usize).then_some(bytes),
    }
}

/// A file operation that a thread requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read the beginning of a file.
    Read {
        /// The file.
        path: Vec<u8>,
        /// Maximum bytes to read.
        room: u32,
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
pub struct Answer {
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
    pub fn serve(&self, request: &Request) -> Answer {
        let result = match request {
            Request::Read { path, room } => self.read(path, *room),
            Request::Write { path, bytes } => self.write(path, bytes),
        };
        result.unwrap_or_else(|refusal| Answer {
            code: code(refusal),
            bytes: Vec::new(),
        })
    }

    fn read(&self, path: &[u8], room: u32) -> Result<Answer, Refusal> {
        let file = self.find(path, Access::Read)?;
        let mut bytes = Vec::new();
        let room = u64::from(room).min(i32::MAX as u64);
        file.take(room).read_to_end(&mut bytes)?;
        let code = count(bytes.len())?;
        Ok(Answer { code, bytes })
    }

    fn write(&self, path: &[u8], bytes: &[u8]) -> Result<Answer, Refusal> {
        let written = count(bytes.len())?;
        let file = match self.find(path, Access::Write) {
            Err(Refusal::NotFound) => self.find(path, Access::Create),
            found => found,
        };
        let mut file = file?;
        // Truncated only after it is known to be a regular file.
        file.set_len(0)?;
        file.write_all(bytes)?;
        Ok(Answer {
            code: written,
            bytes: Vec::new(),
        })
    }

    /// Opens a file in the first folder where that is possible.
    fn find(&self, path: &[u8], access: Access) -> Result<std::fs::File, Refusal> {
        if path.len() > MOST_PATH as usize {
            return Err(Refusal::Failed);
        }
        let path = std::str::from_utf8(path).map_err(|_| Refusal::NotAllowed)?;
        if self.folders.is_empty() {
            return Err(Refusal::NotAllowed);
        }
        for folder in self.folders.iter() {
            match folder.file(Path::new(path), access) {
                Err(Refusal::NotFound) => {}
                found => return found,
            }
        }
        Err(Refusal::NotFound)
    }
}

fn count(bytes: usize) -> Result<i32, Refusal> {
    i32::try_from(bytes).map_err(|_| Refusal::Failed)
}

fn code(refusal: Refusal) -> i32 {
    match refusal {
        Refusal::NotFound => NOT_FOUND,
        Refusal::NotAllowed => NOT_ALLOWED,
        Refusal::NotRegular(_) | Refusal::Failed => FAILED,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A temporary folder of one test.
    struct Place(PathBuf);

    impl Place {
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

    impl Drop for Place {
        fn drop(&mut self) {
            let _gone = fs::remove_dir_all(&self.0);
        }
    }

    fn read(files: &Files, path: &str) -> Answer {
        let path = path.as_bytes().to_vec();
        files.serve(&Request::Read { path, room: 64 })
    }

    fn write(files: &Files, path: &str) -> i32 {
        let path = path.as_bytes().to_vec();
        let bytes = vec![1];
        files.serve(&Request::Write { path, bytes }).code
    }

    #[test]
    fn only_regular_files_are_opened_and_a_fifo_does_not_block() {
        let place = Place::new("kinds");
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
        let kind = |path, access| {
            Folder::open(&place.0)
                .unwrap()
                .file(Path::new(path), access)
        };
        let refused = kind("pipe", Access::Read).unwrap_err().to_string();
        assert_eq!(refused, "it is a FIFO, not a regular file");
        let refused = kind("folder", Access::Read).unwrap_err().to_string();
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
        let refused = device.file(Path::new("zero"), Access::Read).unwrap_err();
        assert_eq!(refused, Refusal::NotRegular("a device"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn magic_links_are_refused() {
        let place = Place::new("magic");
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
        let place = Place::new("race");
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
