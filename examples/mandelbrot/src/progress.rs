//! How a job stands.

use crate::method::Method;

/// How a job stands, after each batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The arithmetic in use.
    pub method: Method,
    /// Iterations that every unfinished pixel has done.
    pub iterations: u32,
    /// Iterations that it will do at most. An automatic limit may still rise.
    pub limit: u32,
    /// Pixels of the image.
    pub pixels: u32,
    /// Pixels whose count is in the image.
    pub known: u32,
    /// Pixels that finished in the last batch.
    pub newly_finished: u32,
    /// Pixels that finished and did not fit into the results yet.
    pub unreported: u32,
    /// Pixels that are not finished.
    pub live: u32,
    /// The checkpoint that has just come: the image has exactly what escaped until there.
    pub checkpoint: Option<u32>,
    /// Iterations that the next batch will do at most.
    pub batch_iterations: u32,
    /// Entries of the reference orbit.
    pub reference: u32,
    /// Batches applied, over all views.
    pub batches: u64,
    /// How often a batch was skipped and sent again, over all views.
    pub retries: u64,
    /// Batches that found the lock taken or came too early, as the device counted.
    pub collisions: u64,
    /// The number of the view: results of earlier ones never arrive.
    pub epoch: u32,
    /// Whether the image is complete.
    pub is_done: bool,
}
