//! Errors of the reader: one message that names the construct and its position in the module.

use std::fmt;

use rspirv::spirv::Op;

/// Result type of the reader.
pub(crate) type Result<T, E = ReadError> = std::result::Result<T, E>;

/// Whether the module is invalid, or valid and unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The module breaks a rule of SPIR-V.
    Invalid,
    /// The module is valid, but this reader or WGSL cannot express it.
    Unsupported,
}

/// A line of the source that the module was compiled from, from its debug information (`OpLine`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file name, as the compiler wrote it.
    pub file: String,
    /// The line number, from 1.
    pub line: u32,
}

/// Why a SPIR-V module cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError(Box<ErrorDetails>);

/// Boxed to keep `Result` small.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ErrorDetails {
    kind: ErrorKind,
    message: String,
    place: Option<InstructionPosition>,
    line: Option<SourceLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionPosition {
    offset: usize,
    op: Option<Op>,
}

impl ReadError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message.into())
    }

    /// An error of kind [`ErrorKind::Unsupported`]; `feature` is a noun phrase, the subject of the message.
    #[cfg(feature = "spv-in")]
    pub(crate) fn unsupported(feature: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, feature.into())
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(ErrorDetails {
            kind,
            message,
            place: None,
            line: None,
        }))
    }

    /// Sets the position, unless an inner function set it already.
    pub(crate) fn at(mut self, offset: usize, op: Option<Op>) -> Self {
        self.0
            .place
            .get_or_insert(InstructionPosition { offset, op });
        self
    }

    /// Sets the source line, unless it is set already.
    #[cfg(feature = "spv-in")]
    pub(crate) fn of_line(mut self, line: Option<SourceLine>) -> Self {
        self.0.line = self.0.line.take().or(line);
        self
    }

    /// Whether the module is invalid, or valid and unsupported.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The offset of the instruction, in words from the start of the module.
    pub fn offset(&self) -> Option<usize> {
        self.0.place.map(|place| place.offset)
    }

    /// The source line, if the module has line information.
    pub fn line(&self) -> Option<&SourceLine> {
        self.0.line.as_ref()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.0.place {
            write!(f, "word {}: ", place.offset)?;
            if let Some(op) = place.op {
                write!(f, "Op{op:?}: ")?;
            }
        }
        if self.0.kind == ErrorKind::Unsupported {
            f.write_str("unsupported: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(SourceLine { file, line }) = &self.0.line {
            write!(f, " ({file}:{line})")?;
        }
        Ok(())
    }
}
