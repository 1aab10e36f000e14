//! The watchdog of a launch on a device, and the size of submissions.
//!
//! In: after each submission, how many threads have ended and how many run. Out: an error once the
//! launch exceeds one of its two limits, and the length of the next slices ([`SubmissionSize`]), so
//! that the limits are checked often enough on slow devices.
//!
//! Times are wall-clock times, as the device has a clock of its own. Progress means that a thread
//! ends. All threads of a wave run concurrently, so each of many ends late: time without progress
//! counts in full up to [`CONCURRENT_THREADS`] running threads, as for one large workgroup, and
//! proportionally less with more threads.

use std::time::Duration;

use web_time::Instant;

use crate::runtime::LaunchError;

/// Threads that are assumed to run as fast together as one alone.
const CONCURRENT_THREADS: u32 = 1 << 10;

/// Maximum time without progress that one submission accounts for. Submissions take about
/// [`MAX_SUBMISSION_TIME`]; one that takes much longer has waited for a busy machine.
const MAX_ACCOUNTED_TIME: Duration = Duration::from_secs(1);

/// The result of a watchdog check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Running,
    /// No thread has ended for longer than this limit.
    Endless(Duration),
}

/// The time limits of a launch, and the time it has taken.
#[derive(Debug)]
pub(super) struct LaunchClock {
    watchdog: Option<Duration>,
    limit: Option<Duration>,
    begun: Instant,
    checked: Instant,
    without_progress: Duration,
    /// Number of threads of the launch; then of those that ended in earlier waves, and in total.
    threads: u32,
    earlier: u64,
    ended: u64,
}

impl LaunchClock {
    /// Starts the clock of a launch with that many threads.
    pub(super) fn new(watchdog: Option<Duration>, limit: Option<Duration>, threads: u32) -> Self {
        let now = Instant::now();
        Self {
            watchdog,
            limit,
            begun: now,
            checked: now,
            without_progress: Duration::ZERO,
            threads,
            earlier: 0,
            ended: 0,
        }
    }

    /// Checks the limits, given how many threads of the wave have ended and how many run.
    pub(super) fn check(&mut self, ended: u32, running: u32) -> Result<Verdict, LaunchError> {
        let now = Instant::now();
        let passed = now - self.checked;
        self.checked = now;
        self.check_at(now - self.begun, passed, ended, running)
    }

    fn check_at(
        &mut self,
        total: Duration,
        passed: Duration,
        ended: u32,
        running: u32,
    ) -> Result<Verdict, LaunchError> {
        let ended = self.earlier + u64::from(ended);
        if let Some(limit) = self.limit.filter(|limit| total > *limit) {
            return Err(LaunchError::TooMuchWork {
                ended,
                threads: self.threads,
                limit,
            });
        }
        if ended == self.ended {
            let share = f64::from(CONCURRENT_THREADS) / f64::from(running.max(CONCURRENT_THREADS));
            self.without_progress += passed.min(MAX_ACCOUNTED_TIME).mul_f64(share);
        } else {
            self.without_progress = Duration::ZERO;
        }
        self.ended = ended;
        Ok(match self.watchdog {
            Some(limit) if self.without_progress > limit => Verdict::Endless(limit),
            _ => Verdict::Running,
        })
    }

    /// Records that a wave of that many threads has ended.
    pub(super) fn end_wave(&mut self, threads: u32) {
        self.earlier += u64::from(threads);
        self.ended = self.earlier;
        self.without_progress = Duration::ZERO;
    }
}

/// Instructions of all threads in the first submission of a wave, roughly.
const FIRST_INSTRUCTIONS: u32 = 1 << 24;
/// Minimum instructions of a slice: shorter slices would mostly load and save threads.
const MIN_SLICE: u32 = 1 << 6;
/// Maximum slices of one submission.
const MAX_SLICES: u32 = 16;
/// A submission that takes less time is made longer, one that takes more is made shorter.
const MIN_SUBMISSION_TIME: Duration = Duration::from_millis(50);
const MAX_SUBMISSION_TIME: Duration = Duration::from_millis(200);

/// The size of a submission: the instructions of each thread in a slice, and the number of slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SubmissionSize {
    pub(super) slice: u32,
    pub(super) slices: u32,
    max_slice: u32,
}

