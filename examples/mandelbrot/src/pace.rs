//! Adapts the number of iterations per batch to a target duration.
//!
//! In: when batches were submitted and completed. Out: a number of iterations. It affects the division into batches,
//! never the result.

use std::time::Duration;

use web_time::Instant;

/// Minimal and maximal number of iterations of a batch. With fewer, the overhead of the batch would dominate.
const STEPS: std::ops::RangeInclusive<u32> = 32..=1 << 16;
/// Iterations of the first batch: few, because the speed is unknown.
const FIRST: u32 = 32;

#[derive(Debug)]
pub(crate) struct Pace {
    target: Duration,
    /// A fixed number of iterations per batch.
    fixed: Option<u32>,
    steps: u32,
    last_return: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(target: Duration, fixed: Option<u32>) -> Self {
        Self {
            target,
            fixed,
            steps: fixed.unwrap_or(FIRST).max(1),
            last_return: None,
        }
    }

    /// Starts again for another view: the previous speed does not apply, and too long a batch is worse than too short a
    /// one.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.target, self.fixed);
    }

    /// Iterations for the next batch.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Records that a batch of this number of iterations completed. The device may have worked on the previous batch
    /// while it was in flight, so its time counts from the completion of that, if that is later than its submission.
    pub(crate) fn returned(&mut self, left: Instant, steps: u32) {
        let now = Instant::now();
        let begin = self.last_return.map_or(left, |last| last.max(left));
        self.last_return = Some(now);
        self.adapt(now.duration_since(begin), steps);
    }

    fn adapt(&mut self, took: Duration, steps: u32) {
        // A batch shortened by a checkpoint is not representative.
        if self.fixed.is_some() || steps < self.steps.div_ceil(2) {
            return;
        }
        let took = took.max(Duration::from_micros(10)).as_secs_f64();
        let factor = (self.target.as_secs_f64() / took).clamp(0.25, 2.0);
        let next = (f64::from(steps) * factor).round() as u32;
        self.steps = next.clamp(*STEPS.start(), *STEPS.end());
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, Pace};
    use std::time::Duration;

    #[test]
    fn batches_come_to_take_as_long_as_they_should() {
        let mut pace = Pace::new(Duration::from_millis(15), None);
        // A simulated device that takes 10 microseconds per iteration.
        for _ in 0..20 {
            let steps = pace.steps();
            pace.adapt(Duration::from_micros(10) * steps, steps);
        }
        assert_eq!(pace.steps(), 1500);
        pace.restart();
        assert_eq!(pace.steps(), FIRST);
    }

    #[test]
    fn a_slow_batch_never_stops_it() {
        let mut pace = Pace::new(Duration::from_millis(15), None);
        for _ in 0..20 {
            let steps = pace.steps();
            pace.adapt(Duration::from_secs(100), steps);
        }
        assert_eq!(pace.steps(), 32);
    }
}
