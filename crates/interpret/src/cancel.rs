//! Ends runs from outside: one word that they look at now and then.
//!
//! Whoever runs workgroups together gives all of them the same [`Cancel`]. It is set once, by whoever comes first,
//! and says why.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Nobody has set it.
const UNSET: u32 = 0;
const STOPPED: u32 = 1;
const OUT_OF_TIME: u32 = 2;

/// A flag that ends the runs which look at it.
#[derive(Debug, Default)]
pub struct Cancel {
    flag: AtomicU32,
    time: Duration,
}

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It is of no use any more: something that belongs to it has failed.
    Stopped,
    /// It, and what belongs to it, had this time.
    OutOfTime(Duration),
}

impl Cancel {
    /// A flag that is not set, for runs that have so much time. It does not look at a clock: somebody who does
    /// calls [`Cancel::end_time`].
    pub fn new(time: Duration) -> Self {
        Self {
            flag: AtomicU32::new(UNSET),
            time,
        }
    }

    /// Ends the runs without an error of their own.
    pub fn stop(&self) {
        self.set(STOPPED);
    }

    /// Ends the runs because they took too long.
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
            _ => Some(Cancelled::OutOfTime(self.time)),
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
        let time = Duration::from_secs(3);
        let cancel = Cancel::new(time);
        assert_eq!(cancel.get(), None);
        cancel.end_time();
        cancel.stop();
        assert_eq!(cancel.get(), Some(Cancelled::OutOfTime(time)));
        cancel.reset();
        assert_eq!(cancel.flag().load(Ordering::Relaxed), 0);
        cancel.stop();
        cancel.end_time();
        assert_eq!(cancel.get(), Some(Cancelled::Stopped));
    }
}
