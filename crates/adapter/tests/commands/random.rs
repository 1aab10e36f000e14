//! The random choices of the streams.

use anywarp_test_support::Random as Generator;

/// A seeded pseudo-random generator, with numbers as the tests of this crate need them.
pub(crate) struct Random(Generator);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Generator::new(seed))
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0.bits() % end.max(1)
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of several, of which there is at least one.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.0.pick(choices)
    }

    /// A word for a buffer: as the size of a dispatch it is tiny, or so large that nothing runs.
    pub(crate) fn word(&mut self) -> u32 {
        match self.below(8) {
            0 => 0xffff_0000 | self.0.bits() as u32,
            _ => self.below(7) as u32,
        }
    }
}
