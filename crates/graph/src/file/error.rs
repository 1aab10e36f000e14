//! Errors of graph files, with file, line and key.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An error of a graph file, with its location.
#[derive(Clone, Debug)]
pub struct FileError {
    file: String,
    line: Option<usize>,
    key: Option<String>,
    message: String,
    /// The device's error, which the message does not repeat.
    source: Option<Arc<wgpu::Error>>,
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_deref()?)
    }
}

impl FileError {
    /// An error about a whole file.
    pub(super) fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            key: None,
            message: message.into(),
            source: None,
        }
    }

    /// An error about a line of a file and the key that is declared there.
    pub(super) fn of_line(
        file: &str,
        line: usize,
        key: Option<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            line: Some(line),
            key,
            ..Self::of_file(file, message)
        }
    }

    /// Adds the device's error.
    pub(super) fn caused_by(self, source: wgpu::Error) -> Self {
        Self {
            source: Some(Arc::new(source)),
            ..self
        }
    }

    /// The file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The one-based line.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The key with its parents, such as `node[1].output[0].budget`; lists are zero-based.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if let Some(key) = &self.key {
            write!(f, "`{key}`: ")?;
        }
        // Parsers may return messages of several lines.
        let mut lines = self.message.lines();
        f.write_str(lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| write!(f, "; {line}"))
    }
}
