//! Errors of a job.

use anywarp_batch::{BuildError, Failed, SubmitError};

/// Why a job cannot start or continue.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// An image without pixels.
    #[error("size {width}x{height} has no pixels")]
    NoPixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// More pixels than the device supports.
    #[error(
        "size {width}x{height} is too large: the device has room for {most} pixels, and {side} on a side"
    )]
    TooManyPixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Maximal number of pixels.
        most: u64,
        /// Maximal width and height.
        side: u32,
    },
    /// The limit is zero, or larger than the counters or the device support.
    #[error("limit {limit} is out of range: 1 to {most} iterations")]
    Limit {
        /// The requested limit.
        limit: u32,
        /// The maximal limit.
        most: u32,
    },
    /// A results capacity of zero.
    #[error("the results need room for at least one pixel")]
    NoCapacity,
    /// The batch runner cannot be created.
    #[error("the batches cannot be set up: {}", with_sources(.0))]
    Build(BuildError),
    /// The device rejects buffers or shaders.
    #[error("the device refused the job: {0}")]
    Refused(String),
    /// A batch cannot be submitted.
    #[error("a batch was not taken: {0}")]
    Submit(SubmitError),
    /// A batch failed.
    #[error(transparent)]
    Batch(#[from] Failed),
    /// The results are inconsistent, which indicates a device error.
    #[error("the results of a batch make no sense: {0}")]
    Nonsense(&'static str),
}

impl From<BuildError> for JobError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<SubmitError> for JobError {
    fn from(error: SubmitError) -> Self {
        Self::Submit(error)
    }
}

/// The message of an error and those of its sources, which it does not repeat: a page shows one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}