impl SubmissionSize {
    /// The first submission of a wave of that many threads, with at most `max_slice` instructions
    /// in a slice.
    pub(super) fn new(threads: u32, max_slice: u32) -> Self {
        let slice = FIRST_INSTRUCTIONS / threads.max(1);
        Self {
            slice: slice.clamp(MIN_SLICE.min(max_slice), max_slice),
            slices: 1,
            max_slice,
        }
    }

    /// The size of the next submission, given how long the last one took.
    pub(super) fn after(self, took: Duration) -> Self {
        let Self {
            slice,
            slices,
            max_slice,
        } = self;
        let (slice, slices) = if took > MAX_SUBMISSION_TIME && slices > 1 {
            (slice, slices / 2)
        } else if took > MAX_SUBMISSION_TIME {
            ((slice / 2).max(MIN_SLICE.min(max_slice)), slices)
        } else if took < MIN_SUBMISSION_TIME && slice < max_slice {
            (slice.saturating_mul(2).min(max_slice), slices)
        } else if took < MIN_SUBMISSION_TIME {
            (slice, (slices * 2).min(MAX_SLICES))
        } else {
            (slice, slices)
        };
        Self {
            slice,
            slices,
            max_slice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A clock that is checked once a second.
    struct TestClock(LaunchClock, Duration);

    impl TestClock {
        fn new(watchdog: Option<u64>, limit: Option<u64>, threads: u32) -> Self {
            let [watchdog, limit] =
                [watchdog, limit].map(|seconds| seconds.map(Duration::from_secs));
            Self(LaunchClock::new(watchdog, limit, threads), Duration::ZERO)
        }

        fn tick(&mut self, ended: u32, running: u32) -> Result<Verdict, LaunchError> {
            self.1 += SECOND;
            self.0.check_at(self.1, SECOND, ended, running)
        }
    }

    #[test]
    fn slices_are_summed_until_a_thread_ends() {
        let mut ticks = TestClock::new(Some(3), None, 6);
        for ended in [0, 0, 0, 1, 1, 1, 2, 2, 2, 2] {
            assert_eq!(ticks.tick(ended, 6 - ended), Ok(Verdict::Running));
        }
        assert_eq!(ticks.tick(2, 4), Ok(Verdict::Endless(3 * SECOND)));
    }

    #[test]
    fn threads_that_run_side_by_side_share_the_time() {
        let mut ticks = TestClock::new(Some(3), None, 4096);
        for _ in 0..12 {
            assert_eq!(ticks.tick(0, 4096), Ok(Verdict::Running));
        }
        assert_eq!(ticks.tick(0, 4096), Ok(Verdict::Endless(3 * SECOND)));
    }

    #[test]
    fn a_limit_is_for_all_waves_together() {
        let mut ticks = TestClock::new(None, Some(4), 128);
        for ended in [0, 32] {
            assert_eq!(ticks.tick(ended, 64), Ok(Verdict::Running));
        }
        ticks.0.end_wave(64);
        for ended in [0, 32] {
            assert_eq!(ticks.tick(ended, 64), Ok(Verdict::Running));
        }
        let expected = LaunchError::TooMuchWork {
            ended: 96,
            threads: 128,
            limit: 4 * SECOND,
        };
        assert_eq!(ticks.tick(32, 32), Err(expected));
    }

    #[test]
    fn submissions_become_neither_short_nor_long() {
        let mut size = SubmissionSize::new(1 << 17, 1 << 14);
        assert_eq!((size.slice, size.slices), (1 << 7, 1));
        for _ in 0..20 {
            size = size.after(Duration::ZERO);
        }
        assert_eq!((size.slice, size.slices), (1 << 14, MAX_SLICES));
        assert_eq!(size.after(MAX_SUBMISSION_TIME), size);
        for _ in 0..20 {
            size = size.after(SECOND);
        }
        assert_eq!((size.slice, size.slices), (MIN_SLICE, 1));
        // A slice length that was requested is not exceeded.
        assert_eq!(SubmissionSize::new(1, 1).after(SECOND).slice, 1);
        assert_eq!(SubmissionSize::new(1, u32::MAX).slice, FIRST_INSTRUCTIONS);
    }
}
