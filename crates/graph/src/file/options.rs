//! Resource limits of graph files.
//!
//! In: [`FileOptions`] from the caller. Out: a [`ByteBudget`], from which all declared and named
//! data takes its bytes before they are allocated. What always holds: a small file cannot request
//! more memory than the caller allows, however often it repeats a name or a size.

use std::path::PathBuf;

use anywarp_program::work::{Meter, OverBudget, WorkLimits};

/// The default byte limit of a file.
const DEFAULT_BYTES: u64 = 1 << 30;

/// Limits on what a graph file may name and how much it may request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileOptions {
    /// Further folders, besides that of the graph file, from which it may name files.
    pub folders: Vec<PathBuf>,
    /// The maximum total size in bytes of record memory, buffers, textures, inputs, local
    /// arguments, and the text of each node. 1 GiB by default.
    pub bytes: u64,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            bytes: DEFAULT_BYTES,
        }
    }
}

impl FileOptions {
    /// Allows files from one more folder.
    #[must_use]
    pub fn allow_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Sets the maximum total size in bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }
}

/// A file asks for more bytes than its caller allows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file asks for {0} in all; raise the limit with `--max-bytes` (`FileOptions::bytes`)")]
pub(super) struct OverByteLimit(OverBudget);

/// The remaining bytes of a file's limit.
pub(super) struct ByteBudget(Meter);

impl ByteBudget {
    pub(super) fn new(options: &FileOptions) -> Self {
        Self(Meter::new(WorkLimits::UNLIMITED.with_bytes(options.bytes)))
    }

    /// Takes bytes that are about to be allocated.
    pub(super) fn take(&self, bytes: u64) -> Result<(), OverByteLimit> {
        self.0.allocate(bytes).map_err(OverByteLimit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_requests_add_up() {
        let byte_budget = ByteBudget::new(&FileOptions::default().with_bytes(100));
        assert_eq!(byte_budget.take(60), Ok(()));
        let error = byte_budget.take(60).unwrap_err().to_string();
        assert!(error.contains("more than 100 bytes in all"), "{error}");
    }
}
