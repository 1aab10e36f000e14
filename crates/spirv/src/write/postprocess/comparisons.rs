//! Makes `!=` of floats true for NaN.
//!
//! naga writes `OpFOrdNotEqual`, which is false for NaN; in WGSL `!=` is true for NaN. In: words. Out: the same words
//! with `OpFUnordNotEqual` instead.

use rspirv::spirv::Op;

use super::instruction::HEADER;

/// The first word of the instruction: its word count, 5, and its opcode.
const ORDERED: u32 = (5 << 16) | Op::FOrdNotEqual as u32;
const UNORDERED: u32 = (5 << 16) | Op::FUnordNotEqual as u32;

/// Number of words compared at a time.
const CHUNK: usize = 256;

/// Replaces all comparisons.
pub(super) fn correct(words: &mut [u32]) {
    // Decoding all instructions takes several times as long as comparing all words, and most modules do not contain
    // this word. If it occurs, it may still be an operand.
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

/// Replaces the comparisons at known positions.
pub(super) fn correct_at(words: &mut [u32], places: &[usize]) {
    for place in places {
        if let Some(word) = words.get_mut(*place) {
            *word = UNORDERED;
        }
    }
}

/// No early exit, so that the loop vectorizes.
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
        correct(&mut words);
        assert_eq!(words, expected);
    }
}
