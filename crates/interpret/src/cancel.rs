//! Cancellation of runs from outside, by one word that is polled.
//!
//! All workgroups that run together share one [`CancelFlag`]. It is set once; the first reason is kept.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Not set.
const UNSET: u32 = 0;
const STOPPED: u32 = 1;
const NO_PROGRESS: u32 = 2;
const OUT_OF_TIME: u32 = 3;

/// The two time limits of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// No workgroup has finished for this long: one of them is endless.
    Progress(Duration),
    /// All workgroups together took this long.
    Total(Duration),
}

/// A flag that ends the runs that poll it.
#[derive(Debug, Default)]
pub struct Cancel {
    flag: AtomicU32,
    progress: Duration,
    total: Duration,
}

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// The result is no longer needed: another part of the same work has failed.
    Stopped,
    /// The dispatch exceeded a time limit.
    OutOfTime(TimeLimit),
}

impl Cancel {
    /// A flag that is not set, with the two limits that errors report. It does not measure time: a watchdog does,
    /// and calls [`CancelFlag::cancel_without_progress`] or [`CancelFlag::cancel_out_of_time`].
    pub fn new(progress: Duration, total: Duration) -> Self {
        Self {
            flag: AtomicU32::new(UNSET),
            progress,
            total,
        }
    }

    /// Ends the runs because their result is no longer needed.
    pub fn stop(&self) {
        self.set(STOPPED);
    }

    /// Ends the runs because no workgroup finishes.
    pub fn end_without_progress(&self) {
        self.set(NO_PROGRESS);
    }

    /// Ends the runs because all of them together took too long.
    pub fn end_time(&self) {
        self.set(OUT_OF_TIME);
    }

    fn set(&self, reason: u32) {
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        // The first reason is kept.
        let _ = self.flag.compare_exchange(UNSET, reason, success, failure);
    }

    /// Clears the flag for other runs.
    pub fn reset(&self) {
        self.flag.store(UNSET, Ordering::Relaxed);
    }

    /// The reason, if the flag is set.
    #[inline]
    pub fn get(&self) -> Option<Cancelled> {
        match self.flag.load(Ordering::Relaxed) {
            UNSET => None,
            STOPPED => Some(Cancelled::Stopped),
            NO_PROGRESS => Some(Cancelled::OutOfTime(TimeLimit::Progress(self.progress))),
            _ => Some(Cancelled::OutOfTime(TimeLimit::Total(self.total))),
        }
    }

    /// The word that machine code polls: runs continue while it is zero.
    pub fn flag(&self) -> &AtomicU32 {
        &self.flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let [progress, total] = [3, 5].map(Duration::from_secs);
        let cancel = Cancel::new(progress, total);
        assert_eq!(cancel.get(), None);
        cancel.end_time();
        cancel.end_without_progress();
        cancel.stop();
        let reason = Cancelled::OutOfTime(TimeLimit::Total(total));
        assert_eq!(cancel.get(), Some(reason));
        cancel.reset();
        assert_eq!(cancel.flag().load(Ordering::Relaxed), 0);
        cancel.end_without_progress();
        let reason = Cancelled::OutOfTime(TimeLimit::Progress(progress));
        assert_eq!(cancel.get(), Some(reason));
        cancel.reset();
        cancel.stop();
        cancel.end_time();
        assert_eq!(cancel.get(), Some(Cancelled::Stopped));
    }
}
