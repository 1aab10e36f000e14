//! Reduces an input by delta debugging over its bytes (Zeller and Hildebrandt 2002, without complements).
//!
//! In: an input and a predicate that holds for it. Out: an input of at most the same length for which the predicate
//! holds too: parts of halving length are removed as long as it does.

use std::time::Instant;

/// Reduces an input until nothing more can be removed or the deadline has passed.
pub fn reduce(input: &[u8], deadline: Instant, mut holds: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut length = best.len().div_ceil(2);
    while length > 0 {
        let mut at = 0;
        let mut has_shrunk = false;
        while at < best.len() {
            if Instant::now() >= deadline {
                return best;
            }
            let end = (at + length).min(best.len());
            let shorter = [&best[..at], &best[end..]].concat();
            if holds(&shorter) {
                best = shorter;
                has_shrunk = true;
            } else {
                at = end;
            }
        }
        if length == 1 && !has_shrunk {
            break;
        }
        length = match length {
            1 => 1,
            longer => longer / 2,
        };
    }
    best
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_what_the_test_needs_is_left() {
        let input: Vec<u8> = (0..200).collect();
        let deadline = Instant::now() + Duration::from_secs(60);
        let small = reduce(&input, deadline, |bytes| {
            bytes.contains(&7) && bytes.contains(&150)
        });
        assert_eq!(small, [7, 150]);
        assert!(reduce(&input, deadline, |_| true).is_empty());
        assert_eq!(reduce(&input, deadline, |_| false), input);
    }
}
