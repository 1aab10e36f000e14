//! Ends workgroups that do not end by themselves.
//!
//! Machine code polls a flag in every loop. One thread looks now and then at those that run, and sets the flag of one
//! that has been in the same workgroup for too long. Whoever runs workgroups reads no clock: it only counts them.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often the watchdog looks.
const PERIOD: Duration = Duration::from_millis(20);

/// No limit.
const NEVER: u64 = u64::MAX;

/// Someone who runs workgroups.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Workgroups begun and ended: odd while one runs.
    turns: AtomicU64,
    /// Nanoseconds that a workgroup may take.
    limit: AtomicU64,
    /// Not 0 when the workgroup is to end.
    flag: AtomicU32,
}

impl Watched {
    /// A workgroup begins.
    pub(crate) fn begin(&self, limit: Option<Duration>) {
        let limit = limit.map_or(NEVER, |it| u64::try_from(it.as_nanos()).unwrap_or(NEVER));
        self.limit.store(limit, Ordering::Relaxed);
        self.flag.store(0, Ordering::Relaxed);
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// A workgroup has ended.
    pub(crate) fn end(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// What the code polls.
    pub(crate) fn flag(&self) -> &AtomicU32 {
        &self.flag
    }
}

/// What the watchdog knows of someone.
struct Known {
    watched: Weak<Watched>,
    turns: u64,
    since: Instant,
}

#[derive(Default)]
struct Watchdog {
    known: Mutex<Vec<Known>>,
    /// Someone is there to be watched.
    wakes: Condvar,
}

/// Has someone watched until it is dropped.
pub(crate) fn watch(limit: Option<Duration>) -> Arc<Watched> {
    let watched = Arc::new(Watched {
        turns: AtomicU64::new(0),
        limit: AtomicU64::new(NEVER),
        flag: AtomicU32::new(0),
    });
    if limit.is_some() {
        let watchdog = watchdog();
        let mut known = watchdog
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.push(Known {
            watched: Arc::downgrade(&watched),
            turns: 0,
            since: Instant::now(),
        });
        watchdog.wakes.notify_one();
    }
    watched
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
    fn run(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            while known.is_empty() {
                known = self
                    .wakes
                    .wait(known)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let now = Instant::now();
            known.retain_mut(|it| it.look(now));
            let waited = self.wakes.wait_timeout(known, PERIOD);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Known {
    /// Looks at someone; false if nobody is there any more.
    fn look(&mut self, now: Instant) -> bool {
        let Some(watched) = self.watched.upgrade() else {
            return false;
        };
        let turns = watched.turns.load(Ordering::Relaxed);
        if turns != self.turns {
            (self.turns, self.since) = (turns, now);
        }
        let limit = watched.limit.load(Ordering::Relaxed);
        let runs = turns % 2 == 1;
        if runs && limit != NEVER && (now - self.since) > Duration::from_nanos(limit) {
            watched.flag.store(1, Ordering::Relaxed);
        }
        true
    }
}
