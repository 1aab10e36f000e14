//! Limits on the time of a launch on a device.
//!
//! In: how many threads are left, after each submission. Out: an error once none has ended for too long, or the launch
//! as a whole takes too long. All threads of a wave run side by side here, slice by slice, so honest ones may end late:
//! there is no limit unless one is asked for. Time is time on the wall, since the device has a clock of its own.

use std::time::{Duration, Instant};

use crate::machine::LaunchError;

/// How long a launch may take, and since when.
#[derive(Debug, Default)]
pub(super) struct Patience {
    watchdog: Option<Duration>,
    limit: Option<Duration>,
    begun: Option<Instant>,
    /// How many threads of a wave were left, and since when.
    left: Option<(u32, Instant)>,
}

impl Patience {
    /// A launch begins. Without limits no clock is read: browsers have none here.
    pub(super) fn new(watchdog: Option<Duration>, limit: Option<Duration>) -> Self {
        let is_limited = watchdog.is_some() || limit.is_some();
        Self {
            watchdog,
            limit,
            begun: is_limited.then(Instant::now),
            left: None,
        }
    }

    /// Checks the limits when `left` of the wave's `count` threads have not ended.
    pub(super) fn check(&mut self, left: u32, count: u32) -> Result<(), LaunchError> {
        let Some(begun) = self.begun else {
            return Ok(());
        };
        let now = Instant::now();
        if let Some(limit) = self.limit.filter(|limit| now - begun > *limit) {
            return Err(LaunchError::TooMuchWork {
                ended: u64::from(count - left.min(count)),
                threads: count,
                limit,
            });
        }
        let since = match self.left {
            Some((before, since)) if before == left => since,
            _ => now,
        };
        self.left = Some((left, since));
        match self.watchdog {
            Some(limit) if now - since > limit => Err(LaunchError::NoProgress { left, limit }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Option<Duration> = Some(Duration::from_millis(20));

    fn wait() {
        std::thread::sleep(Duration::from_millis(30));
    }

    #[test]
    fn threads_that_end_are_progress() {
        let mut patience = Patience::new(SHORT, None);
        for left in (1..6).rev() {
            assert_eq!(patience.check(left, 6), Ok(()));
            wait();
        }
        let error = patience.check(1, 6).unwrap_err();
        assert!(matches!(error, LaunchError::NoProgress { left: 1, .. }));
    }

    #[test]
    fn a_limit_is_for_all() {
        let mut patience = Patience::new(None, SHORT);
        assert_eq!(patience.check(6, 6), Ok(()));
        wait();
        let error = patience.check(2, 6).unwrap_err();
        let (ended, threads) = (4, 6);
        let expected = LaunchError::TooMuchWork {
            ended,
            threads,
            limit: Duration::from_millis(20),
        };
        assert_eq!(error, expected);
        let mut patience = Patience::new(None, None);
        wait();
        assert_eq!(patience.check(6, 6), Ok(()));
    }
}
