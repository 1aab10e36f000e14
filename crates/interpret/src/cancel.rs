//! Ends runs from outside: one word that they look at now and then.
//!
//! Whoever runs workgroups together gives all of them the same [`Cancel`]. It is set once, by whoever comes first,
//! and says why.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Nobody has set it.
const UNSET: u32 = 0;
const STOPPED: u32 = 1;
const NO_PROGRESS: u32 = 2;
const OUT_OF_TIME: u32 = 3;

/// The two limits on the time of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// No workgroup has finished for this long: one of them is endless.
    Progress(Duration),
    /// All workgroups together took this long.
    Total(Duration),
}

/// A flag that ends the runs which look at it.
#[derive(Debug, Default)]
pub struct Cancel {
    flag: AtomicU32,
    progress: Duration,
    total: Duration,
}

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It is of no use any more: something that belongs to it has failed.
    Stopped,
    /// It, and what belongs to it, exceeded a limit.
    OutOfTime(TimeLimit),
}

impl Cancel {
    /// A flag that is not set, for runs with these two limits, as [`TimeLimit`] has them. It does not look at a clock:
    /// a watchdog does, and calls [`Cancel::end_without_progress`] or [`Cancel::end_time`].
    pub fn new(progress: Duration, total: Duration) -> Self {
        Self {
            flag: AtomicU32::new(UNSET),
            progress,
            total,
        }
    }

    /// Ends the runs without an error of their own.
    pub fn stop(&self) {
        self.set(STOPPED);
    }

    /// Ends the runs because none of them finishes.
    pub fn end_without_progress(&self) {
        self.set(NO_PROGRESS);
    }

    /// Ends the runs because all of them together took too long.
    pub fn end_time(&self) {
        self.set(OUT_OF_TIME);
    }

    fn set(&self, reason: u32) {
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        // The first reason stays.
        let _ = self.flag.compare_exchange(UNSET, reason, success, failure);
    }

    /// Makes it ready for other runs.
    pub fn reset(&self) {
        self.flag.store(UNSET, Ordering::Relaxed);
    }

    /// Why runs are to end, if they are.
    #[inline]
    pub fn get(&self) -> Option<Cancelled> {
        match self.flag.load(Ordering::Relaxed) {
            UNSET => None,
            STOPPED => Some(Cancelled::Stopped),
            NO_PROGRESS => Some(Cancelled::OutOfTime(TimeLimit::Progress(self.progress))),
            _ => Some(Cancelled::OutOfTime(TimeLimit::Total(self.total))),
        }
    }

    /// What machine code looks at: runs go on while it is zero.
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
