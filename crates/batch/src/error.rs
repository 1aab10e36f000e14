//! What can go wrong, one enum for each phase: building, submitting, and a batch on its way.

use crate::schedule::BatchId;

/// Why slots or a runner cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nothing can run in no slots.
    #[error("at least one slot is needed")]
    NoSlots,
    /// The shared lock has fewer slots left than were asked for.
    #[error("{asked} slots requested, but the lock has {free} left")]
    TooFewSlots {
        /// Slots asked for.
        asked: u32,
        /// Slots that nobody has yet.
        free: u32,
    },
    /// A range of results that cannot be read.
    #[error("result range {index}: {reason}")]
    Results {
        /// Which of the ranges.
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The device has a limit that is too small.
    #[error("{bytes} bytes of {what} exceed the device's limit of {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// Two of the bindings have one number.
    #[error("the bindings of lock, info and params must differ")]
    SameBindings,
    /// A pass sets the bind group that belongs to the batch.
    #[error("pass {pass} sets bind group {group}, which is reserved for the batch")]
    GroupTaken {
        /// Which of the passes.
        pass: usize,
        /// The index of the group.
        group: u32,
    },
    /// A timeout needs a clock, and this platform has none of its own.
    #[error("a timeout needs a clock on this platform: set one in the descriptor")]
    NoClock,
}

/// Why a batch was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// Every slot is taken, or as many results as there are slots wait to be collected. Take a result
    /// and try again.
    #[error("all slots are in use")]
    Full,
    /// The parameters have another size than the descriptor says.
    #[error("{given} bytes of parameters given, but the descriptor declares {expected}")]
    ParamsSize {
        /// Bytes given.
        given: usize,
        /// Bytes that the descriptor says.
        expected: u32,
    },
    /// The device is gone.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// What is known about it.
        message: String,
    },
}

/// Why a batch came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// It took longer than the descriptor allows. If it was on the device already, it may still have
    /// been applied or be applied later; its results are dropped.
    #[error("the batch timed out")]
    TimedOut,
    /// The device is gone.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// What is known about it.
        message: String,
    },
    /// The submission came back without having run: the device refused it, as wgpu's error handler
    /// has told.
    #[error("the device refused the submission")]
    Refused,
    /// The runner was dropped while the batch was pending.
    #[error("the runner was dropped")]
    Dropped,
}

/// A batch that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("batch {id}: {error}")]
pub struct Failed {
    /// Which one.
    pub id: BatchId,
    /// Why.
    #[source]
    pub error: BatchError,
}
