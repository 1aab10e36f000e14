//! Why an example did not give its result.

use std::io;
use std::path::PathBuf;

use anywarp::{DeviceError, ShaderError};

use crate::error::{Error, with_sources};

/// Why an example did not give its result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// It cannot run here, which is not an error.
    #[error("{0}")]
    Skipped(String),
    #[error("`{command}` failed: {message}")]
    Command { command: String, message: String },
    #[error("`{command}` cannot be started: {source}")]
    Start { command: String, source: io::Error },
    #[error("`{command}` gave a report that cannot be read: {reason}")]
    Report { command: String, reason: String },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not a picture: {reason}", path.display())]
    Picture { path: PathBuf, reason: String },
    #[error("wrong result: {0}")]
    Wrong(String),
    #[error("{}", with_sources(.0))]
    BatchBuild(#[from] anywarp_batch::BuildError),
    #[error("{}", with_sources(.0))]
    BatchSubmit(#[from] anywarp_batch::SubmitError),
    #[error("{}", with_sources(.0))]
    Batch(#[from] anywarp_batch::Failed),
    // Boxed, because results carry it along every path.
    #[error("{0}")]
    Run(Box<Error>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Run(Box::new(error))
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Error::from(error).into()
    }
}

impl From<ShaderError> for Failure {
    fn from(error: ShaderError) -> Self {
        Error::Shader(Box::new(error)).into()
    }
}
