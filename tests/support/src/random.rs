//! Seeded pseudo-random numbers for tests.
//!
//! In: a seed. Out: the same numbers on every machine, from SplitMix64 of the crate `rand_xoshiro`. The output of that
//! generator is specified, so a seed that found a fault always gives the same test.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded pseudo-random number generator; any seed is a good one.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// 32 random bits: the upper half of [`Self::bits`].
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True with probability `1 / n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several elements; there must be at least one.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// Documents and tests name seeds, so a seed must always give the same numbers.
    #[test]
    fn a_seed_gives_the_numbers_of_the_reference_implementation() {
        let mut random = Random::new(1_477_776_061_723_855_037);
        let numbers = [(); 3].map(|()| random.bits());
        assert_eq!(
            numbers,
            [
                1_985_237_415_132_408_290,
                2_979_275_885_539_914_483,
                13_511_426_838_097_143_398
            ]
        );
    }

    #[test]
    fn numbers_are_in_their_ranges() {
        let mut random = Random::new(1);
        for _ in 0..100 {
            assert!(random.below(5) < 5);
            assert!((3..=4).contains(&random.between(3, 4)));
            assert!([1, 2].contains(random.pick(&[1, 2])));
        }
        assert_eq!(random.below(0), 0);
        assert!(random.one_in(1));
    }
}
