//! Ends dispatches that do not end by themselves.
//!
//! Machine code and the interpreter poll a flag after a bounded amount of work, some milliseconds, and each thread polls it
//! before it begins a workgroup. One thread, the watchdog, looks at the dispatches that run, every few milliseconds, and
//! sets the flag of one that is over a limit (`watch` says which limits, and what time is). While no dispatch runs, it
//! sleeps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::watch::Watched;

/// How often the watchdog looks.
const PERIOD: Duration = Duration::from_millis(20);

/// Looks without a dispatch after which it sleeps: dispatches that follow one another need not wake it.
const IDLE_LOOKS: u32 = 50;

/// The thread, and what it looks at.
#[derive(Default)]
pub(crate) struct Watchdog {
    /// The places where dispatches may be.
    known: Mutex<Vec<Weak<Watched>>>,
    /// Set under the lock of `known`, before the last look.
    asleep: AtomicBool,
    /// There is a dispatch to be watched.
    wakes: Condvar,
}

/// The one of this process.
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
    /// A place where dispatches may be from now on.
    pub(crate) fn know(&self, place: Weak<Watched>) {
        lock(&self.known).push(place);
    }

    /// Sees to it that a dispatch that has begun will be seen.
    ///
    /// The thread falls asleep, then looks once more. If that look came before the dispatch began, then so did
    /// `asleep`, which is seen here: both are ordered by the lock of the place.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            let _known = lock(&self.known);
            self.asleep.store(false, Ordering::SeqCst);
            self.wakes.notify_one();
        }
    }

    fn run(&self) {
        let mut known = lock(&self.known);
        let mut idle_looks = 0;
        loop {
            if self.look(&mut known) {
                idle_looks = 0;
            } else {
                idle_looks += 1;
            }
            if idle_looks >= IDLE_LOOKS {
                known = self.sleep(known);
                idle_looks = 0;
            }
            let waited = self.wakes.wait_timeout(known, PERIOD);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns when a dispatch runs.
    fn sleep<'a>(
        &self,
        mut known: MutexGuard<'a, Vec<Weak<Watched>>>,
    ) -> MutexGuard<'a, Vec<Weak<Watched>>> {
        self.asleep.store(true, Ordering::SeqCst);
        if self.look(&mut known) {
            self.asleep.store(false, Ordering::SeqCst);
        }
        while self.asleep.load(Ordering::SeqCst) {
            let woken = self.wakes.wait(known);
            known = woken.unwrap_or_else(PoisonError::into_inner);
        }
        known
    }

    /// Looks at every dispatch; false if none runs.
    fn look(&self, known: &mut Vec<Weak<Watched>>) -> bool {
        let now = Instant::now();
        let mut runs = false;
        known.retain(|it| {
            let watched = it.upgrade();
            runs |= watched.as_ref().is_some_and(|it| it.look(now));
            watched.is_some()
        });
        runs
    }
}

/// Nothing panics while one of these locks is held.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{TimeLimits, Watches};

    #[test]
    fn it_wakes_up_after_a_long_time_without_dispatches() {
        let limits = TimeLimits {
            progress: Some(Duration::from_millis(50)),
            total: None,
        };
        std::thread::sleep(PERIOD * (IDLE_LOOKS + 5));
        let watches = Watches::new(limits, 1);
        let (watch, begin) = (watches.begin(1), Instant::now());
        while watch.cancel().get().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
