//! The CPU time of a thread, read by another thread (`pthread_getcpuclockid`).
//!
//! In: a thread that registers itself. Out: the CPU time that it has used, for the watchdog. On systems without such a
//! clock there is no reading, and the watchdog uses wall-clock time (see `watch`).

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// The clock number for "no thread": it is that of the system's clock, which is never read here.
const NONE: i32 = 0;

/// The CPU clock of a thread, or of none.
#[derive(Debug, Default)]
pub(crate) struct ThreadClock(AtomicI32);

/// A clock reading. Readings of different clocks must not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    clock: i32,
    time: Duration,
}

impl Reading {
    /// The CPU time since an earlier reading; `None` if that was of another thread's clock.
    pub(crate) fn since(self, earlier: Self) -> Option<Duration> {
        let is_same = self.clock == earlier.clock;
        is_same.then(|| self.time.saturating_sub(earlier.time))
    }
}

impl ThreadClock {
    /// Sets it to the clock of the calling thread. Costs no system call.
    pub(crate) fn set(&self) {
        self.0.store(own(), Ordering::Relaxed);
    }

    /// Sets it to no thread.
    pub(crate) fn clear(&self) {
        self.0.store(NONE, Ordering::Relaxed);
    }

    /// The current reading; `None` if there is no thread, or no such clock.
    pub(crate) fn read(&self) -> Option<Reading> {
        let clock = self.0.load(Ordering::Relaxed);
        let time = if clock == NONE { None } else { time(clock) };
        time.map(|time| Reading { clock, time })
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn own() -> i32 {
    let mut clock = NONE;
    // SAFETY: the calling thread exists, and `clock` is there to be written.
    match unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) } {
        0 => clock,
        _ => NONE,
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn time(clock: i32) -> Option<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is there to be written. The clock of a thread that has ended is an error, and harmless.
    let outcome = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    (outcome == 0).then(|| Duration::new(seconds, nanoseconds))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn own() -> i32 {
    NONE
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn time(_: i32) -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_that_sleeps_spends_no_time_and_one_that_works_does() {
        let (clock, works) = (ThreadClock::default(), AtomicBool::new(true));
        assert_eq!(clock.read(), None);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                clock.set();
                while works.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                std::thread::sleep(Duration::from_secs(1));
                clock.clear();
            });
            let begin = Instant::now();
            let first = loop {
                assert!(begin.elapsed() < Duration::from_secs(60));
                if let Some(reading) = clock.read() {
                    break reading;
                }
                std::thread::yield_now();
            };
            let spent = || clock.read().unwrap().since(first).unwrap();
            while spent() < Duration::from_millis(50) {
                assert!(begin.elapsed() < Duration::from_secs(60));
                std::thread::sleep(Duration::from_millis(1));
            }
            works.store(false, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
            let asleep = clock.read().unwrap();
            std::thread::sleep(Duration::from_millis(200));
            let more = clock.read().unwrap().since(asleep).unwrap();
            assert!(more < Duration::from_millis(50), "{more:?}");
        });
        assert_eq!(clock.read(), None);
    }
}
