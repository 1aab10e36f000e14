//! Pseudo-random numbers by seed, and permutations that need no table.
//!
//! In: a seed. Out: the same numbers and permutations on every machine. Random schedules use them.
//!
//! The generator is SplitMix64 of the crate `rand_xoshiro`. Its output is specified: documents and tests name seeds of
//! schedules that found faults, so the sequence of a seed must never change. Its state is a counter, which
//! [`SpuriousFailures`](crate::SpuriousFailures) needs.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The golden ratio in 64 bits: the step of the generator's state.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A pseudo-random number generator (SplitMix64 by Steele, Lea and Flood); any seed is a good one.
#[derive(Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// A generator that begins at a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Shuffles uniformly (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// A number below `end`. Its bias is negligible.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_number()) * end as u128) >> 64) as usize
    }
}

/// The number that the generator computes from a state: a mixing function of 64 bits.
pub(crate) fn mix(state: u64) -> u64 {
    // The generator steps before it mixes.
    SplitMix64::seed_from_u64(state.wrapping_sub(STEP)).next_u64()
}

/// A pseudo-random permutation of the numbers below a total, in constant memory: a Feistel network over the next
/// power of four, repeated while the result is not below the total (cycle walking).
#[derive(Debug)]
pub struct Shuffle {
    total: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Shuffle {
    /// A permutation of the numbers below `total`.
    pub fn new(total: u64, random: &mut Random) -> Self {
        let bits = u64::BITS - total.saturating_sub(1).leading_zeros();
        Self {
            total,
            half_bits: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| random.next_number()),
        }
    }

    /// The number at a position of the permutation; both are below the total.
    pub fn at(&self, position: u64) -> u64 {
        debug_assert!(position < self.total);
        let mut number = self.permute(position);
        // This terminates: the network is a permutation, so its cycle leads back to `position`.
        while number >= self.total {
            number = self.permute(number);
        }
        number
    }

    fn permute(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ mix(right ^ key) & mask);
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A seed names a schedule, so these values must stay.
    #[test]
    fn a_seed_gives_the_numbers_of_the_reference_implementation() {
        let mut random = Random::new(1_477_776_061_723_855_037);
        assert_eq!(random.next_number(), 1_985_237_415_132_408_290);
        assert_eq!(random.next_number(), 2_979_275_885_539_914_483);
        let state = 1_477_776_061_723_855_037_u64.wrapping_add(STEP);
        assert_eq!(mix(state), 1_985_237_415_132_408_290);
        assert_eq!(mix(0), 0);
    }

    #[test]
    fn a_shuffle_has_every_number_once() {
        let mut random = Random::new(1);
        for total in [1, 2, 3, 4, 5, 16, 17, 1000, 4097] {
            let shuffle = Shuffle::new(total, &mut random);
            let numbers: HashSet<_> = (0..total).map(|position| shuffle.at(position)).collect();
            assert_eq!(numbers.len() as u64, total);
            assert!(numbers.iter().all(|number| *number < total));
        }
        let huge = Shuffle::new(1 << 40, &mut random);
        assert!(huge.at((1 << 40) - 1) < 1 << 40);
    }

    #[test]
    fn small_shuffles_reach_every_order() {
        let mut random = Random::new(2);
        for (total, orders) in [(2, 2), (3, 6), (4, 12)] {
            let order = |_| {
                let shuffle = Shuffle::new(total, &mut random);
                (0..total)
                    .map(|position| shuffle.at(position))
                    .collect::<Vec<_>>()
            };
            let seen: HashSet<_> = (0..2000).map(order).collect();
            assert!(seen.len() >= orders, "{} of {total}", seen.len());
        }
    }

    #[test]
    fn a_shuffled_list_has_every_item_once() {
        let mut random = Random::new(4);
        let mut items: Vec<u32> = (0..100).collect();
        random.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }

    #[test]
    fn numbers_stay_below_the_end() {
        let mut random = Random::new(3);
        let numbers: HashSet<_> = (0..200).map(|_| random.below(5)).collect();
        assert_eq!(numbers, (0..5).collect());
    }
}
