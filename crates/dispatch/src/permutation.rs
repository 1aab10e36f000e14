//! Execution orders: in sequence, or pseudo-random from a seed.

use fastrand::Rng;

use crate::options::Schedule;

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
        let mut random = Rng::with_seed(seed);
        let first = random.u64(..len.max(1));
        // Any step that is coprime to `len` visits every index.
        let mut step = random.u64(..len.max(1)) | 1;
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
            Rng::with_seed(seed).shuffle(&mut items);
            items
        };
        assert_ne!(order(1), order(2));
        assert_eq!(order(3), order(3));
    }
}
