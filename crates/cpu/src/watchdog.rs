//! Ends dispatches that do not end by themselves.
//!
//! Machine code polls a flag in every loop, the interpreter now and then, and whoever runs workgroups before each of
//! them. One thread looks at the dispatches that run, every few milliseconds, and sets the flag of one that it has
//! seen for too long. So a dispatch reads no clock, whatever its size: it only says that it begins and ends. While
//! none runs, the thread sleeps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use anywarp_interpret::Cancel;

/// How often the watchdog looks.
const PERIOD: Duration = Duration::from_millis(20);

/// Looks without anybody to be seen after which it sleeps: dispatches that follow one another need not wake it.
const IDLE_LOOKS: u32 = 50;

/// What a dispatch does, as the watchdog knows it.
#[derive(Clone, Copy, Debug)]
enum Run {
    Idle,
    Begun,
    /// When the watchdog first saw it.
    SeenAt(Instant),
}

/// A place for one dispatch at a time.
#[derive(Debug)]
struct Watched {
    cancel: Cancel,
    limit: Duration,
    /// Whoever has the lock knows that the dispatch neither begins nor ends.
    run: Mutex<Run>,
}

impl Watched {
    /// Looks at the dispatch; false if there is none.
    fn look(&self, now: Instant) -> bool {
        let mut run = lock(&self.run);
        match *run {
            Run::Idle => return false,
            Run::Begun => *run = Run::SeenAt(now),
            Run::SeenAt(since) if now - since > self.limit => self.cancel.end_time(),
            Run::SeenAt(_) => {}
        }
        true
    }
}

/// The places of an executor: as many as it ever had dispatches at once.
#[derive(Debug)]
pub(crate) struct Watches {
    limit: Option<Duration>,
    idle: Mutex<Vec<Arc<Watched>>>,
}

impl Watches {
    /// For dispatches that may take so much time.
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            idle: Mutex::default(),
        }
    }

    /// A dispatch begins; it ends when the watch is dropped.
    pub(crate) fn begin(&self) -> Watch<'_> {
        let watched = lock(&self.idle).pop();
        let watched = watched.unwrap_or_else(|| self.place());
        watched.cancel.reset();
        if self.limit.is_some() {
            *lock(&watched.run) = Run::Begun;
            watchdog().wake();
        }
        Watch {
            watches: self,
            watched,
        }
    }

    fn place(&self) -> Arc<Watched> {
        let limit = self.limit.unwrap_or(Duration::MAX);
        let watched = Arc::new(Watched {
            cancel: Cancel::new(limit),
            limit,
            run: Mutex::new(Run::Idle),
        });
        if self.limit.is_some() {
            lock(&watchdog().known).push(Arc::downgrade(&watched));
        }
        watched
    }
}

/// A dispatch that is watched.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    watches: &'a Watches,
    watched: Arc<Watched>,
}

impl Watch<'_> {
    /// What the dispatch looks at.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.watched.cancel
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        *lock(&self.watched.run) = Run::Idle;
        lock(&self.watches.idle).push(Arc::clone(&self.watched));
    }
}

#[derive(Default)]
struct Watchdog {
    /// The places where dispatches may be.
    known: Mutex<Vec<Weak<Watched>>>,
    /// Set under the lock of `known`, before the last look.
    asleep: AtomicBool,
    /// Someone is there to be watched.
    wakes: Condvar,
}

fn watchdog() -> &'static Watchdog {
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
    /// Sees to it that a dispatch that has begun will be seen.
    ///
    /// The thread falls asleep, then looks once more. If that look came before the dispatch began, then so did
    /// `asleep`, which is seen here: both are ordered by the lock of the place.
    fn wake(&self) {
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

    /// Looks at everybody; false if nobody runs.
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
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_interpret::Cancelled;

    const LIMIT: Duration = Duration::from_millis(50);

    /// Whether a dispatch is ended within a time that is long enough on a busy machine.
    fn is_ended(watch: &Watch<'_>, patience: Duration) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < patience {
            if watch.cancel().get() == Some(Cancelled::OutOfTime(LIMIT)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn a_dispatch_has_its_time_and_no_more() {
        let watches = Watches::new(Some(LIMIT));
        let watch = watches.begin();
        let begin = Instant::now();
        assert!(is_ended(&watch, Duration::from_secs(20)));
        assert!(begin.elapsed() >= LIMIT);
        // The next one in the same place has all of its time.
        drop(watch);
        let watch = watches.begin();
        assert_eq!(watch.cancel().get(), None);
    }

    #[test]
    fn dispatches_at_once_have_places_of_their_own() {
        let watches = Watches::new(Some(LIMIT));
        let [long, short] = [watches.begin(), watches.begin()];
        short.cancel().stop();
        assert_eq!(long.cancel().get(), None);
        drop(short);
        assert!(is_ended(&long, Duration::from_secs(20)));
    }

    #[test]
    fn it_wakes_up_after_a_long_time_without_dispatches() {
        std::thread::sleep(PERIOD * (IDLE_LOOKS + 5));
        a_dispatch_has_its_time_and_no_more();
    }

    #[test]
    fn without_a_limit_nobody_is_ended() {
        let watches = Watches::new(None);
        assert!(!is_ended(&watches.begin(), Duration::from_millis(100)));
    }
}
