//! Comparisons of floats for inequality.
//!
//! naga writes `!=` so that it is false for numbers that are none; WGSL wants it true. In: words. Out: the
//! same, with the other instruction in its place.

use rspirv::spirv::Op;

use super::instruction::HEADER;

/// The first word of naga's comparison: five words, by its number.
const ORDERED: u32 = (5 << 16) | Op::FOrdNotEqual as u32;
const UNORDERED: u32 = (5 << 16) | Op::FUnordNotEqual as u32;

/// How many words are looked at together.
const CHUNK: usize = 256;

/// Replaces every comparison.
pub(super) fn put_right(words: &mut [u32]) {
    // Reading every instruction takes several times as long as looking at every word, and most modules
    // do not have the word. Where it is there, it may still be a number or an id.
    if !words.chunks(CHUNK).any(has_word) {
        return;
    }
    let mut place = HEADER;
    while let Some(word) = words.get_mut(place) {
        if *word == ORDERED {
            *word = UNORDERED;
        }
        place += (*word >> 16).max(1) as usize;
    }
}

/// Replaces the comparisons at some places.
pub(super) fn put_right_at(words: &mut [u32], places: &[usize]) {
    for place in places {
        if let Some(word) = words.get_mut(*place) {
            *word = UNORDERED;
        }
    }
}

/// Without a way out of the loop, so that it becomes one of many words at a time.
fn has_word(words: &[u32]) -> bool {
    words
        .iter()
        .fold(false, |found, word| found | (*word == ORDERED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_change_and_numbers_stay() {
        let number = (4 << 16) | Op::Constant as u32;
        let mut words = vec![0; HEADER];
        words.extend([number, 1, 2, ORDERED, ORDERED, 1, 3, 2, 2]);
        let mut expected = words.clone();
        expected[HEADER + 4] = UNORDERED;
        put_right(&mut words);
        assert_eq!(words, expected);
    }
}
