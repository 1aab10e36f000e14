//! The limits of a run, and the nondeterminism that tests inject.

use crate::{CancelFlag, Schedule, SpuriousFailures};

/// Limits of a run, and the permitted nondeterminism to inject.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Loop iterations that all invocations of one workgroup may execute together. Starting an invocation, a call,
    /// and every 4 KiB that a single assignment moves count as an iteration each.
    pub iterations: u64,
    /// Ends the run when it is set. Polled after a portion of work of any kind, and when a workgroup starts.
    pub cancel: Option<&'a CancelFlag>,
    /// Injects spurious failures of weak compare-exchanges, which WGSL allows. `None`, the default, injects none.
    pub spurious_failures: Option<&'a SpuriousFailures>,
    /// The order of invocations in a workgroup.
    pub schedule: Schedule,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            iterations: u64::MAX,
            cancel: None,
            spurious_failures: None,
            schedule: Schedule::InOrder,
        }
    }
}
