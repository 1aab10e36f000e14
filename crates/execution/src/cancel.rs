//! Cancellation of runs from outside, by one word that is polled.
//!
//! All workgroups that run together share one [`CancelFlag`]. It is set once; the first reason is kept.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The values of the flag's word. Machine code relies on zero being the only one with which runs continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum State {
    Unset = 0,
    Stopped = 1,
    NoProgress = 2,
    OutOfTime = 3,
}

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
pub struct CancelFlag {
    word: AtomicU32,
    progress: Duration,
    total: Duration,
}

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The result is no longer needed: another part of the same work has failed.
    Stopped,
    /// The dispatch exceeded a time limit.
    OutOfTime(TimeLimit),
}

impl CancelFlag {
    /// A flag that is not set, with the two limits that errors report. It does not measure time: a watchdog does,
    /// and calls [`CancelFlag::cancel_without_progress`] or [`CancelFlag::cancel_out_of_time`].
    pub fn new(progress: Duration, total: Duration) -> Self {
        Self {
            word: AtomicU32::new(State::Unset as u32),
            progress,
            total,
        }
    }

    /// Ends the runs because their result is no longer needed.
    pub fn cancel(&self) {
        self.set(State::Stopped);
    }

    /// Ends the runs because no workgroup finishes.
    pub fn cancel_without_progress(&self) {
        self.set(State::NoProgress);
    }

    /// Ends the runs because all of them together took too long.
    pub fn cancel_out_of_time(&self) {
        self.set(State::OutOfTime);
    }

    fn set(&self, state: State) {
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        let unset = State::Unset as u32;
        // The first reason is kept.
        let _ = (self.word).compare_exchange(unset, state as u32, success, failure);
    }

    /// Clears the flag for other runs.
    pub fn reset(&self) {
        self.word.store(State::Unset as u32, Ordering::Relaxed);
    }

    /// The reason, if the flag is set.
    #[inline]
    pub fn reason(&self) -> Option<CancelReason> {
        const STOPPED: u32 = State::Stopped as u32;
        const NO_PROGRESS: u32 = State::NoProgress as u32;
        const OUT_OF_TIME: u32 = State::OutOfTime as u32;
        match self.word.load(Ordering::Relaxed) {
            STOPPED => Some(CancelReason::Stopped),
            NO_PROGRESS => Some(CancelReason::OutOfTime(TimeLimit::Progress(self.progress))),
            OUT_OF_TIME => Some(CancelReason::OutOfTime(TimeLimit::Total(self.total))),
            _ => None,
        }
    }

    /// The word that machine code polls: runs continue while it is zero.
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let [progress, total] = [3, 5].map(Duration::from_secs);
        let cancel = CancelFlag::new(progress, total);
        assert_eq!(cancel.reason(), None);
        cancel.cancel_out_of_time();
        cancel.cancel_without_progress();
        cancel.cancel();
        let reason = CancelReason::OutOfTime(TimeLimit::Total(total));
        assert_eq!(cancel.reason(), Some(reason));
        cancel.reset();
        assert_eq!(cancel.word().load(Ordering::Relaxed), 0);
        cancel.cancel_without_progress();
        let reason = CancelReason::OutOfTime(TimeLimit::Progress(progress));
        assert_eq!(cancel.reason(), Some(reason));
        cancel.reset();
        cancel.cancel();
        cancel.cancel_out_of_time();
        assert_eq!(cancel.reason(), Some(CancelReason::Stopped));
    }
}
