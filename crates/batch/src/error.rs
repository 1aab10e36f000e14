//! Errors, one enum for each phase: building, submitting, and executing a batch.

use crate::schedule::BatchId;

/// Why slots or a runner cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The descriptor asks for zero slots.
    #[error("at least one slot is needed")]
    NoSlots,
    /// The shared lock has fewer slots left than were asked for.
    #[error("{asked} slots requested, but the lock has {free} left")]
    TooFewSlots {
        /// Number of slots requested.
        asked: u32,
        /// Number of slots that have no owner yet.
        free: u32,
    },
    /// A result range that cannot be read.
    #[error("result range {index}: {reason}")]
    Results {
        /// Index of the range.
        index: usize,
        /// The reason.
        reason: &'static str,
    },
    /// A buffer exceeds a limit of the device.
    #[error("{bytes} bytes of {what} exceed the device's limit of {limit}")]
    Limit {
        /// The name of the buffer.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Two of the bindings have the same number.
    #[error("the bindings of lock, info and params must differ")]
    SameBindings,
    /// A pass sets the bind group that belongs to the batch.
    #[error("pass {pass} sets bind group {group}, which is reserved for the batch")]
    GroupTaken {
        /// Index of the pass.
        pass: usize,
        /// Index of the bind group.
        group: u32,
    },
    /// A timeout needs a clock, and this platform has no default clock.
    #[error("a timeout needs a clock on this platform: set one in the descriptor")]
    NoClock,
}

/// Why a batch was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// Every slot is in use, or as many uncollected results as there are slots. Collect a result
    /// and try again.
    #[error("all slots are in use")]
    Full,
    /// The parameters have another size than the descriptor declares.
    #[error("{given} bytes of parameters given, but the descriptor declares {expected}")]
    ParamsSize {
        /// Bytes given.
        given: usize,
        /// Bytes declared in the descriptor.
        expected: u32,
    },
    /// The device is lost.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// The device's message.
        message: String,
    },
}

/// The parameters of a batch cannot be uploaded: the device is lost, or the slot is still in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an upload failed")]
pub struct UploadError;

/// Why a batch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The batch took longer than the descriptor allows. If it was in flight, it may have been
    /// applied or may still be applied; its results are dropped.
    #[error("the batch timed out")]
    TimedOut,
    /// The device is lost.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// The device's message.
        message: String,
    },
    /// The submission returned without having run: the device refused it and reported a validation
    /// error to wgpu's error handler.
    #[error("the device refused the submission")]
    Refused,
    /// The runner was dropped while the batch was pending.
    #[error("the runner was dropped")]
    Dropped,
}

/// A batch that failed, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("batch {id}: {error}")]
pub struct Failed {
    /// The batch.
    pub id: BatchId,
    /// The reason.
    #[source]
    pub error: BatchError,
}
