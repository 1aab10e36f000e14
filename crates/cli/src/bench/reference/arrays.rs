//! References of the rows over large arrays.

use super::super::task::digest;

/// The sum of `b + 3 c`; all operands are small integers.
pub(in crate::bench) fn triad(b: &[u32]) -> f64 {
    4.0 * digest::float_sum(b)
}

/// The histogram of the low bytes, with 256 bins.
pub(in crate::bench) fn histogram(words: &[u32]) -> f64 {
    let mut bins = [0; 256];
    for word in words {
        bins[(word & 255) as usize] += 1;
    }
    digest::moment(&bins)
}

/// The result of `runs` exclusive prefix sums, each over the previous one.
pub(in crate::bench) fn scan(words: &[u32], runs: u32) -> f64 {
    let mut words = words.to_vec();
    for _ in 0..runs {
        let mut sum = 0_u32;
        for word in &mut words {
            let next = sum.wrapping_add(*word);
            *word = std::mem::replace(&mut sum, next);
        }
    }
    digest::hash(&words)
}
