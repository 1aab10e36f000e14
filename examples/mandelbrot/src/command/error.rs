//! Errors of the command, with their exit codes.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use mandelbrot::{JobError, ViewError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    View(#[from] ViewError),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("no device matches --device {wanted}; there is {available}")]
    NoDevice { wanted: String, available: String },
    #[error("device `{device}` cannot be opened: {reason}")]
    DeviceUnavailable { device: String, reason: String },
    #[error("device `{device}` was lost: {reason}")]
    Lost { device: String, reason: String },
    #[error("cannot write {}: {reason}", path.display())]
    Write { path: PathBuf, reason: String },
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
}

impl Error {
    /// 2 for an invalid command, 1 for a device failure.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let code = match self {
            Self::View(_) | Self::NoDevice { .. } | Self::Write { .. } => 2,
            Self::Job(
                JobError::NoPixels { .. } | JobError::TooManyPixels { .. } | JobError::Limit { .. },
            ) => 2,
            _ => 1,
        };
        ExitCode::from(code)
    }
}
