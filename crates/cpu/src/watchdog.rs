//! The watchdog thread: cancels dispatches that exceed a time limit.
//!
//! Machine code and the interpreter poll a cancel flag after a bounded amount of work, some milliseconds, and each
//! thread polls it before it begins a workgroup. One thread per process, the watchdog, samples the running dispatches
//! every [`PERIOD`], and sets the flag of one that is over a limit (`dispatch_tracker` defines limits and elapsed time). It sleeps
//! while no dispatch runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::dispatch_tracker::DispatchSlot;

/// The sampling period.
const PERIOD: Duration = Duration::from_millis(20);

/// The number of samples without a dispatch after which it sleeps: dispatches in quick succession need not wake it.
const IDLE_SAMPLES: u32 = 50;

/// The state that the watchdog thread shares.
#[derive(Default)]
pub(crate) struct Watchdog {
    /// All slots of all executors.
    known: Mutex<Vec<Weak<DispatchSlot>>>,
    /// Set under the lock of `known`, before the last sample.
    asleep: AtomicBool,
    /// Signalled when a dispatch begins.
    wakes: Condvar,
}

/// The watchdog of this process.
pub(crate) fn watchdog() -> &'static Watchdog {
    static WATCHDOG: OnceLock<&'static Watchdog> = OnceLock::new();
    WATCHDOG.get_or_init(|| {
        let watchdog: &'static Watchdog = Box::leak(Box::default());
        let thread = std::thread::Builder::new().name("anywarp watchdog".to_owned());
        // Without the thread nothing is ended early; everything else works.
        let _ = thread.spawn(|| watchdog.run());
        watchdog
    })
}

impl Watchdog {
    /// Adds a slot.
    pub(crate) fn add(&self, slot: Weak<DispatchSlot>) {
        lock(&self.known).push(slot);
    }

    /// Ensures that a dispatch that has begun will be sampled.
    ///
    /// The thread sets `asleep`, then samples once more. If that sample came before the dispatch began, then so did the
    /// store to `asleep`, which is seen here: both are ordered by the lock of the slot.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            let _known = lock(&self.known);
            self.asleep.store(false, Ordering::SeqCst);
            self.wakes.notify_one();
        }
    }

    fn run(&self) {
        let mut known = lock(&self.known);
        let mut idle_samples = 0;
        loop {
            if self.sample(&mut known) {
                idle_samples = 0;
            } else {
                idle_samples += 1;
            }
            if idle_samples >= IDLE_SAMPLES {
                known = self.sleep(known);
                idle_samples = 0;
            }
            let waited = self.wakes.wait_timeout(known, PERIOD);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sleeps until a dispatch runs.
    fn sleep<'a>(
        &self,
        mut known: MutexGuard<'a, Vec<Weak<DispatchSlot>>>,
    ) -> MutexGuard<'a, Vec<Weak<DispatchSlot>>> {
        self.asleep.store(true, Ordering::SeqCst);
        if self.sample(&mut known) {
            self.asleep.store(false, Ordering::SeqCst);
        }
        while self.asleep.load(Ordering::SeqCst) {
            let woken = self.wakes.wait(known);
            known = woken.unwrap_or_else(PoisonError::into_inner);
        }
        known
    }

    /// Samples every dispatch; returns false if none runs.
    fn sample(&self, known: &mut Vec<Weak<DispatchSlot>>) -> bool {
        let now = Instant::now();
        let mut runs = false;
        known.retain(|slot| {
            let slot = slot.upgrade();
            runs |= slot.as_ref().is_some_and(|slot| slot.sample(now));
            slot.is_some()
        });
        runs
    }
}

/// Locks a mutex that cannot be poisoned: nothing panics while one of these locks is held.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch_tracker::{DispatchTracker, TimeLimits};

    #[test]
    fn it_wakes_up_after_a_long_time_without_dispatches() {
        let limits = TimeLimits {
            progress: Some(Duration::from_millis(50)),
            total: None,
        };
        std::thread::sleep(PERIOD * (IDLE_SAMPLES + 5));
        let tracker = DispatchTracker::new(limits, 1);
        let (running, begin) = (tracker.begin(1), Instant::now());
        while running.cancel().reason().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
