//! The progress of a job.

use crate::method::Method;

/// The progress of a job after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The arithmetic in use.
    pub method: Method,
    /// Iterations that all unfinished pixels have done.
    pub iterations: u32,
    /// Current iteration limit. An automatic limit may still be raised.
    pub limit: u32,
    /// Number of pixels of the image.
    pub pixels: u32,
    /// Number of pixels whose count is known.
    pub known: u32,
    /// Number of pixels that finished in the last batch.
    pub newly_finished: u32,
    /// Number of finished pixels that did not fit into the results yet.
    pub unreported: u32,
    /// Number of unfinished pixels.
    pub live: u32,
    /// The checkpoint just reached: the image contains exactly the pixels that escaped until then.
    pub checkpoint: Option<u32>,
    /// Maximal number of iterations of the next batch.
    pub batch_iterations: u32,
    /// Number of entries of the reference orbit.
    pub reference: u32,
    /// Number of completed batches, over all views.
    pub batches: u64,
    /// Number of batches that were skipped and submitted again, over all views.
    pub retries: u64,
    /// Number of batches that found the lock taken or ran out of order, as counted by the device.
    pub collisions: u64,
    /// The number of the current view; results of earlier views are discarded.
    pub epoch: u32,
    /// Whether the image is complete.
    pub is_done: bool,
}
