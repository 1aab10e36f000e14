//! Why a job cannot begin or go on.

use anywarp_batch::{BuildError, Failed, SubmitError};

/// Why a job cannot begin or go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// An image without pixels.
    #[error("size {width}x{height} has no pixels")]
    NoPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// More pixels than the device has room for.
    #[error(
        "size {width}x{height} is too large: the device has room for {most} pixels, and {side} on a side"
    )]
    TooManyPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Pixels that fit.
        most: u64,
        /// Pixels that a side may have.
        side: u32,
    },
    /// No iterations, or more than can be counted or than the device has room for.
    #[error("limit {limit} is out of range: 1 to {most} iterations")]
    Limit {
        /// What was asked for.
        limit: u32,
        /// How many there may be.
        most: u32,
    },
    /// Results of no pixels.
    #[error("the results need room for at least one pixel")]
    NoCapacity,
    /// The batches cannot be made.
    #[error("the batches cannot be set up: {0}")]
    Build(#[from] BuildError),
    /// The device refuses buffers or shaders.
    #[error("the device refused the job: {0}")]
    Refused(String),
    /// A batch was not taken.
    #[error("a batch was not taken: {0}")]
    Submit(#[from] SubmitError),
    /// A batch came to nothing.
    #[error(transparent)]
    Batch(#[from] Failed),
    /// The device brought back what no device may.
    #[error("the results of a batch make no sense: {0}")]
    Nonsense(&'static str),
}
