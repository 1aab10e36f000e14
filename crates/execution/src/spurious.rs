//! Spurious failures of `atomicCompareExchangeWeak`: it may fail although the values are equal.
//!
//! WGSL allows this, but CPUs rarely do it, so a program without a retry loop passes every test until it runs on a
//! device that does. An engine asks before each compare-exchange whether it fails; the answer is drawn by seed.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::{STEP, mix};

/// Injects failures of compare-exchanges.
///
/// The decisions are a function of the seed and of the number of earlier decisions, so they are as reproducible as
/// the order of the compare-exchanges.
#[derive(Debug)]
pub struct SpuriousFailures {
    /// The probability, times 2^53.
    threshold: u64,
    state: AtomicU64,
}

impl SpuriousFailures {
    /// Lets about `probability` of all compare-exchanges fail that would succeed. The probability is clamped to 0
    /// and 1; NaN counts as 0.
    pub fn new(seed: u64, probability: f64) -> Self {
        Self {
            // `clamp` keeps NaN, and the conversion makes it zero.
            threshold: (probability.clamp(0.0, 1.0) * (1u64 << 53) as f64) as u64,
            state: AtomicU64::new(seed),
        }
    }

    /// Whether the next one fails. The generator is that of [`Random`](crate::Random): its state is a counter, so
    /// threads can share it.
    pub fn strikes(&self) -> bool {
        let state = self.state.fetch_add(STEP, Ordering::Relaxed);
        mix(state) >> 11 < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(seed: u64, probability: f64) -> usize {
        let failures = SpuriousFailures::new(seed, probability);
        (0..10_000).filter(|_| failures.strikes()).count()
    }

    #[test]
    fn as_often_as_asked() {
        for probability in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(count(1, probability), 0, "{probability}");
        }
        for probability in [1.0, 7.0, f64::INFINITY] {
            assert_eq!(count(1, probability), 10_000, "{probability}");
        }
        for (seed, probability) in [(0, 0.5), (1, 0.1), (u64::MAX, 0.9)] {
            let rate = count(seed, probability) as f64 / 10_000.0;
            assert!((rate - probability).abs() < 0.02, "{rate}");
        }
    }

    #[test]
    fn a_seed_repeats() {
        let sequence = |seed| {
            let failures = SpuriousFailures::new(seed, 0.5);
            (0..64).map(|_| failures.strikes()).collect::<Vec<_>>()
        };
        assert_eq!(sequence(5), sequence(5));
        assert_ne!(sequence(5), sequence(6));
    }
}
