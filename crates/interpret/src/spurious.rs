//! Spurious failures of `atomicCompareExchangeWeak`: it may fail although the values are equal.
//!
//! WGSL allows this, but CPUs hardly ever do it, so a program that forgets to try again passes every
//! test until it meets a device that does. Here they come as often as asked, by seed. The place
//! where they strike is `memory`.

use std::sync::atomic::{AtomicU64, Ordering};

/// The golden ratio in 64 bits: the step of the generator.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Decides which compare-exchanges fail for no reason.
///
/// The decisions are a function of the seed and of how many were made before; which
/// compare-exchange gets which is as repeatable as the order in which workgroups run.
#[derive(Debug)]
pub struct SpuriousFailures {
    /// Out of 2^53.
    threshold: u64,
    state: AtomicU64,
}

impl SpuriousFailures {
    /// Failures of about `probability` of all compare-exchanges that would succeed; what is not
    /// between 0 and 1 counts as the nearer of the two, and NaN as 0.
    pub fn new(seed: u64, probability: f64) -> Self {
        Self {
            // NaN stays NaN up to the conversion, which makes it zero.
            threshold: (probability.clamp(0.0, 1.0) * (1u64 << 53) as f64) as u64,
            state: AtomicU64::new(seed),
        }
    }

    /// Whether the next one fails (SplitMix64 by Steele, Lea and Flood, whose state is a mere
    /// counter, so that threads can share it).
    pub(crate) fn strikes(&self) -> bool {
        let mut z = self.state.fetch_add(STEP, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) >> 11 < self.threshold
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
