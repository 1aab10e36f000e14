//! The rate of a counter over a sliding window.

use std::collections::VecDeque;

/// Length of the window in milliseconds.
const WINDOW: f64 = 1500.0;

/// A monotonic counter and its rate.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// Samples of time and count.
    seen: VecDeque<(f64, u64)>,
}

impl Rate {
    /// Records the count at a time in milliseconds. If the count has decreased, the window starts again.
    pub fn note(&mut self, now: f64, count: u64) {
        if self.seen.back().is_some_and(|(_, last)| *last > count) {
            self.seen.clear();
        }
        self.seen.push_back((now, count));
        // One sample before the window is kept, so that the rate covers the whole window.
        while self.seen.get(1).is_some_and(|(at, _)| now - at > WINDOW) {
            self.seen.pop_front();
        }
    }

    /// The increase per second; zero while there are too few samples.
    pub fn per_second(&self) -> f64 {
        match (self.seen.front(), self.seen.back()) {
            (Some((first, from)), Some((last, to))) if last > first => {
                (to - from) as f64 * 1000.0 / (last - first)
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rate;

    #[test]
    fn it_follows_the_last_second() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(), 0.0);
        for tick in 0..=100 {
            rate.note(f64::from(tick) * 100.0, tick as u64);
        }
        assert!((rate.per_second() - 10.0).abs() < 1e-9);
        for tick in 1..=50_u64 {
            rate.note(10_000.0 + tick as f64 * 100.0, 100 + 5 * tick);
        }
        assert!((rate.per_second() - 50.0).abs() < 1e-9);
        rate.note(20_000.0, 3);
        assert_eq!(rate.per_second(), 0.0);
    }
}
