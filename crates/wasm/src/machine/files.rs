//! Files for kernels, inside of the folders that the caller allows.
//!
//! In: a [`Request`], as both machines collect them from their threads. Out: an [`Answer`]. A path is
//! relative and has no `..`; neither it nor a link on the way leads outside of the folder. With
//! several folders the first one in which the file is counts; a new file goes into the first one that
//! has the folder it names. The codes are those of `gpu-sdk`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::LaunchError;

/// There is no such file.
pub const NOT_FOUND: i32 = -1;
/// The path is not allowed.
pub const NOT_ALLOWED: i32 = -2;
/// Anything else.
pub const FAILED: i32 = -3;

/// Bytes that a path can have: a longer one is answered with [`FAILED`].
pub(crate) const MOST_PATH: u32 = 4096;

/// A path in the bytes from where it begins up to the end of memory, of which one more than a path can
/// have are enough. It ends before the first zero byte; nothing, if memory ends first.
pub(crate) fn path_before_zero(bytes: &[u8]) -> Option<&[u8]> {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => Some(&bytes[..end]),
        None => (bytes.len() > MOST_PATH as usize).then_some(bytes),
    }
}

/// What a thread asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The first bytes of a file.
    Read {
        /// Which file.
        path: Vec<u8>,
        /// How many at most.
        room: u32,
    },
    /// A file with these bytes, instead of what there was.
    Write {
        /// Which file.
        path: Vec<u8>,
        /// All of its bytes.
        bytes: Vec<u8>,
    },
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Bytes read or written, or a negative code.
    pub code: i32,
    /// What was read.
    pub bytes: Vec<u8>,
}

/// The folders that kernels may reach.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folders: Vec<PathBuf>,
}

impl Files {
    /// Files in these folders and no others.
    pub fn new(folders: &[PathBuf]) -> Self {
        let folders = folders.to_vec();
        Self { folders }
    }

    /// Refuses folders that are not there. Those that vanish later give [`NOT_FOUND`].
    pub fn check(folders: &[PathBuf]) -> Result<(), LaunchError> {
        match folders.iter().find(|folder| !folder.is_dir()) {
            Some(path) => Err(LaunchError::Folder { path: path.clone() }),
            None => Ok(()),
        }
    }

    /// Does what a thread asks for.
    pub fn serve(&self, request: &Request) -> Answer {
        let result = match request {
            Request::Read { path, room } => self.read(path, *room),
            Request::Write { path, bytes } => self.write(path, bytes),
        };
        result.unwrap_or_else(|code| {
            let bytes = Vec::new();
            Answer { code, bytes }
        })
    }

    fn read(&self, path: &[u8], room: u32) -> Result<Answer, i32> {
        let file = File::open(self.find(path)?).map_err(code)?;
        let mut bytes = Vec::new();
        let room = u64::from(room).min(i32::MAX as u64);
        file.take(room).read_to_end(&mut bytes).map_err(code)?;
        let code = count(bytes.len())?;
        Ok(Answer { code, bytes })
    }

    fn write(&self, path: &[u8], bytes: &[u8]) -> Result<Answer, i32> {
        let written = count(bytes.len())?;
        let mut file = File::create(self.find(path)?).map_err(code)?;
        file.write_all(bytes).map_err(code)?;
        Ok(Answer {
            code: written,
            bytes: Vec::new(),
        })
    }

    /// Where the file of a path is, or would be.
    fn find(&self, path: &[u8]) -> Result<PathBuf, i32> {
        if path.len() > MOST_PATH as usize {
            return Err(FAILED);
        }
        let path = std::str::from_utf8(path).map_err(|_| NOT_ALLOWED)?;
        let mut found = Err(match self.folders.is_empty() {
            true => NOT_ALLOWED,
            false => NOT_FOUND,
        });
        for folder in &self.folders {
            match inside(folder, Path::new(path)) {
                Ok(file) if file.exists() => return Ok(file),
                Ok(file) => found = found.or(Ok(file)),
                Err(NOT_FOUND) => {}
                Err(code) => return Err(code),
            }
        }
        found
    }
}

/// The file that a path means in a folder, if it lies there.
fn inside(folder: &Path, path: &Path) -> Result<PathBuf, i32> {
    let folder = folder.canonicalize().map_err(code)?;
    let is_plain = |part| matches!(part, Component::Normal(_));
    if !path.components().all(is_plain) {
        return Err(NOT_ALLOWED);
    }
    let name = path.file_name().ok_or(NOT_ALLOWED)?;
    let parent = folder.join(path.parent().unwrap_or(Path::new("")));
    let parent = parent.canonicalize().map_err(code)?;
    let file = parent.join(name);
    let target = match file.canonicalize() {
        Ok(target) => target,
        // A link to nothing would be followed by whoever creates the file.
        Err(_) if file.is_symlink() => return Err(NOT_ALLOWED),
        Err(_) => file,
    };
    if !target.starts_with(&folder) {
        return Err(NOT_ALLOWED);
    }
    // To open a pipe waits until somebody opens its other end.
    match target.metadata() {
        Ok(metadata) if !metadata.is_file() => Err(FAILED),
        _ => Ok(target),
    }
}

fn count(bytes: usize) -> Result<i32, i32> {
    i32::try_from(bytes).map_err(|_| FAILED)
}

fn code(error: io::Error) -> i32 {
    match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        ErrorKind::PermissionDenied => NOT_ALLOWED,
        _ => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_a_folder_is_no_file_and_nobody_waits_for_it() {
        let folder = std::env::temp_dir().join(format!("anywarp-files-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("folder")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(folder.join("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let files = Files::new(std::slice::from_ref(&folder));
        for path in ["pipe", "folder"] {
            let path = path.as_bytes().to_vec();
            let write = Request::Write {
                path: path.clone(),
                bytes: vec![1],
            };
            assert_eq!(files.serve(&Request::Read { path, room: 8 }).code, FAILED);
            assert_eq!(files.serve(&write).code, FAILED);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
