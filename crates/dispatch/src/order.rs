//! Execution orders: in sequence, or pseudo-random from a seed.

use crate::options::Schedule;

/// SplitMix64, a small pseudo-random generator; each seed gives a different sequence.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn shuffle(&mut self, items: &mut [u32]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// A permutation of `0..len` without a table: the affine map `i * step + first` modulo `len`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    len: u64,
    step: u64,
    first: u64,
}

impl Permutation {
    pub(crate) fn new(schedule: Schedule, len: u64) -> Self {
        let Schedule::Random(seed) = schedule else {
            return Self {
                len,
                step: 1,
                first: 0,
            };
        };
        let mut random = Random::new(seed);
        let first = random.below(len.max(1));
        // Any step that is coprime to `len` visits every index.
        let mut step = random.below(len.max(1)) | 1;
        while greatest_common_divisor(step, len) != 1 {
            step += 1;
        }
        Self { len, step, first }
    }

    pub(crate) fn at(&self, index: u64) -> u64 {
        let scaled = u128::from(index) * u128::from(self.step) + u128::from(self.first);
        if self.step == 1 && self.first == 0 {
            return index;
        }
        (scaled % u128::from(self.len)) as u64
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_visits_everything_once() {
        for len in [1, 2, 7, 64, 1000] {
            for schedule in [Schedule::InOrder, Schedule::Random(1), Schedule::Random(99)] {
                let permutation = Permutation::new(schedule, len);
                let mut seen: Vec<u64> = (0..len).map(|i| permutation.at(i)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..len), "{schedule:?} of {len}");
            }
        }
    }

    #[test]
    fn seeds_differ() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..16).collect();
            Random::new(seed).shuffle(&mut items);
            items
        };
        assert_ne!(order(1), order(2));
        assert_eq!(order(3), order(3));
    }
}
