//! A seeded pseudo-random generator.

/// A generator of pseudo-random words.
pub(crate) struct Random(anywarp_test_support::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let seed = seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(99);
        Self(anywarp_test_support::Random::new(seed))
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.0.word()
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.word() % end
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}
