//! How many iterations the next batch gets, so that a batch takes about as long as it should.
//!
//! In: when batches left and came back. Out: a number of iterations. It changes how the work is cut,
//! never what comes out.

use std::time::Duration;

use web_time::Instant;

/// Iterations of a batch, at least and at most. Fewer would cost more for the batch than for its work.
const STEPS: std::ops::RangeInclusive<u32> = 32..=1 << 16;
/// What the first batch gets: little, because nothing is known yet.
const FIRST: u32 = 32;

#[derive(Debug)]
pub(crate) struct Pace {
    target: Duration,
    /// Whether every batch has the same number of iterations.
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

    /// Another view: what was learnt from the last one would be wrong, and too long a batch is worse
    /// than too short a one.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.target, self.fixed);
    }

    /// Iterations for the next batch.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Records that a batch of this number of iterations came back. While it was in flight the device may have worked on
    /// the one before, so its time counts from the later of both moments.
    pub(crate) fn returned(&mut self, left: Instant, steps: u32) {
        let now = Instant::now();
        let begin = self.last_return.map_or(left, |last| last.max(left));
        self.last_return = Some(now);
        self.adapt(now.duration_since(begin), steps);
    }

    fn adapt(&mut self, took: Duration, steps: u32) {
        // A batch that was cut short at a checkpoint says little.
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
        // A device that takes 10 microseconds for an iteration.
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
